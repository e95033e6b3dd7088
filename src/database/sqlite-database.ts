import { Logger } from '@nestjs/common';
import SqliteConnection, { type Database as Connection, type Statement } from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { StorageUnavailable } from '../shared/storage-unavailable.js';
import type { Transaction } from '../shared/unit-of-work.js';
import { Database, SqlTransaction, type SqlValue } from './database.js';
import { errorCode } from './error-code.js';
import { UniqueViolation } from './unique-violation.js';

/** SQLite result codes that say the file cannot be used now, not that the statement is wrong. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|NOMEM|PROTOCOL)/;

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

  /** Tells the caller how it went; for when the batch is committed. */
  settle(): void {
    if (this.hasFailed) return this.reject(this.error);
    this.transaction.committed();
    this.resolve(this.result);
  }
}

/**
 * The embedded database. All writes go through one queue on one connection: everything that arrives in a turn of the
 * event loop shares one transaction and one fsync, a unit of work that fails takes no other along, and nobody is
 * answered before the commit. Reads use a second, read-only connection, which WAL keeps on committed rows.
 */
export class SqliteDatabase extends Database {
  readonly dialect = 'sqlite' as const;
  private readonly reads: PreparedStatements;
  private readonly writes: PreparedStatements;
  private readonly reader: Connection;
  private readonly writer: Connection;
  private readonly logger = new Logger(SqliteDatabase.name);
  // Two lists that change places: V8 takes one that is made for each batch for something that lasts, puts it among the
  // old objects, and everything that hung on it stays with it.
  private waiting: Unit[] = [];
  private batch: Unit[] = [];
  private draining: Promise<void> | null = null;

  constructor(
    private readonly dataSource: DataSource,
    file: string,
  ) {
    super();
    this.writer = (dataSource.driver as unknown as { databaseConnection: Connection }).databaseConnection;
    this.reader = new SqliteConnection(file, { readonly: true, fileMustExist: true });
    this.reads = new PreparedStatements(this.reader);
    this.writes = new PreparedStatements(this.writer);
  }

  async query<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    return this.reads.run<Row>(sql, parameters);
  }

  protected begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push(new Unit(work, resolve as (result: unknown) => void, reject));
      this.draining ??= this.drain();
    });
  }

  async close(): Promise<void> {
    await this.draining;
    this.reader.close();
    await this.dataSource.destroy();
  }

  private async drain(): Promise<void> {
    // One turn of the event loop, so that everything that arrived with the first unit joins its transaction.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const { waiting, batch } = this;
      this.waiting = batch;
      this.batch = waiting;
      await this.commit(waiting);
      waiting.length = 0;
    }
    this.draining = null;
  }

  private async commit(batch: Unit[]): Promise<void> {
    try {
      // Savepoints are for the few turns in which a unit fails after it wrote (docs/decisions/0002). A unit that is alone
      // has one at once, so that it need not run again.
      const isDone = batch.length > 1 && (await this.attempt(batch, false));
      if (!isDone) await this.attempt(batch, true);
    } catch (error) {
      this.abandon();
      for (const unit of batch) unit.reject(error);
      return;
    }
    for (const unit of batch) unit.settle();
  }

  /**
   * Runs all units in one transaction.
   * @returns false when a unit failed after it wrote, with no savepoint to go back to; then nothing of any is kept.
   */
  private async attempt(batch: readonly Unit[], hasSavepoints: boolean): Promise<boolean> {
    this.writes.command('BEGIN IMMEDIATE');
    for (const unit of batch) {
      if (hasSavepoints) this.writes.command('SAVEPOINT unit');
      const writesBefore = this.writes.writeCount;
      // Here and not in a function of its own, which would be another promise for every unit.
      try {
        unit.succeed(await unit.work(unit.begin(new SqliteTransaction(this.writes, this.writer))));
      } catch (error) {
        unit.fail(error);
        // SQLite itself rolls the whole transaction back on some errors (a full disk, say): nothing is left to save.
        if (!this.writer.inTransaction) throw error;
        if (hasSavepoints) {
          this.writes.command('ROLLBACK TO unit');
        } else if (this.writes.writeCount > writesBefore) {
          this.writes.command('ROLLBACK');
          return false;
        }
      }
      if (hasSavepoints) this.writes.command('RELEASE unit');
    }
    this.writes.command('COMMIT');
    return true;
  }

  /** Never throws: the queue has to go on. What cannot be rolled back shows at the next BEGIN. */
  private abandon(): void {
    try {
      if (this.writer.inTransaction) this.writes.command('ROLLBACK');
    } catch (error) {
      this.logger.error('A failed transaction could not be rolled back.', error);
    }
  }
}

class SqliteTransaction extends SqlTransaction {
  private ended = false;

  constructor(
    private readonly statements: PreparedStatements,
    private readonly connection: Connection,
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
