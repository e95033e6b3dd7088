// `npm run openapi:accept` writes what a changed operation, error or statement changes in docs and in the client; with
// `statements` or `reference` only that document. Each document is written by the suite that compares it with the
// sources, so nothing is built.
import { spawnSync } from 'node:child_process';

const SUITES = ['openapi-document', 'error-codes', 'statements-document', 'reference-document'];

const [only = ''] = process.argv.slice(2);
const suites = SUITES.filter((name) => name.startsWith(only)).map(
  (name) => `test/conventions/${name}.spec.ts`,
);
process.stderr.write('Writing the documents …\n');
run('scripts/install-tools.mjs');
run('node_modules/jest/bin/jest.js', '--silent', '--testNamePattern', 'accept an intended change', ...suites);
if (only === '') {
  process.stderr.write('Writing the client …\n');
  run('scripts/generate-client.mjs');
}

function run(...words) {
  const env = { ...process.env, ACCEPT: 'true' };
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
