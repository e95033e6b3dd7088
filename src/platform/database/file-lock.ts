import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import { errorCode } from './error-code.js';
import { createFile } from './sqlite-files.js';

export interface LockOptions {
  /** Who takes it, for whoever finds it taken: 'the server'. */
  readonly holder: string;
  /** The time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** How long to wait for the one who has it. */
  readonly timeoutMs: number;
}

/** Another process has the lock. */
export class LockHeld extends Error {
  constructor(holder: string) {
    super(`it is in use by ${holder}, and a file is for one at a time`);
    this.name = 'LockHeld';
  }
}

/** How long SQLite itself waits, for those who look who has the lock; nothing else runs in this process yet. */
const LOOK_MS = 100;
const RETRY_MS = 20;

const CREATE =
  'CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL)';
const SAY = 'INSERT INTO holder VALUES (1, ?) ON CONFLICT DO UPDATE SET name = excluded.name';
const ASK = 'SELECT name FROM holder';

/**
 * A lock on the database `file` that ends with its process, however that ends: an open write transaction on a small
 * database beside it. The operating system holds it, by process and not by number, so that a process of the same number
 * in the same place, as after the restart of a container, is not taken for the one before. The lock is on a file of its
 * own as the database itself has to stay open to the `keys` command line and to backups.
 */
export class FileLock {
  private constructor(
    private readonly connection: Connection,
    /** What the lock is on. Without it somebody else could take the lock too. */
    readonly file: string,
  ) {}

  /** @throws LockHeld when somebody else has it for longer than the time-out. */
  static async acquire(file: string, { holder, nowMs, timeoutMs }: LockOptions): Promise<FileLock> {
    const name = `${holder} (process ${process.pid} on ${hostname()}, since ${new Date(nowMs).toISOString()})`;
    const lockFile = `${file}-lock`;
    createFile(lockFile);
    const connection = new SqliteConnection(lockFile, { timeout: LOOK_MS });
    try {
      for (
        const giveUpAtMs = performance.now() + timeoutMs;
        !isTaken(connection, name);
        await delay(RETRY_MS)
      ) {
        if (performance.now() >= giveUpAtMs) throw new LockHeld(holderOf(connection));
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

/** Whether the lock is taken for `name` now. */
function isTaken(connection: Connection, name: string): boolean {
  try {
    connection.exec(CREATE);
    // Two transactions, as nobody can read who has the lock before the first is committed.
    connection.prepare(SAY).run(name);
    connection.exec('BEGIN IMMEDIATE');
    // Somebody else may have been between the two, and gone again.
    if (holderOf(connection) === name) return true;
  } catch (error) {
    if (!errorCode(error).startsWith('SQLITE_BUSY')) throw error;
  }
  if (connection.inTransaction) connection.exec('ROLLBACK');
  return false;
}

function holderOf(connection: Connection): string {
  const row = connection.prepare(ASK).get() as { name: string } | undefined;
  return row?.name ?? 'another process';
}
