import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const BUILT = pathToFileURL(resolve(__dirname, '../../libs/operations/dist/health/stall-watch.js')).href;
/** Short, and still long enough for a loop that runs on a busy machine. */
const OPTIONS = '{ tickMs: 5, ticks: 200 }';

async function run(program: string, flags: readonly string[] = []) {
  const code = `import { endWhenStalled } from '${BUILT}'; ${program}`;
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode: exitCode as number | null, signal: signal as string | null, stdout, stderr };
}

describe('The watch of the event loop', () => {
  it('ends a process whose loop stands, with a line on stderr', async () => {
    const stood = await run(`endWhenStalled(${OPTIONS}); setTimeout(() => { while (true); }, 1);`);
    expect(stood).toMatchObject({
      signal: 'SIGKILL',
      stderr: 'The event loop has stood for 1 s. The process ends.\n',
    });
  });

  it('leaves a process alone whose loop runs, and lets it exit', async () => {
    const ran = await run(
      `endWhenStalled(${OPTIONS}); let turns = 0; const timer = setInterval(() => { if (++turns === 100) clearInterval(timer); }, 5);`,
    );
    expect(ran).toEqual({ exitCode: 0, signal: null, stdout: '', stderr: '' });
  });

  it('leaves a process alone that a debugger may stop', async () => {
    const debugged = await run(
      `endWhenStalled(${OPTIONS}); const until = performance.now() + 2000; while (performance.now() < until); console.log('went on');`,
      ['--inspect=127.0.0.1:0'],
    );
    expect(debugged).toMatchObject({ exitCode: 0, stdout: 'went on\n' });
  });

  it('leaves a process alone when it was stopped', async () => {
    const stopped = await run(
      `const stop = endWhenStalled(${OPTIONS}); stop(); const until = performance.now() + 2000; while (performance.now() < until); console.log('went on');`,
    );
    expect(stopped).toMatchObject({ exitCode: 0, stdout: 'went on\n' });
  });
});
