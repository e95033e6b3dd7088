import { DatabaseNotOpened } from './database-not-opened.js';
import { sqliteOptions } from '../testing/temporary-database.js';

describe('The error for a database that cannot be opened', () => {
  it.each([
    [
      'starts with the command to run after a switch to another version of Node',
      "The module '/app/better_sqlite3.node'\nwas compiled against a different Node.js version using\n" +
        'NODE_MODULE_VERSION 115. This version of Node.js requires\nNODE_MODULE_VERSION 137. Please try re-compiling.',
      `Run "npm rebuild better-sqlite3": it was installed for another version of Node than this one (${process.version}).`,
    ],
    [
      'starts with the command to run when the program of the package is missing',
      'Could not locate the bindings file. Tried:\n → /app/build/better_sqlite3.node',
      'Run "npm rebuild better-sqlite3": its program for this machine is missing.',
    ],
    [
      'names the database and the cause',
      'file is not a\ndatabase.',
      'The database file /data/store.db cannot be opened: file is not a database.',
    ],
  ])('%s', (_, cause, message) => {
    expect(new DatabaseNotOpened(sqliteOptions('/data/store.db'), new Error(cause)).message).toBe(message);
  });
});
