import { setTimeout as delay } from 'node:timers/promises';
import SqliteConnection, { type Database as Connection, type Statement } from 'better-sqlite3';
import type { DataSource, EntityManager } from 'typeorm';
import { StorageUnavailable, type Transaction } from '@animal-store/kernel';
import { Database } from '../database.js';
import type { FileLock } from './file-lock.js';
import { type InsertRow, type InsertSql, SqlTransaction, type SqlValue } from '../sql-session.js';
import { SqliteEntityManagers } from './sqlite-entity-managers.js';
import { OpenedFiles } from './sqlite-files.js';
import { StoredContent } from './stored-content.js';
import { errorCode, UniqueViolation } from '../driver-errors.js';

/** SQLite result codes for a file that cannot be used now; the statement itself may be fine. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|NOMEM|PROTOCOL|CORRUPT|NOTADB)/;
/** Result codes that mean that another process is writing. */
const LOCKED = /^SQLITE_(BUSY|LOCKED)/;
/**
 * Result codes that mean that the file or its log is damaged, such as one that is shorter than it was. Writing to it could
 * make the damage worse.
 */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB|IOERR_(SHORT_READ|CORRUPTFS|DATA))/;

/** More writes than this are refused. Connections cannot bring as many unless the queue is stuck. */
const MAX_WAITING = 10_000;
/** How often a write is retried while another process writes. */
const LOCK_RETRY_MS = 5;
/** How often the files are checked while nothing is written. */
const FILE_CHECK_MS = 1_000;

export interface SqliteParts {
  readonly file: string;
  /** How long a write waits while another process writes. */
  readonly lockTimeoutMs: number;
  /** Released when the database is closed. */
  readonly lock: FileLock | null;
}

/** A unit of work in the queue, or one statement. */
class QueuedWrite {
  private transaction: SqliteTransaction | null = null;
  private hasFailed = false;
  private result: unknown;
  private error: unknown;

  constructor(
    readonly work: ((transaction: Transaction) => Promise<unknown>) | null,
    /** Runs at once, when it is all that there is to do. SQLite itself undoes a statement that fails. */
    readonly statement: (() => unknown) | null,
    private readonly resolve: (result: unknown) => void,
    readonly reject: (error: unknown) => void,
    /** By the clock of `performance`. */
    readonly arrivedAtMs: number,
  ) {}

  begin(transaction: SqliteTransaction): SqliteTransaction {
    return (this.transaction = transaction);
  }

  succeed(result: unknown): void {
    this.transaction?.end();
    this.result = result;
  }

  fail(error: unknown): void {
    this.transaction?.end();
    this.error = error;
    this.hasFailed = true;
  }

  /**
   * Settles the caller's promise. Call it when the batch is committed.
   * @param failure why the commit does not count although SQLite made it; null when it counts
   * @param report gets the errors of commit listeners
   */
  settle(failure: StorageUnavailable | null, report: (error: unknown) => void): void {
    if (this.hasFailed) return this.reject(this.error);
    this.transaction?.committed(report);
    if (failure) this.reject(failure);
    else this.resolve(this.result);
  }
}

/**
 * The embedded database. All writes go through one queue on one connection. Writes that arrive in one turn of the event
 * loop share one transaction and one fsync; when there are several, those of the next turn join them. Each unit of work
 * runs in a savepoint, so that one that fails does not fail the others, and no caller gets a result before the commit.
 * Reads use a second, read-only connection, which in WAL mode sees only committed rows.
 *
 * SQLite never waits for a lock here, as the whole process would wait with it: writes stay in the queue while another
 * process writes. A write is acknowledged only when it is on the disk in the file of that name
 * (decision 12).
 */
export class SqliteDatabase extends Database {
  readonly dialect = 'sqlite' as const;
  readonly background = this;
  private readonly reads: PreparedStatements;
  private readonly writes: PreparedStatements;
  private readonly entityManagers: SqliteEntityManagers;
  private readonly reader: Connection;
  private readonly writer: Connection;
  private readonly files: OpenedFiles;
  private readonly content: StoredContent;
  private readonly fileChecks: NodeJS.Timeout;
  // Two arrays that are swapped. V8 would treat a new array for each batch as long-lived and move it to the old
  // generation, together with everything that it references.
  private waiting: QueuedWrite[] = [];
  private batch: QueuedWrite[] = [];
  private draining: Promise<void> | null = null;
  private isLockedOut = false;
  private failure: StorageUnavailable | null = null;
  private isDamaged = false;

  constructor(
    protected readonly dataSource: DataSource,
    private readonly parts: SqliteParts,
  ) {
    super();
    const { file, lock } = parts;
    this.writer = (dataSource.driver as unknown as { databaseConnection: Connection }).databaseConnection;
    this.writer.pragma('busy_timeout = 0');
    this.reader = new SqliteConnection(file, { readonly: true, fileMustExist: true, timeout: 0 });
    this.reads = new PreparedStatements(this.reader, this.translated);
    this.writes = new PreparedStatements(this.writer, this.translated);
    this.entityManagers = new SqliteEntityManagers(dataSource, this.writer);
    // The connection opens the log with its first read. See `close`.
    this.reader.pragma('schema_version');
    this.files = new OpenedFiles(file, lock ? [lock.file] : []);
    this.content = new StoredContent(this.writer, file, this.files.log);
    this.fileChecks = setInterval(() => this.checkFiles(), FILE_CHECK_MS).unref();
  }

  async query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    this.assertUsable();
    return this.reads.run<Row>(sql, parameters);
  }

  get queueLength(): number {
    return this.waiting.length;
  }

  async check(): Promise<void> {
    this.checkFiles();
    await this.query('SELECT count(*) FROM sqlite_schema');
  }

  assertUsable(): void {
    if (this.failure) throw this.failure;
  }

  override get logBytes(): number | null {
    return this.files.logBytes;
  }

  override get freeDiskBytes(): number | null {
    return this.files.freeDiskBytes;
  }

  override inserter(statement: InsertSql): InsertRow {
    return (values) => this.enqueue<bigint>(null, () => this.writes.insert(statement.single, values));
  }

  protected begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.enqueue<T>(work, null);
  }

  private enqueue<T>(work: QueuedWrite['work'], statement: QueuedWrite['statement']): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.assertUsable();
      if (this.waiting.length === MAX_WAITING) {
        throw new StorageUnavailable(new Error(`More than ${MAX_WAITING} writes are waiting.`));
      }
      const succeed = resolve as (result: unknown) => void;
      this.waiting.push(new QueuedWrite(work, statement, succeed, reject, performance.now()));
      this.draining ??= this.drain();
    });
  }

  async close(): Promise<void> {
    clearInterval(this.fileChecks);
    await this.draining;
    this.content.close();
    try {
      // The last connection to the log moves it to the file, unless it is read-only. A damaged log would be moved in part.
      if (this.isDamaged) await this.dataSource.destroy();
      this.reader.close();
      if (!this.isDamaged) await this.dataSource.destroy();
    } finally {
      this.parts.lock?.release();
    }
  }

  private async drain(): Promise<void> {
    // Waits one turn of the event loop, so that everything that arrived with the first write joins its transaction.
    // When it did not come alone, more is probably on its way, and a commit costs more than another turn.
    await new Promise(setImmediate);
    if (this.waiting.length > 1) await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const { waiting, batch } = this;
      this.waiting = batch;
      this.batch = waiting;
      if (!(await this.commit(waiting))) await delay(LOCK_RETRY_MS);
      waiting.length = 0;
    }
    this.draining = null;
  }

  /** @returns false when another process is writing. The writes then wait again, except those that have waited too long. */
  private async commit(batch: readonly QueuedWrite[]): Promise<boolean> {
    try {
      if (!this.beginTransaction()) {
        this.requeue(batch);
        return false;
      }
      await this.runEach(batch);
      if (this.isDamaged) this.assertUsable();
      this.writes.command('COMMIT');
    } catch (error) {
      this.abandon();
      for (const write of batch) write.reject(error);
      return true;
    }
    // After the commit, as the files may have been deleted before it, unnoticed.
    const failure = this.checkFiles();
    for (const write of batch) write.settle(failure, this.reportListener);
    return true;
  }

  /**
   * Runs the writes in the open transaction.
   * @throws when nothing of the transaction can be stored
   */
  private async runEach(batch: readonly QueuedWrite[]): Promise<void> {
    const { writes, writer, entityManagers } = this;
    for (const write of batch) {
      const { work, statement } = write;
      if (work) writes.command('SAVEPOINT write');
      // Inline, as a function would add a promise for every write.
      try {
        if (work)
          write.succeed(await work(write.begin(new SqliteTransaction(writes, writer, entityManagers))));
        else write.succeed(statement!());
      } catch (error) {
        write.fail(error);
        // On some errors, such as a full disk, SQLite itself rolls back the whole transaction.
        if (!writer.inTransaction) throw error;
        if (work) writes.command('ROLLBACK TO write');
      }
      if (work) writes.command('RELEASE write');
    }
  }

  /** @returns false when another process is writing. */
  private beginTransaction(): boolean {
    try {
      // After a commit it would be as long as it should be, with a gap.
      const failure = this.contentFailure();
      if (failure) throw failure;
      this.writes.command('BEGIN IMMEDIATE');
    } catch (error) {
      if (LOCKED.test(causeCode(error))) return false;
      throw error;
    }
    if (this.isLockedOut) this.logger.log('Writes succeed again.');
    this.isLockedOut = false;
    return true;
  }

  /** Puts the writes back at the front of the queue. Those that have waited too long are rejected. */
  private requeue(batch: readonly QueuedWrite[]): void {
    const { lockTimeoutMs } = this.parts;
    const oldestMs = performance.now() - lockTimeoutMs;
    const waiting = batch.filter(({ arrivedAtMs }) => arrivedAtMs > oldestMs);
    this.waiting.unshift(...waiting);
    if (waiting.length === batch.length) return;
    const message = `Another process has been writing to the database for more than ${lockTimeoutMs} ms`;
    if (!this.isLockedOut) this.logger.warn(`${message}: writes fail until it is done.`);
    this.isLockedOut = true;
    const error = new StorageUnavailable(new Error(`${message}.`));
    for (const write of batch) if (write.arrivedAtMs <= oldestMs) write.reject(error);
  }

  /** Never throws, as the queue must continue. A failed rollback shows at the next BEGIN. */
  private abandon(): void {
    try {
      if (this.writer.inTransaction) this.writes.command('ROLLBACK');
    } catch (error) {
      this.logger.error('A failed transaction could not be rolled back.', error);
    }
  }

  /**
   * Checks that the files are still the ones that were opened, and contain what was written to them.
   * @returns the error for every read and write while they do not; null while they do.
   */
  private checkFiles(): StorageUnavailable | null {
    // An open transaction checks the files when it ends.
    if (this.writer.inTransaction) return this.failure;
    const failure = this.contentFailure();
    if (failure) return failure;
    const problem = this.files.problem();
    if ((problem === null) === (this.failure === null)) return this.failure;
    if (problem === null) {
      this.logger.log('The files of the database are back. The service uses them again.');
      return (this.failure = null);
    }
    this.logger.error(
      `${problem} while the service had it open. Nothing is read or stored until it is back or the service is restarted.`,
    );
    this.saveLog();
    return (this.failure = new StorageUnavailable(new Error(`${problem}.`)));
  }

  /** The error for what follows when the content of the files is damaged or cannot be checked now; otherwise null. */
  private contentFailure(): StorageUnavailable | null {
    // A damaged file stays damaged.
    if (this.isDamaged) return this.failure;
    try {
      const damage = this.content.damage();
      if (damage === null) return null;
      const failure = new StorageUnavailable(new Error(`${damage}.`));
      this.noteDamage(`${damage} while the service had it open`, failure);
      return failure;
    } catch (error) {
      this.translated(error);
      return new StorageUnavailable(error);
    }
  }

  /** Moves the content of the write-ahead log to the database file, in case the log was deleted. */
  private saveLog(): void {
    try {
      this.writer.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
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

/** The SQLite result code behind a StorageUnavailable; '' for any other error. */
function causeCode(error: unknown): string {
  return error instanceof StorageUnavailable ? errorCode(error.cause) : '';
}

class SqliteTransaction extends SqlTransaction {
  private ended = false;

  constructor(
    private readonly statements: PreparedStatements,
    private readonly connection: Connection,
    private readonly entityManagers: SqliteEntityManagers,
  ) {
    super();
  }

  async query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    this.requireOpen();
    return this.statements.run<Row>(sql, parameters);
  }

  async insert({ single }: InsertSql, values: readonly SqlValue[]): Promise<bigint> {
    this.requireOpen();
    return this.statements.insert(single, values);
  }

  entityManager(): EntityManager {
    return this.entityManagers.managerFor({
      requireOpen: () => this.requireOpen(),
      translated: this.statements.translated,
    });
  }

  end(): void {
    this.ended = true;
  }

  private requireOpen(): void {
    // SQLite ends the transaction by itself on some errors. Work that ignores such an error must not write outside a
    // transaction.
    if (this.ended || !this.connection.inTransaction)
      throw new Error('This transaction has ended; the statement would run in another one.');
  }
}

interface Prepared {
  readonly statement: Statement;
  /** Whether its placeholders have numbers, as in `$1`. Those of `?` take the values in their order. */
  readonly isNumbered: boolean;
  readonly toRow: ToRow;
}

/** The statements of one connection, prepared at first use. Integers are read as bigint, so int64 is exact. */
class PreparedStatements {
  private readonly prepared = new Map<string, Prepared>();
  private readonly commands = new Map<string, Statement>();

  constructor(
    private readonly connection: Connection,
    /** Gives the error of this service for one of the driver. */
    readonly translated: (error: unknown) => unknown,
  ) {}

  /** Begins or ends a transaction or a savepoint. */
  command(sql: string): void {
    try {
      let statement = this.commands.get(sql);
      if (!statement) this.commands.set(sql, (statement = this.connection.prepare(sql)));
      statement.run();
    } catch (error) {
      throw this.translated(error);
    }
  }

  run<Row>(sql: string, parameters: readonly SqlValue[]): Row[] {
    try {
      const { statement, isNumbered, toRow } = this.prepared.get(sql) ?? this.prepare(sql);
      const values = bound(parameters, isNumbered);
      if (statement.reader) return (statement.all(...values) as unknown[][]).map(toRow) as Row[];
      statement.run(...values);
      return [];
    } catch (error) {
      throw this.translated(error);
    }
  }

  /** Without RETURNING, which would double the cost of the insert. */
  insert(sql: string, parameters: readonly SqlValue[]): bigint {
    try {
      const { statement, isNumbered } = this.prepared.get(sql) ?? this.prepare(sql);
      return statement.run(...bound(parameters, isNumbered)).lastInsertRowid as bigint;
    } catch (error) {
      throw this.translated(error);
    }
  }

  private prepare(sql: string): Prepared {
    const statement = this.connection.prepare(sql);
    statement.safeIntegers(true);
    if (statement.reader) statement.raw(true);
    const columns = statement.reader ? statement.columns().map(({ name }) => name) : [];
    const isNumbered = /\$\d/.test(sql);
    const entry = { statement, isNumbered, toRow: rowMaker(columns) };
    this.prepared.set(sql, entry);
    return entry;
  }
}

/** The driver takes the values of numbers by name. */
function bound(values: readonly SqlValue[], isNumbered: boolean): readonly unknown[] {
  return isNumbered ? [Object.fromEntries(values.map((value, index) => [index + 1, value]))] : values;
}

type ToRow = (values: readonly unknown[]) => Record<string, unknown>;

/**
 * Makes an object of a row. One function for each statement, with the names of its columns written into it: V8 then
 * makes all objects of a statement in one shape.
 */
function rowMaker(columns: readonly string[]): ToRow {
  const fields = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the names are quoted, and come from this program
  return new Function('values', `return { ${fields.join(', ')} };`) as ToRow;
}
