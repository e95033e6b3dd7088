import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import base, { reportersOf } from '../jest.config.js';

// Every worker inherits it.
process.env.TEST_POOLED = 'true';

const USES_POSTGRES = /describeOnPostgres|describeRepository|temporaryPostgres|describe\.each\(databases\)/;
/** They are about the session of a direct connection, or clean tables up, which cannot be done in a transaction. */
const NEEDS_SESSIONS = /postgres\/connections\/|many-jobs\.spec/;

const suites = ['src', 'libs', 'test/e2e']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
  .filter((file) => file.endsWith('spec.ts') && !NEEDS_SESSIONS.test(file))
  .filter((file) => USES_POSTGRES.test(readFileSync(file, 'utf8')));

/** `npm run dev -- test:pooled` runs the suites that use PostgreSQL by way of a PgBouncer in the mode `transaction`. */
export default {
  ...base,
  rootDir: '..',
  reporters: reportersOf(null),
  testMatch: suites.map((file) => `<rootDir>/${file}`),
  testRegex: [],
};
