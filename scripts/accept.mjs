// `npm run openapi:accept` writes what a changed operation, error, statement, setting or metric changes in docs and in
// the client. The suite that compares the documents with the sources writes them, so nothing is built.
import { spawnSync } from 'node:child_process';

process.stderr.write('Writing the documents …\n');
run('scripts/install-tools.mjs');
run('node_modules/jest/bin/jest.js', '--silent', '--runInBand', 'test/conventions/written-documents.spec.ts');
process.stderr.write('Writing the client …\n');
run('scripts/generate-client.mjs');

function run(...words) {
  const env = { ...process.env, ACCEPT: 'true' };
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
