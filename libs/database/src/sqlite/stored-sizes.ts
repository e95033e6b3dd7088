import type { Database as Connection, Statement } from 'better-sqlite3';
import { errorCode } from '../driver-errors.js';
import type { OpenedFiles } from './sqlite-files.js';

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Detects that the file or the write-ahead log of an open database was cut or overwritten, by their sizes. SQLite does
 * not notice: it appends where the log ended, and after a crash it reads the log up to the first gap. SQLite reports
 * what the sizes should be only when they have changed otherwise than by a commit of this process.
 */
export class StoredSizes {
  private readonly dataVersion: Statement;
  private readonly pageCount: Statement;
  private readonly logState: Statement;
  private readonly pageBytes: number;
  private knownVersion: unknown;
  private known: OpenedFiles['sizes'];
  /** Before the first commit SQLite itself derives the count of pages from the size of the file. */
  private hasCommitted: boolean;

  constructor(
    private readonly files: OpenedFiles,
    private readonly connection: Connection,
  ) {
    const pragma = (name: string) => connection.prepare(`PRAGMA ${name}`);
    this.dataVersion = pragma('data_version').pluck();
    this.pageCount = pragma('page_count').pluck();
    this.logState = pragma('wal_checkpoint(NOOP)');
    this.pageBytes = pragma('page_size').pluck().get() as number;
    this.knownVersion = this.dataVersion.get();
    this.known = { ...files.sizes };
    this.hasCommitted = this.loggedFrames() > 0;
  }

  /**
   * What happened to the file or the log, as a message for the operator; null when nothing did. Call it when the files
   * have been checked, outside a transaction.
   * @param isCommitted whether this process has committed since the last call
   */
  damage(isCommitted: boolean): string | null {
    const { files, known } = this;
    const { fileBytes, logBytes } = files.sizes;
    this.hasCommitted ||= isCommitted;
    const isLogAsExpected = isCommitted ? logBytes >= known.logBytes : logBytes === known.logBytes;
    if (!isLogAsExpected || fileBytes !== known.fileBytes) {
      const version = this.dataVersion.get();
      const isByOthers = version !== this.knownVersion;
      const mayLogDiffer = isLogAsExpected || isCommitted || isByOthers;
      // The next call sees what they have committed.
      if (!mayLogDiffer && this.isBeingWritten()) return null;
      if (!mayLogDiffer || !this.isLogWhole()) return `${files.log} was cut or overwritten`;
      if (!isByOthers && !this.isFileWhole()) return `${files.file} was cut or overwritten`;
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
    return frames === 0 || this.files.sizes.logBytes >= bytes;
  }

  /** Whether the file is as long as before, or as a part of the log makes it that was moved to it. */
  private isFileWhole(): boolean {
    const { known, files } = this;
    const bytes = this.hasCommitted ? (this.pageCount.get() as number) * this.pageBytes : known.fileBytes;
    const { fileBytes } = files.sizes;
    return fileBytes >= Math.min(known.fileBytes, bytes) && fileBytes <= Math.max(known.fileBytes, bytes);
  }
}
