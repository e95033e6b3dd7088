import { DatabaseNotOpened } from './database-not-opened.js';
import { postgresAt, sqliteOptions } from '../testing/temporary-database.js';

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
      'says what to write for a server whose certificate no authority has signed',
      'self-signed certificate',
      'The database file /data/store.db cannot be opened: self-signed certificate. Add "sslmode=verify-full&sslrootcert=<file>" with the certificate of the server or of its authority to the URL, or "sslmode=no-verify", which encrypts but trusts whoever responds.',
    ],
    [
      'says so of each of several hosts',
      'no host is a primary (db1: unable to verify the first certificate; db2: connect ECONNREFUSED)',
      'The database file /data/store.db cannot be opened: no host is a primary (db1: unable to verify the first certificate; db2: connect ECONNREFUSED). Add "sslmode=verify-full&sslrootcert=<file>" with the certificate of the server or of its authority to the URL, or "sslmode=no-verify", which encrypts but trusts whoever responds.',
    ],
    [
      'names the database and the cause',
      'file is not a\ndatabase.',
      'The database file /data/store.db cannot be opened: file is not a database.',
    ],
  ])('%s', (_, cause, message) => {
    expect(new DatabaseNotOpened(sqliteOptions('/data/store.db'), new Error(cause)).message).toBe(message);
  });

  it('names the folder of a socket, which comes before the host', () => {
    const url = 'postgres://store:hunter2@localhost/store?host=/cloudsql/project:region:instance';
    expect(new DatabaseNotOpened(postgresAt(url), new Error('connect ENOENT')).message).toBe(
      'The database at /cloudsql/project:region:instance/store cannot be opened: connect ENOENT.',
    );
  });
});
