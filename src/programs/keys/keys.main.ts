import { SystemClock } from '@animal-store/kernel';
import { fileThatSets, readEnvironment } from '../../settings/environment.js';
import { standardOutput } from '../run-program.js';
import { runKeys } from './keys.program.js';
import { StandardTerminal } from './input/terminal.js';

process.exitCode = await runKeys(process.argv.slice(2), {
  environment: readEnvironment,
  fileThatSets,
  clock: new SystemClock(),
  terminal: new StandardTerminal(process.stdin, process.stderr),
  print: standardOutput(),
  complain: (text) => process.stderr.write(text),
});
