import { DatabaseNotOpened } from './database-not-opened.js';
import { sqliteOptions } from '../testing/temporary-database.js';

describe('The error for a database that cannot be opened', () => {
  it('starts with the command to run after a switch to another version of Node', () => {
    const cause = new Error(
      "The module '/app/better_sqlite3.node'\nwas compiled against a different Node.js version using\n" +
        'NODE_MODULE_VERSION 115. This version of Node.js requires\nNODE_MODULE_VERSION 137. Please try re-compiling.',
    );

    expect(new DatabaseNotOpened(sqliteOptions('/data/store.db'), cause).message).toBe(
      `Run "npm rebuild better-sqlite3": it was installed for another version of Node than this one (${process.version}).`,
    );
  });

  it('starts with the command to run when the program of the package is missing', () => {
    const cause = new Error('Could not locate the bindings file. Tried:\n → /app/build/better_sqlite3.node');

    expect(new DatabaseNotOpened(sqliteOptions('/data/store.db'), cause).message).toBe(
      'Run "npm rebuild better-sqlite3": its program for this machine is missing.',
    );
  });

  it('names the database and the cause', () => {
    const cause = new Error('file is not a\ndatabase.');

    expect(new DatabaseNotOpened(sqliteOptions('/data/store.db'), cause).message).toBe(
      'The database file /data/store.db cannot be opened: file is not a database.',
    );
  });
});
