import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import { errorCode } from '../driver-errors.js';
import type { SoleUser } from '../opening/database-options.js';
import { createFile } from './sqlite-files.js';

/** How long SQLite itself waits while a process reads the name of the holder. Nothing else runs in this process yet. */
const BUSY_TIMEOUT_MS = 100;
const RETRY_MS = 20;

const CREATE =
  'CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL)';
const NAME_HOLDER = 'INSERT INTO holder VALUES (1, ?) ON CONFLICT DO UPDATE SET name = excluded.name';
const READ_HOLDER = 'SELECT name FROM holder';

/**
 * A lock on the database `file` that ends with its process, however the process ends: an open write transaction on a
 * small database beside it. The operating system ties the lock to the process and not to its number. So a restarted
 * container whose process has the same number does not inherit the lock. The lock has its own file, because the
 * database must stay open to the `keys` command line and to backups.
 */
export class FileLock {
  private constructor(
    private readonly connection: Connection,
    /** The locked file. If it is deleted, another process can take the lock as well. */
    readonly file: string,
  ) {}

  /** @throws Error when another process has it for longer than the time-out. */
  static async acquire(file: string, user: SoleUser, timeoutMs: number): Promise<FileLock> {
    const since = new Date(user.nowMs).toISOString();
    const name = `${user.name} (process ${process.pid} on ${hostname()}, since ${since})`;
    const lockFile = `${file}-lock`;
    createFile(lockFile);
    const connection = new SqliteConnection(lockFile, { timeout: BUSY_TIMEOUT_MS });
    try {
      for (
        const deadlineMs = performance.now() + timeoutMs;
        !tryAcquire(connection, name);
        await delay(RETRY_MS)
      ) {
        if (performance.now() < deadlineMs) continue;
        throw new Error(`it is in use by ${lockOwner(connection)}, and only one process can use a file`);
      }
    } catch (error) {
      connection.close();
      throw error;
    }
    return new FileLock(connection, lockFile);
  }

  release(): void {
    this.connection.close();
  }
}

/** Attempts to acquire the lock for `name`. */
function tryAcquire(connection: Connection, name: string): boolean {
  try {
    connection.exec(CREATE);
    // Two transactions: the name of the holder is readable only after the first is committed.
    connection.prepare(NAME_HOLDER).run(name);
    connection.exec('BEGIN IMMEDIATE');
    // Another process may have acquired and released the lock between the two statements.
    if (lockOwner(connection) === name) return true;
  } catch (error) {
    if (!errorCode(error).startsWith('SQLITE_BUSY')) throw error;
  }
  if (connection.inTransaction) connection.exec('ROLLBACK');
  return false;
}

function lockOwner(connection: Connection): string {
  const row = connection.prepare(READ_HOLDER).get() as { name: string } | undefined;
  return row?.name ?? 'another process';
}
