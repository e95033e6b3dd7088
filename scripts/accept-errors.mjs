// Writes the descriptions of the error classes to docs/errors.md. With --check it only compares: exit 1 on a difference.
import { readFileSync, writeFileSync } from 'node:fs';
import prettier from 'prettier';

const PAGE = 'docs/errors.md';

// Loading the controllers registers the errors of their operations.
await import('../dist/src/app.module.js');
const { errorsOfOperations } = await import('@animal-store/openapi');
const { loadSettings } = await import('../dist/src/settings/settings.js');
const { errorsPage } = await import('@animal-store/openapi/pages');

const options = { ...(await prettier.resolveConfig(PAGE)), filepath: PAGE };
const text = await prettier.format(errorsPage(errorsOfOperations(), loadSettings({}).server), options);
const changed = text !== readFileSync(PAGE, { encoding: 'utf8', flag: 'a+' });
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, text);
  process.stdout.write(`${PAGE} ${changed ? 'is changed' : 'was up to date'}.\n`);
} else if (changed) {
  process.stderr.write(`${PAGE} differs from the error classes: run "npm run openapi:accept".\n`);
  process.exitCode = 1;
}
