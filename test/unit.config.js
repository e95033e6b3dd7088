import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import base, { reportersOf } from '../jest.config.js';

/** Texts in suites that start the application or any other server, a process, PostgreSQL, Redis or a browser. */
const STARTS_SOMETHING =
  /test-app|server-process|packed-client|temporaryPostgres|postgres-server|redis-server|child_process|playwright|[lL]isten\(|createServer/;

const suites = ['src', 'libs']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
  .filter(
    (file) => /\.(spec|e2e-spec)\.ts$/.test(file) && !STARTS_SOMETHING.test(readFileSync(file, 'utf8')),
  );

/** `npm run test:unit` runs the suites beside the code that start nothing. */
export default {
  ...base,
  globalSetup: '<rootDir>/test/support/bundled-packages.mjs',
  globalTeardown: undefined,
  maxWorkers: availableParallelism(),
  reporters: reportersOf('a server or a program: npm test'),
  rootDir: '..',
  testMatch: suites.map((file) => `<rootDir>/${file}`),
  testRegex: [],
};
