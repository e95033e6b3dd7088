import { Logger } from '@nestjs/common';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { StorageUnavailable } from '@animal-store/kernel';
import { reportListenerTo } from '../database.js';
import type { FileLock } from './file-lock.js';
import type { SqlValue } from '../sql-session.js';
import { PreparedStatements } from './prepared-statements.js';
import { entityManagerWithin } from '../entity-manager.js';
import { connectionOf, newRunner, readIntegersExactly } from '../opening/typeorm-internals.js';
import { OpenedFiles } from './sqlite-files.js';
import type { ManagerFor } from './sqlite-transaction.js';
import { errorCode, UniqueViolation } from '../driver-errors.js';
import { WriteQueue } from './write-queue.js';

/** SQLite result codes for a file that cannot be used now; the statement itself may be fine. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|NOMEM|PROTOCOL|CORRUPT|NOTADB)/;
/**
 * Result codes that mean that the file or its log is damaged, such as one that is shorter than it was. Writing to it
 * could make the damage worse.
 */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR_(SHORT_READ|CORRUPTFS|DATA))/;

/**
 * The log is moved to the file when it has so many pages. SQLite itself would do it at 1,000: an order writes about
 * three pages, and moving them costs half as much when four times as many are moved together.
 */
const MAX_LOGGED_PAGES = 4_000;
/** How long a check of the files counts for reads. */
const CHECKED_FOR_MS = 1_000;

export interface SqliteFileParts {
  readonly file: string;
  /** How long a write waits while another process writes. */
  readonly lockTimeoutMs: number;
  /** Released when the database is closed. */
  readonly lock: FileLock | null;
}

/**
 * The opened file. All writes go through one queue on one connection. Reads use a second, read-only connection, which
 * in WAL mode sees only committed rows.
 *
 * SQLite never waits for a lock here, as the whole process would wait with it. A write is acknowledged only when it is
 * on the disk in the file of that name (decision 2).
 */
export class SqliteFile {
  readonly writes: PreparedStatements;
  readonly files: OpenedFiles;
  readonly queue: WriteQueue;
  private readonly logger = new Logger('SqliteDatabase');
  private readonly reads: PreparedStatements;
  private readonly reader: Connection;
  private readonly writer: Connection;
  private failure: StorageUnavailable | null = null;
  private isDamaged = false;
  private checkedAtMs = -Infinity;

  constructor(
    private readonly dataSource: DataSource,
    private readonly parts: SqliteFileParts,
  ) {
    const { file, lock, lockTimeoutMs } = parts;
    this.writer = connectionOf(dataSource);
    this.writer.pragma('busy_timeout = 0');
    this.writer.pragma(`wal_autocheckpoint = ${MAX_LOGGED_PAGES}`);
    this.reader = new SqliteConnection(file, { readonly: true, fileMustExist: true, timeout: 0 });
    this.reads = new PreparedStatements(this.reader, this.translated);
    this.writes = new PreparedStatements(this.writer, this.translated);
    // The connection opens the log with its first read. See `close`.
    this.reader.pragma('schema_version');
    this.files = new OpenedFiles(file, lock ? [lock.file] : [], this.writer);
    this.queue = new WriteQueue({
      connection: this.writer,
      statements: this.writes,
      managerFor: this.managerMaker(),
      lockTimeoutMs,
      logger: this.logger,
      reportListener: reportListenerTo(this.logger),
      assertUsable: () => this.assertUsable(),
      damage: () => (this.isDamaged ? this.failure : null),
      check: (isCommitted) => this.checkFiles(isCommitted),
    });
  }

  private managerMaker(): ManagerFor {
    const { dataSource, writer } = this;
    readIntegersExactly(dataSource);
    const runner = newRunner(dataSource);
    const connection = { prepare: (sql: string) => writer.prepare(sql).safeIntegers(true) };
    const connect = () => Promise.resolve(connection);
    return (transaction) => entityManagerWithin({ ...transaction, connect }, dataSource, runner);
  }

  /** @param isOnce for a text that is not prepared again */
  read<Row>(sql: string, parameters: readonly SqlValue[], isOnce: boolean): Row[] {
    this.assertUsable();
    const statements = isOnce ? new PreparedStatements(this.reader, this.translated) : this.reads;
    return statements.run<Row>(sql, parameters);
  }

  check(): void {
    this.checkFiles();
    this.read('SELECT count(*) FROM sqlite_schema', [], false);
  }

  assertUsable(): void {
    if (performance.now() - this.checkedAtMs >= CHECKED_FOR_MS) this.checkFiles();
    if (this.failure) throw this.failure;
  }

  async close(): Promise<void> {
    await this.queue.drained();
    try {
      // The last connection to the log moves it to the file, unless it is read-only. A damaged log would be moved in
      // part.
      if (this.isDamaged) await this.dataSource.destroy();
      this.reader.close();
      if (!this.isDamaged) await this.dataSource.destroy();
    } finally {
      this.parts.lock?.release();
    }
  }

  /**
   * Checks that the files are still the ones that were opened, and as long as they should be.
   * @returns the error for every read and write while they do not; null while they do.
   */
  private checkFiles(isCommitted = false): StorageUnavailable | null {
    // An open transaction checks the files when it ends.
    if (this.writer.inTransaction) return this.failure;
    this.checkedAtMs = performance.now();
    const problem = this.files.problem();
    if (problem === null) {
      const failure = this.sizeFailure(isCommitted);
      if (failure) return failure;
    }
    if ((problem === null) === (this.failure === null)) return this.failure;
    if (problem === null) {
      this.logger.log('The files of the database are back. The service uses them again.');
      return (this.failure = null);
    }
    this.logger.error(
      `${problem} while the service had it open. Nothing is read or stored until it is back or the service is restarted.`,
    );
    // The log may have been deleted.
    this.moveLog();
    return (this.failure = new StorageUnavailable(new Error(`${problem}.`)));
  }

  /** The error for what follows when the files have lost something or cannot be checked now; otherwise null. */
  private sizeFailure(isCommitted: boolean): StorageUnavailable | null {
    // A damaged file stays damaged.
    if (this.isDamaged) return this.failure;
    try {
      const damage = this.files.damage(isCommitted);
      if (damage === null) return null;
      const failure = new StorageUnavailable(new Error(`${damage}.`));
      this.noteDamage(`${damage} while the service had it open`, failure);
      return failure;
    } catch (error) {
      this.translated(error);
      return new StorageUnavailable(error);
    }
  }

  /** Moves the content of the write-ahead log to the database file. */
  private moveLog(): void {
    try {
      this.writer.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      this.translated(error);
      this.logger.error('The write-ahead log could not be moved to the database file.', error);
    }
  }

  /** Notes damage wherever it is met, also when the caller ignores the error. */
  private readonly translated = (error: unknown): unknown => {
    const code = errorCode(error);
    if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
      return new UniqueViolation(error);
    if (!UNAVAILABLE.test(code)) return error;
    const unavailable = new StorageUnavailable(error);
    if (DAMAGED.test(code)) this.noteDamage(`${this.parts.file} is damaged (${code})`, unavailable);
    return unavailable;
  };

  private noteDamage(damage: string, failure: StorageUnavailable): void {
    if (this.isDamaged) return;
    this.isDamaged = true;
    this.failure = failure;
    this.logger.error(
      `${damage}. Nothing is read or stored any more. Restore a backup and restart the service.`,
    );
  }
}
