import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { DataSource, EntityManager, ObjectLiteral, Repository } from 'typeorm';
import { type Transaction, UnitOfWork } from '@animal-store/kernel';
import {
  type Dialect,
  type InsertRow,
  type InsertSql,
  type SqlSession,
  SqlTransaction,
  type SqlValue,
} from './sql-session.js';
import type { ConnectionCounts } from './postgres/connections/connections.js';
import type { CompiledStatement } from './statements/compiled-statement.js';
import { type OnStatement, RecordStatements } from './statements/record-statements.js';
import { stockEntityManager } from './stock-repositories.js';

/** The transaction is null after its end, so that work which continues is outside of it. */
interface Enclosure {
  transaction: Transaction | null;
}

/** What logs the errors of commit listeners. */
export function reportListenerTo(logger: Pick<Logger, 'error'>): (error: unknown) => void {
  return (error) =>
    logger.error('A listener of Transaction.onCommit() failed. The transaction is committed.', error);
}

/**
 * The database of the service. Outside a transaction, a read sees only committed rows and an insert commits by itself.
 * Every other write goes through `run` (see UnitOfWork).
 */
export abstract class Database extends UnitOfWork implements SqlSession {
  abstract readonly dialect: Dialect;
  protected readonly logger = new Logger(this.constructor.name);
  protected abstract readonly dataSource: DataSource;
  private readonly enclosures = new AsyncLocalStorage<Enclosure>();
  private openEnclosures = 0;
  private stock: EntityManager | null = null;

  /** @param onStatement called with every statement that is built */
  constructor(private readonly onStatement: OnStatement = () => undefined) {
    super();
  }

  abstract query<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /** `query` for a text that differs from call to call: it is prepared for one use only. */
  abstract queryOnce<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /** What inserts the rows of one statement outside a transaction. Call it once for a statement. */
  abstract inserter(statement: InsertSql): InsertRow;

  /**
   * Checks that the database can be used.
   * @throws StorageUnavailable when it cannot.
   */
  abstract check(): Promise<void>;

  /**
   * For caches of stored data: checks the state of the database of the last second.
   * @throws StorageUnavailable while nothing can be read.
   */
  abstract assertUsable(): void;

  /** The same database for background work; it does not queue after requests. */
  abstract readonly background: Database;

  /** The size of SQLite's write-ahead log; null on PostgreSQL. */
  get logBytes(): number | null {
    return null;
  }

  /** The free bytes of the disk of the SQLite file; null on PostgreSQL. */
  get freeDiskBytes(): number | null {
    return null;
  }

  /** Work that waits for the database: writes on SQLite, requests without a connection on PostgreSQL. */
  abstract get queueLength(): number;

  /** Finishes or refuses the waiting writes and closes every connection. */
  abstract close(): Promise<void>;

  /**
   * Builds prepared statements on a record; `alias` is the name of its row in them. Call it once, when the repository
   * is created.
   */
  statements<R extends ObjectLiteral>(record: new () => R, alias: string): RecordStatements<R> {
    return new RecordStatements(this, this.dataSource, this.onStatement, record, alias);
  }

  /**
   * What `toResult` makes of the rows. Several callers may get the same result; then `isShared` is true, and nobody may
   * change it.
   */
  async read<Row, Result>(
    statement: CompiledStatement,
    values: readonly SqlValue[],
    toResult: (rows: readonly Row[], isShared: boolean) => Result,
  ): Promise<Result> {
    const rows = await this.query<Row>(statement.sql, values);
    statement.hydrate(rows as Record<string, unknown>[]);
    return toResult(rows, false);
  }

  /** The connections to PostgreSQL; null on SQLite. */
  get connections(): ConnectionCounts | null {
    return null;
  }

  /** How far the clock of this host is ahead of PostgreSQL's, as the last check found. SQLite uses this clock. */
  get clockAheadMs(): number {
    return 0;
  }

  /** Call it before the first request: a process that gets many at once is too busy to connect in time. */
  async openConnections(): Promise<void> {}

  /** TypeORM's EntityManager inside `transaction`, for repositories that can do without prepared statements. */
  entityManager(transaction: Transaction): EntityManager {
    return this.session(transaction).entityManager();
  }

  /**
   * TypeORM's Repository of the record outside transactions: it reads committed rows, and each call that writes is a
   * unit of work of its own. `DatabaseModule.forFeature` provides it.
   * @throws Error for a record that the database was not opened with
   */
  repository<R extends ObjectLiteral>(record: new () => R): Repository<R> {
    if (!this.dataSource.hasMetadata(record))
      throw new Error(
        `${record.name} is in none of the tables that the database was opened with. Add it to the \`records\` of one.`,
      );
    return (this.stock ??= stockEntityManager(this, this.dataSource)).getRepository(record);
  }

  enclose<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.run(async (transaction) => {
      const enclosure: Enclosure = { transaction };
      this.openEnclosures++;
      try {
        return await this.enclosures.run(enclosure, () => work(transaction));
      } finally {
        enclosure.transaction = null;
        // Before Node 24, an AsyncLocalStorage in use makes every promise of the process slower.
        if (--this.openEnclosures === 0) this.enclosures.disable();
      }
    });
  }

  enclosing(): Transaction | null {
    return this.enclosures.getStore()?.transaction ?? null;
  }

  /** Makes `work` run in the asynchronous context of this call. `AsyncResource.bind` is slow on Node 20. */
  protected inContextOfCaller<T>(work: (transaction: Transaction) => T): (transaction: Transaction) => T {
    const context = new AsyncResource('UnitOfWork');
    return (transaction) => context.runInAsyncScope(work, undefined, transaction);
  }

  protected readonly reportListener = reportListenerTo(this.logger);

  /** The session of `transaction`. */
  session(transaction: Transaction): SqlTransaction {
    if (transaction instanceof SqlTransaction) return transaction;
    // Any other object would run its statements outside the transaction, unnoticed.
    throw new TypeError('This transaction does not belong to a database.');
  }
}
