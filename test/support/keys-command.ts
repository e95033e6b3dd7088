import { SystemClock } from '@animal-store/kernel';
import { StandardTerminal } from '../../src/programs/keys/input/terminal.js';
import { runKeys } from '../../src/programs/keys/keys.program.js';

/** The output of a command of `npm run keys`, which knows nothing of a running service but these settings. */
export async function keysCommand(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  let printed = '';
  const code = await runKeys([...args, '--json'], {
    environment: () => environment,
    clock: new SystemClock(),
    terminal: new StandardTerminal(process.stdin, process.stderr),
    print: (text) => (printed += text),
    complain: () => undefined,
  });
  if (code !== 0) throw new Error(`The command ended with ${code}.`);
  return printed;
}
