import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import SqliteConnection, { type Database as Connection, type Statement } from 'better-sqlite3';
import type { DataSource, EntityManager } from 'typeorm';
import { StorageUnavailable } from '../../shared/storage-unavailable.js';
import type { Transaction } from '../../shared/unit-of-work.js';
import { Database } from './database.js';
import { errorCode } from './error-code.js';
import type { FileLock } from './file-lock.js';
import { SqlTransaction, type SqlValue } from './sql-session.js';
import { SqliteEntityManagers } from './sqlite-entity-managers.js';
import { OpenedFiles } from './sqlite-files.js';
import { UniqueViolation } from './unique-violation.js';

/** SQLite result codes that say the file cannot be used now, not that the statement is wrong. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|NOMEM|PROTOCOL|CORRUPT|NOTADB)/;
/** … that say that another process writes … */
const LOCKED = /^SQLITE_(BUSY|LOCKED)/;
/** … and that the file is damaged: to write to it any more could make it worse. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** Writes beyond this number are refused: more than connections can bring, unless the queue stands still. */
const MAX_WAITING = 10_000;
/** How often the database is asked for while another process writes to it. */
const LOCK_RETRY_MS = 5;
/** How often the files are looked at while nothing is written. */
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
  ) {}

  /** For one run of the work; what an earlier one came to counts no longer. */
  begin(transaction: SqliteTransaction): SqliteTransaction {
    this.hasFailed = false;
    return (this.transaction = transaction);
  }

  succeed(result: unknown): void {
    this.transaction.end();
    this.result = result;
  }

  fail(error: unknown): void {
    this.transaction.end();
    this.error = error;
    this.hasFailed = true;
  }

  /**
   * Tells the caller how it went; for when the batch is committed.
   * @param failure why a commit that SQLite has made does not count.
   */
  settle(failure: StorageUnavailable | null): void {
    if (this.hasFailed) return this.reject(this.error);
    this.transaction.committed();
    if (failure) this.reject(failure);
    else this.resolve(this.result);
  }
}

/** How an attempt to commit a batch ended: `undone` when a unit failed after it wrote, `locked` before anything was done. */
type Outcome = 'committed' | 'undone' | 'locked';

/**
 * The embedded database. All writes go through one queue on one connection: everything that arrives in a turn of the
 * event loop shares one transaction and one fsync, a unit of work that fails takes no other along, and nobody is
 * answered before the commit. Reads use a second, read-only connection, which WAL keeps on committed rows.
 *
 * SQLite never waits for a lock here, as the whole process would wait with it: writes stay in the queue while another
 * process writes. Nothing is acknowledged that is not on the disk under the name of the file
 * (docs/decisions/0012-one-server-a-file.md).
 */
export class SqliteDatabase extends Database {
  readonly dialect = 'sqlite' as const;
  readonly upkeep = this;
  private readonly reads: PreparedStatements;
  private readonly writes: PreparedStatements;
  private readonly entityManagers: SqliteEntityManagers;
  private readonly reader: Connection;
  private readonly writer: Connection;
  private readonly logger = new Logger(SqliteDatabase.name);
  private readonly files: OpenedFiles;
  private readonly fileChecks: NodeJS.Timeout;
  // Two lists that change places: V8 takes one that is made for each batch for something that lasts, puts it among the
  // old objects, and everything that hung on it stays with it.
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
    return new Promise<T>((resolve, reject) => {
      this.assertUsable();
      if (this.waiting.length === MAX_WAITING) {
        throw new StorageUnavailable(new Error(`More than ${MAX_WAITING} writes are waiting.`));
      }
      this.waiting.push(new Unit(work, resolve as (result: unknown) => void, reject, performance.now()));
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
    // One turn of the event loop, so that everything that arrived with the first unit joins its transaction.
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

  /** @returns false when another process is writing; then the units wait on, but for those that have waited too long. */
  private async commit(batch: readonly Unit[]): Promise<boolean> {
    try {
      // Savepoints are for the few turns in which a unit fails after it wrote (docs/decisions/0002). A unit that is alone
      // has one at once, so that it need not run again.
      let outcome = await this.attempt(batch, batch.length === 1);
      if (outcome === 'undone') outcome = await this.attempt(batch, true);
      if (outcome === 'locked') {
        this.waitOn(batch);
        return false;
      }
    } catch (error) {
      this.abandon();
      this.noteDamage(error);
      for (const unit of batch) unit.reject(error);
      return true;
    }
    // After the commit, as the files could be gone before it and nobody would notice.
    const failure = this.checkFiles();
    for (const unit of batch) unit.settle(failure);
    return true;
  }

  /** Runs all units in one transaction. Nothing of any of them is kept unless it is committed. */
  private async attempt(batch: readonly Unit[], hasSavepoints: boolean): Promise<Outcome> {
    if (!this.beginTransaction()) return 'locked';
    for (const unit of batch) {
      if (hasSavepoints) this.writes.command('SAVEPOINT unit');
      const writesBefore = this.writes.writeCount;
      // Here and not in a function of its own, which would be another promise for every unit.
      try {
        unit.succeed(
          await unit.work(unit.begin(new SqliteTransaction(this.writes, this.writer, this.entityManagers))),
        );
      } catch (error) {
        unit.fail(error);
        this.noteDamage(error);
        // SQLite itself rolls the whole transaction back on some errors (a full disk, say): nothing is left to save.
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
    if (this.isLockedOut) this.logger.log('Writes go through again.');
    this.isLockedOut = false;
    return true;
  }

  /** Puts the units back to where they were in the queue; who has waited too long is told. */
  private waitOn(batch: readonly Unit[]): void {
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

  /** Never throws: the queue has to go on. What cannot be rolled back shows at the next BEGIN. */
  private abandon(): void {
    try {
      if (this.writer.inTransaction) this.writes.command('ROLLBACK');
    } catch (error) {
      this.logger.error('A failed transaction could not be rolled back.', error);
    }
  }

  /**
   * Looks whether the files are still those that were opened.
   * @returns why nothing can be read or stored; null while it can.
   */
  private checkFiles(): StorageUnavailable | null {
    // A damaged file stays damaged; and while a transaction is open its end will look.
    if (this.isDamaged || this.writer.inTransaction) return this.failure;
    const problem = this.files.problem();
    if ((problem === null) === (this.failure === null)) return this.failure;
    if (problem === null) {
      this.logger.log('The files of the database are back: it is used again.');
      return (this.failure = null);
    }
    this.logger.error(
      `${problem} while the service had it open: nothing is read or stored until it is back, or the service restarted.`,
    );
    this.saveLog();
    return (this.failure = new StorageUnavailable(new Error(`${problem}.`)));
  }

  /** Moves what only the write-ahead log has to the database file, in case it was the log that was deleted. */
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
      `${this.parts.file} is damaged (${code}): nothing is read or stored any more. Restore a backup and restart the service.`,
    );
  }
}

/** What SQLite says is behind an error that says that storage is unavailable; '' for any other. */
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

  async insert(sql: string, parameters: readonly SqlValue[]): Promise<bigint> {
    this.requireOpen();
    return this.statements.insert(sql, parameters);
  }

  entityManager(): EntityManager {
    return this.entityManagers.within({
      requireOpen: () => this.requireOpen(),
      onWrite: () => this.statements.countWrite(),
      translated,
    });
  }

  end(): void {
    this.ended = true;
  }

  private requireOpen(): void {
    // SQLite ends it by itself on some errors: work that goes on after one must not write outside of any transaction.
    if (this.ended || !this.connection.inTransaction)
      throw new Error('This transaction has ended; its statement would join somebody else’s.');
  }
}

interface Prepared {
  readonly statement: Statement;
  readonly isWrite: boolean;
  /** Of the parameters, where the statement does not take them as they are numbered. */
  readonly order: readonly number[] | null;
  readonly columns: readonly string[];
}

/** The statements of one connection, prepared at first use. Integers come back as bigint, so that int64 is exact. */
class PreparedStatements {
  private readonly prepared = new Map<string, Prepared>();
  private readonly commands = new Map<string, Statement>();
  private writes = 0;

  constructor(private readonly connection: Connection) {}

  /** How many statements have been run that may change something; one that failed may have, with `OR FAIL`. */
  get writeCount(): number {
    return this.writes;
  }

  /** For a statement that was run by other means. */
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
      const { statement, isWrite, order, columns } = this.prepared.get(sql) ?? this.prepare(sql);
      if (isWrite) this.writes++;
      const values = inOrder(order, parameters);
      if (statement.reader) return named<Row>(statement.all(...values) as unknown[][], columns);
      statement.run(...values);
      return [];
    } catch (error) {
      throw translated(error);
    }
  }

  /** The id needs no RETURNING here, which would cost as much again as the row itself. */
  insert(sql: string, parameters: readonly SqlValue[]): bigint {
    try {
      const { statement, order } = this.prepared.get(sql) ?? this.prepare(sql);
      this.writes++;
      return statement.run(...inOrder(order, parameters)).lastInsertRowid as bigint;
    } catch (error) {
      throw translated(error);
    }
  }

  private prepare(sql: string): Prepared {
    const positions: number[] = [];
    const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
      positions.push(Number(number) - 1);
      return '?';
    });
    const statement = this.connection.prepare(text);
    statement.safeIntegers(true);
    if (statement.reader) statement.raw(true);
    const isInOrder = positions.every((position, index) => position === index);
    const columns = statement.reader ? statement.columns().map(({ name }) => name) : [];
    const entry = { statement, isWrite: !statement.readonly, order: isInOrder ? null : positions, columns };
    this.prepared.set(sql, entry);
    return entry;
  }
}

function inOrder(order: Prepared['order'], parameters: readonly SqlValue[]): readonly SqlValue[] {
  return order ? order.map((position) => parameters[position]!) : parameters;
}

/** The driver's own objects cost a quarter more than naming the values of its arrays here. */
function named<Row>(rows: readonly unknown[][], columns: readonly string[]): Row[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index];
    return row as Row;
  });
}

function translated(error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
    return new UniqueViolation(error);
  return UNAVAILABLE.test(code) ? new StorageUnavailable(error) : error;
}
