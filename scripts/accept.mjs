// `npm run openapi:accept` writes what a changed operation, error or statement changes in docs and in the client; with
// `statements` or `reference` only that document. The suite that compares the documents with the sources writes them, so
// nothing is built.
import { spawnSync } from 'node:child_process';

const SUITE = 'test/conventions/written-documents.spec.ts';

const [only = ''] = process.argv.slice(2);
process.stderr.write('Writing the documents …\n');
run('scripts/install-tools.mjs');
run('node_modules/jest/bin/jest.js', '--silent', '--runInBand', '--testNamePattern', `docs/${only}`, SUITE);
if (only === '') {
  process.stderr.write('Writing the client …\n');
  run('scripts/generate-client.mjs');
}

function run(...words) {
  const env = { ...process.env, ACCEPT: 'true' };
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
