// Writes what a changed operation, error or statement changes in docs and in the client. The statements are those of the
// sources, so a test writes them while the rest waits for the build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const ACCEPT_STATEMENTS = ['jest', '--silent', 'test/conventions/statements-document.spec.ts'];

async function run(program, words, settings = {}) {
  // On Windows the programs of npm are shell scripts.
  const shell = process.platform === 'win32' && program !== process.execPath;
  const child = spawn(program, words, { stdio: 'inherit', shell, env: { ...process.env, ...settings } });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`${words.join(' ')} failed`);
}

async function acceptOperations() {
  for (const name of ['build-if-needed', 'accept-openapi', 'accept-errors'])
    await run(process.execPath, [`scripts/${name}.mjs`]);
  await run('npm', ['run', '--silent', 'client:generate']);
}

const outcomes = await Promise.allSettled([
  acceptOperations(),
  run('npx', ACCEPT_STATEMENTS, { ACCEPT_STATEMENTS: 'true' }),
]);
for (const { reason } of outcomes.filter(({ status }) => status === 'rejected')) {
  process.stderr.write(`${reason.message}.\n`);
  process.exitCode = 1;
}
