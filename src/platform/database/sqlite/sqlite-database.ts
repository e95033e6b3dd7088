import { setTimeout as delay } from 'node:timers/promises';
import SqliteConnection, { type Database as Connection, type Statement } from 'better-sqlite3';
import type { DataSource, EntityManager } from 'typeorm';
import { StorageUnavailable, type Transaction } from '@animal-store/kernel';
import { Database } from '../database.js';
import { errorCode } from '../error-code.js';
import type { FileLock } from './file-lock.js';
import { misuse } from '../insert-misuse.js';
import { type InsertSql, SqlTransaction, type SqlValue } from '../sql-session.js';
import { SqliteEntityManagers } from './sqlite-entity-managers.js';
import { OpenedFiles } from './sqlite-files.js';
import { UniqueViolation } from '../unique-violation.js';

/** SQLite result codes for a file that cannot be used now; the statement itself may be fine. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|NOMEM|PROTOCOL|CORRUPT|NOTADB)/;
/** Result codes that mean that another process is writing. */
const LOCKED = /^SQLITE_(BUSY|LOCKED)/;
/** Result codes that mean that the file is damaged. Writing to it could make the damage worse. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

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

/** One write waiting for its turn. */
class Unit {
  private transaction: SqliteTransaction;
  private hasFailed = false;
  private result: unknown;
  private error: unknown;

  constructor(
    readonly work: (transaction: Transaction) => Promise<unknown>,
    private readonly resolve: (result: unknown) => void,
    readonly reject: (error: unknown) => void,
    /** By the clock of `performance`. */
    readonly arrivedAtMs: number,
    readonly isOneInsert: boolean,
  ) {}

  /** Begins one run of the work. The outcome of an earlier run no longer counts. */
  begin(transaction: SqliteTransaction): SqliteTransaction {
    this.hasFailed = false;
    return (this.transaction = transaction);
  }

  succeed(result: unknown): void {
    this.transaction.requireComplete();
    this.transaction.end();
    this.result = result;
  }

  fail(error: unknown): void {
    this.transaction.end();
    this.error = error;
    this.hasFailed = true;
  }

  /**
   * Settles the caller's promise. Call it when the batch is committed.
   * @param failure why the commit does not count although SQLite made it; null when it counts
   */
  settle(failure: StorageUnavailable | null, report: (error: unknown) => void): void {
    if (this.hasFailed) return this.reject(this.error);
    this.transaction.committed(report);
    if (failure) this.reject(failure);
    else this.resolve(this.result);
  }
}

/**
 * How an attempt to commit a batch ended: `undone` when a unit failed after it wrote, `locked` when another process was
 * writing, before anything was done.
 */
type Outcome = 'committed' | 'undone' | 'locked';

/**
 * The embedded database. All writes go through one queue on one connection. Writes that arrive in one turn of the event
 * loop share one transaction and one fsync. A unit of work that fails does not fail the others, and no caller gets a
 * result before the commit. Reads use a second, read-only connection, which in WAL mode sees only committed rows.
 *
 * SQLite never waits for a lock here, as the whole process would wait with it: writes stay in the queue while another
 * process writes. A write is acknowledged only when it is on the disk in the file of that name
 * (docs/decisions/0012-one-server-a-file.md).
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
  private readonly fileChecks: NodeJS.Timeout;
  // Two arrays that are swapped. V8 would treat a new array for each batch as long-lived and move it to the old
  // generation, together with everything that it references.
  private waiting: Unit[] = [];
  private batch: Unit[] = [];
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
    this.reads = new PreparedStatements(this.reader);
    this.writes = new PreparedStatements(this.writer);
    this.entityManagers = new SqliteEntityManagers(dataSource, this.writer);
    this.files = new OpenedFiles(file, lock ? [lock.file] : []);
    this.fileChecks = setInterval(() => this.checkFiles(), FILE_CHECK_MS).unref();
  }

  async query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    this.assertUsable();
    try {
      return this.reads.run<Row>(sql, parameters);
    } catch (error) {
      this.noteDamage(error);
      throw error;
    }
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

  protected begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.enqueue(work, false);
  }

  protected override beginInsert<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.enqueue(work, true);
  }

  private enqueue<T>(work: (transaction: Transaction) => Promise<T>, isOneInsert: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.assertUsable();
      if (this.waiting.length === MAX_WAITING) {
        throw new StorageUnavailable(new Error(`More than ${MAX_WAITING} writes are waiting.`));
      }
      const settle = resolve as (result: unknown) => void;
      this.waiting.push(new Unit(work, settle, reject, performance.now(), isOneInsert));
      this.draining ??= this.drain();
    });
  }

  async close(): Promise<void> {
    clearInterval(this.fileChecks);
    await this.draining;
    try {
      this.reader.close();
      await this.dataSource.destroy();
    } finally {
      this.parts.lock?.release();
    }
  }

  private async drain(): Promise<void> {
    // Waits one turn of the event loop, so that everything that arrived with the first unit joins its transaction.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const { waiting, batch } = this;
      this.waiting = batch;
      this.batch = waiting;
      if (!(await this.commit(waiting))) await delay(LOCK_RETRY_MS);
      waiting.length = 0;
    }
    this.draining = null;
  }

  /** @returns false when another process is writing. The units then wait again, except those that have waited too long. */
  private async commit(batch: readonly Unit[]): Promise<boolean> {
    try {
      // Savepoints are used only when a unit fails after it wrote (docs/decisions/0002). A single unit gets one at
      // once, so that it need not run again.
      let outcome = await this.attempt(batch, batch.length === 1);
      if (outcome === 'undone') outcome = await this.attempt(batch, true);
      if (outcome === 'locked') {
        this.requeue(batch);
        return false;
      }
    } catch (error) {
      this.abandon();
      this.noteDamage(error);
      for (const unit of batch) unit.reject(error);
      return true;
    }
    // After the commit, as the files may have been deleted before it, unnoticed.
    const failure = this.checkFiles();
    for (const unit of batch) unit.settle(failure, this.reportListener);
    return true;
  }

  /** Runs all units in one transaction. Their writes are stored only if it is committed. */
  private async attempt(batch: readonly Unit[], hasSavepoints: boolean): Promise<Outcome> {
    if (!this.beginTransaction()) return 'locked';
    for (const unit of batch) {
      if (hasSavepoints) this.writes.command('SAVEPOINT unit');
      const writesBefore = this.writes.writeCount;
      // Inline, as a function would add a promise for every unit.
      try {
        const Kind = unit.isOneInsert ? SqliteInsert : SqliteTransaction;
        unit.succeed(await unit.work(unit.begin(new Kind(this.writes, this.writer, this.entityManagers))));
      } catch (error) {
        unit.fail(error);
        this.noteDamage(error);
        // On some errors, such as a full disk, SQLite itself rolls back the whole transaction, so nothing can be saved.
        if (!this.writer.inTransaction) throw error;
        if (hasSavepoints) {
          this.writes.command('ROLLBACK TO unit');
        } else if (this.writes.writeCount > writesBefore) {
          this.writes.command('ROLLBACK');
          return 'undone';
        }
      }
      if (hasSavepoints) this.writes.command('RELEASE unit');
    }
    this.writes.command('COMMIT');
    return 'committed';
  }

  /** @returns false when another process is writing. */
  private beginTransaction(): boolean {
    try {
      this.writes.command('BEGIN IMMEDIATE');
    } catch (error) {
      if (LOCKED.test(causeCode(error))) return false;
      throw error;
    }
    if (this.isLockedOut) this.logger.log('Writes succeed again.');
    this.isLockedOut = false;
    return true;
  }

  /** Puts the units back at the front of the queue. Those that have waited too long are rejected. */
  private requeue(batch: readonly Unit[]): void {
    const { lockTimeoutMs } = this.parts;
    const oldestMs = performance.now() - lockTimeoutMs;
    const waiting = batch.filter((unit) => unit.arrivedAtMs > oldestMs);
    this.waiting.unshift(...waiting);
    if (waiting.length === batch.length) return;
    const message = `Another process has been writing to the database for more than ${lockTimeoutMs} ms`;
    if (!this.isLockedOut) this.logger.warn(`${message}: writes fail until it is done.`);
    this.isLockedOut = true;
    const error = new StorageUnavailable(new Error(`${message}.`));
    for (const unit of batch) if (unit.arrivedAtMs <= oldestMs) unit.reject(error);
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
   * Checks that the files are still the ones that were opened.
   * @returns the error for every read and write while they are not; null while they are.
   */
  private checkFiles(): StorageUnavailable | null {
    // A damaged file stays damaged. An open transaction checks the files when it ends.
    if (this.isDamaged || this.writer.inTransaction) return this.failure;
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

  /** Moves the content of the write-ahead log to the database file, in case the log was deleted. */
  private saveLog(): void {
    try {
      this.writer.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      this.logger.error('The write-ahead log could not be moved to the database file.', error);
    }
  }

  private noteDamage(error: unknown): void {
    const code = causeCode(error);
    if (!DAMAGED.test(code) || this.isDamaged) return;
    this.isDamaged = true;
    this.failure = error as StorageUnavailable;
    this.logger.error(
      `${this.parts.file} is damaged (${code}). Nothing is read or stored any more. Restore a backup and restart the service.`,
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
      onWrite: () => this.statements.countWrite(),
      translated,
    });
  }

  /** @throws TypeError when the work did not do what it must. */
  requireComplete(): void {}

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

/** Refuses whatever PostgreSQL refuses in a unit of work that is one insert, so that a test on SQLite finds it. */
class SqliteInsert extends SqliteTransaction {
  private inserts = 0;

  override query(): Promise<never> {
    return Promise.reject(misuse('ran another statement'));
  }

  override insert(statement: InsertSql, values: readonly SqlValue[]): Promise<bigint> {
    if (this.inserts++ > 0) return Promise.reject(misuse('ran a second InsertStatement'));
    return super.insert(statement, values);
  }

  override entityManager(): never {
    throw misuse('asked for an EntityManager');
  }

  override requireComplete(): void {
    if (this.inserts === 0) throw misuse('ran no InsertStatement');
  }
}

interface Prepared {
  readonly statement: Statement;
  readonly isWrite: boolean;
  /** Whether its placeholders have numbers, as in `$1`. Those of `?` take the values in their order. */
  readonly isNumbered: boolean;
  readonly toRow: ToRow;
}

/** The statements of one connection, prepared at first use. Integers are read as bigint, so int64 is exact. */
class PreparedStatements {
  private readonly prepared = new Map<string, Prepared>();
  private readonly commands = new Map<string, Statement>();
  private writes = 0;

  constructor(private readonly connection: Connection) {}

  /**
   * The number of statements run that may have changed something. A failed one counts too: with `OR FAIL` it may have.
   */
  get writeCount(): number {
    return this.writes;
  }

  /** Counts a statement that was run by other means. */
  countWrite(): void {
    this.writes++;
  }

  /** Begins or ends a transaction or a savepoint. */
  command(sql: string): void {
    try {
      let statement = this.commands.get(sql);
      if (!statement) this.commands.set(sql, (statement = this.connection.prepare(sql)));
      statement.run();
    } catch (error) {
      throw translated(error);
    }
  }

  run<Row>(sql: string, parameters: readonly SqlValue[]): Row[] {
    try {
      const { statement, isWrite, isNumbered, toRow } = this.prepared.get(sql) ?? this.prepare(sql);
      if (isWrite) this.writes++;
      const values = bound(parameters, isNumbered);
      if (statement.reader) return (statement.all(...values) as unknown[][]).map(toRow) as Row[];
      statement.run(...values);
      return [];
    } catch (error) {
      throw translated(error);
    }
  }

  /** Without RETURNING, which would double the cost of the insert. */
  insert(sql: string, parameters: readonly SqlValue[]): bigint {
    try {
      const { statement, isNumbered } = this.prepared.get(sql) ?? this.prepare(sql);
      this.writes++;
      return statement.run(...bound(parameters, isNumbered)).lastInsertRowid as bigint;
    } catch (error) {
      throw translated(error);
    }
  }

  private prepare(sql: string): Prepared {
    const statement = this.connection.prepare(sql);
    statement.safeIntegers(true);
    if (statement.reader) statement.raw(true);
    const columns = statement.reader ? statement.columns().map(({ name }) => name) : [];
    const isNumbered = /\$\d/.test(sql);
    const entry = { statement, isWrite: !statement.readonly, isNumbered, toRow: rowMaker(columns) };
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
 * makes all objects of a statement in one shape, in a quarter of the time that setting them by name takes.
 */
function rowMaker(columns: readonly string[]): ToRow {
  const fields = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the names are quoted, and come from this program
  return new Function('values', `return { ${fields.join(', ')} };`) as ToRow;
}

function translated(error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
    return new UniqueViolation(error);
  return UNAVAILABLE.test(code) ? new StorageUnavailable(error) : error;
}
