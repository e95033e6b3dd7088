import {
  type BigIntStats,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Database as Connection, Statement } from 'better-sqlite3';
import { errorCode } from '../driver-errors.js';

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Only the owner may read the database. SQLite gives `-wal` and `-shm` the mode of the database file. */
const OWNER_ONLY = 0o600;

/**
 * Creates the database file and its folders, unless they exist.
 * @throws when the name belongs to something other than a file, or a folder cannot be created.
 */
export function prepareFile(file: string): void {
  createFolder(dirname(resolve(file)));
  createFile(file);
}

/** Creates an empty file that only its owner may read, unless it exists. */
export function createFile(file: string): void {
  // Never opens an existing file: closing it would release the locks that SQLite has on it for this process.
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openSync(file, 'wx', OWNER_ONLY));
  // Reading a pipe or a device may block forever.
  else if (!found.isFile()) throw new Error(`${file} is not a regular file`);
}

/** Folder by folder: `mkdir` with `recursive` never returns where no folder can be created, as below /proc. */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  mkdirSync(folder);
}

/**
 * Detects whether the files of an open database are still the ones that were opened, and, by their sizes, whether one
 * was cut or overwritten. SQLite does not notice that: it appends where the log ended, and after a crash it reads the
 * log up to the first gap. SQLite reports what the sizes should be only when they have changed otherwise than by a
 * commit of this process.
 */
export class OpenedFiles {
  private readonly log: string;
  private readonly opened: ReadonlyMap<string, string>;
  /** When `problem` was called last. */
  private readonly sizes = { fileBytes: 0, logBytes: 0 };
  /** When there was no damage. */
  private readonly known: OpenedFiles['sizes'];
  private readonly dataVersion: Statement;
  private readonly pageCount: Statement;
  private readonly logState: Statement;
  private readonly pageBytes: number;
  private knownVersion: unknown;
  /** Before the first commit SQLite itself takes the count of pages from the size of the file. */
  private hasCommitted: boolean;

  /**
   * @param file an open database, so that its write-ahead log exists.
   * @param others further files that must stay.
   */
  constructor(
    private readonly file: string,
    others: readonly string[],
    private readonly connection: Connection,
  ) {
    // SQLite resolves links before it names the write-ahead log and its index.
    const name = realpathSync(file);
    this.log = `${name}-wal`;
    const names = [file, this.log, `${name}-shm`, ...others];
    this.opened = new Map(names.map((each) => [each, identityOf(statOf(each))]));
    this.problem();
    const pragma = (sql: string) => connection.prepare(`PRAGMA ${sql}`);
    this.dataVersion = pragma('data_version').pluck();
    this.pageCount = pragma('page_count').pluck();
    this.logState = pragma('wal_checkpoint(NOOP)');
    this.pageBytes = pragma('page_size').pluck().get() as number;
    this.knownVersion = this.dataVersion.get();
    this.known = { ...this.sizes };
    this.hasCommitted = this.loggedFrames() > 0;
  }

  /** The size of the write-ahead log; null when it was deleted. */
  get logBytes(): number | null {
    const found = statOf(this.log);
    return found ? Number(found.size) : null;
  }

  /** What may still be written to the disk of the files; null when they were deleted. */
  get freeDiskBytes(): number | null {
    if (this.logBytes === null) return null;
    const { bavail, bsize } = statfsSync(this.log);
    return bavail * bsize;
  }

  /**
   * What happened to the files, as a message for the operator; null while they are unchanged. Takes a few microseconds.
   */
  problem(): string | null {
    for (const [name, opened] of this.opened) {
      const found = statOf(name);
      if (identityOf(found) !== opened) return `${name} ${found ? 'was replaced' : 'was deleted'}`;
      if (name === this.file) this.sizes.fileBytes = Number(found!.size);
      if (name === this.log) this.sizes.logBytes = Number(found!.size);
    }
    return null;
  }

  /**
   * What happened to the file or the log, as a message for the operator; null when nothing did. Call it after
   * `problem`, outside a transaction.
   * @param isCommitted whether this process has committed since the last call
   */
  damage(isCommitted: boolean): string | null {
    const { known } = this;
    const { fileBytes, logBytes } = this.sizes;
    this.hasCommitted ||= isCommitted;
    const isLogAsExpected = isCommitted ? logBytes >= known.logBytes : logBytes === known.logBytes;
    if (!isLogAsExpected || fileBytes !== known.fileBytes) {
      const version = this.dataVersion.get();
      const isByOthers = version !== this.knownVersion;
      const mayLogDiffer = isLogAsExpected || isCommitted || isByOthers;
      // The next call sees what they have committed.
      if (!mayLogDiffer && this.isBeingWritten()) return null;
      if (!mayLogDiffer || !this.isLogWhole()) return `${this.log} was cut or overwritten`;
      if (!isByOthers && !this.isFileWhole()) return `${this.file} was cut or overwritten`;
      this.knownVersion = version;
    }
    known.fileBytes = fileBytes;
    known.logBytes = logBytes;
    return null;
  }

  /** Whether another process writes, which makes the log longer before its commit, or has just committed. */
  private isBeingWritten(): boolean {
    const { connection } = this;
    try {
      connection.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (errorCode(error).startsWith('SQLITE_BUSY')) return true;
      throw error;
    }
    connection.exec('ROLLBACK');
    return this.dataVersion.get() !== this.knownVersion;
  }

  private loggedFrames(): number {
    return (this.logState.get() as { log: number }).log;
  }

  /** Whether the log is as long as SQLite says. It is longer when SQLite has begun it anew. */
  private isLogWhole(): boolean {
    const frames = this.loggedFrames();
    const bytes = LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + this.pageBytes);
    return frames === 0 || this.sizes.logBytes >= bytes;
  }

  /** Whether the file is as long as before, or as a part of the log makes it that was moved to it. */
  private isFileWhole(): boolean {
    const { known } = this;
    const bytes = this.hasCommitted ? (this.pageCount.get() as number) * this.pageBytes : known.fileBytes;
    const { fileBytes } = this.sizes;
    return fileBytes >= Math.min(known.fileBytes, bytes) && fileBytes <= Math.max(known.fileBytes, bytes);
  }
}

function statOf(name: string): BigIntStats | undefined {
  try {
    return statSync(name, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A parent folder may have become inaccessible.
    return undefined;
  }
}

/** Device and inode. While a file is open, no other file gets its inode, even after it is deleted. */
function identityOf(found: BigIntStats | undefined): string {
  return found ? `${found.dev} ${found.ino}` : 'gone';
}
