import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import { errorCode } from '../driver-errors.js';
import { createFile } from './sqlite-files.js';

export interface LockOptions {
  /** Shown to other processes that find the file locked, such as 'the server'. */
  readonly holder: string;
  /** The time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** How long to wait for the process that has it. */
  readonly timeoutMs: number;
}

/** Another process has the lock. */
export class FileLocked extends Error {
  constructor(holder: string) {
    super(`it is in use by ${holder}, and only one process can use a file`);
    this.name = 'FileLocked';
  }
}

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

  /** @throws FileLocked when another process has it for longer than the time-out. */
  static async acquire(file: string, { holder, nowMs, timeoutMs }: LockOptions): Promise<FileLock> {
    const name = `${holder} (process ${process.pid} on ${hostname()}, since ${new Date(nowMs).toISOString()})`;
    const lockFile = `${file}-lock`;
    createFile(lockFile);
    const connection = new SqliteConnection(lockFile, { timeout: BUSY_TIMEOUT_MS });
    try {
      for (
        const deadlineMs = performance.now() + timeoutMs;
        !tryAcquire(connection, name);
        await delay(RETRY_MS)
      ) {
        if (performance.now() >= deadlineMs) throw new FileLocked(lockOwner(connection));
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
