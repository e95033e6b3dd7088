import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager, ObjectLiteral } from 'typeorm';
import { type Transaction, UnitOfWork } from '../../shared/unit-of-work.js';
import { type Dialect, type SqlSession, SqlTransaction, type SqlValue } from './sql-session.js';
import { RecordStatements, type StatementCatalogue } from './statements/record-statements.js';

/** What was started inside and goes on after the end is outside again. */
interface Enclosure {
  transaction: Transaction | null;
}

/**
 * The service's storage. Statements outside a transaction only read, and see committed rows alone; every write goes
 * through `run` (see UnitOfWork).
 */
export abstract class Database extends UnitOfWork implements SqlSession {
  abstract readonly dialect: Dialect;
  protected abstract readonly dataSource: DataSource;
  private readonly catalogue: StatementCatalogue = [];
  private readonly enclosures = new AsyncLocalStorage<Enclosure>();
  private openEnclosures = 0;

  abstract query<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /**
   * Whether the database can be used now.
   * @throws StorageUnavailable while it cannot.
   */
  abstract check(): Promise<void>;

  /**
   * For whoever answers from memory what is stored here: at no cost, from what is known already.
   * @throws StorageUnavailable while nothing can be read.
   */
  abstract assertUsable(): void;

  /** The same database for what must go on however many requests wait for it. */
  abstract readonly upkeep: Database;

  /** The length of the embedded database's write-ahead log; null where the service has no such file. */
  get logBytes(): number | null {
    return null;
  }

  /** Finishes the writes that wait and closes every connection. */
  abstract close(): Promise<void>;

  /** For prepared statements about a record; `alias` is what they call a row of it. To be asked for once, at the start. */
  statements<R extends ObjectLiteral>(record: new () => R, alias: string): RecordStatements<R> {
    return new RecordStatements(this, this.dataSource, this.catalogue, record, alias);
  }

  /** The text of every statement that was made with `statements`. */
  everyStatement(): string[] {
    return this.catalogue.flatMap((texts) => texts().map(({ sql }) => sql));
  }

  /** TypeORM's own manager, as a part of `transaction`: for repositories that can do without prepared statements. */
  entityManager(transaction: Transaction): EntityManager {
    return this.session(transaction).entityManager();
  }

  enclose<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.run(async (transaction) => {
      const enclosure: Enclosure = { transaction };
      this.openEnclosures++;
      try {
        return await this.enclosures.run(enclosure, () => work(transaction));
      } finally {
        enclosure.transaction = null;
        // On Node before 24 every promise of the process costs more while it is in use.
        if (--this.openEnclosures === 0) this.enclosures.disable();
      }
    });
  }

  protected enclosing(): Transaction | null {
    return this.enclosures.getStore()?.transaction ?? null;
  }

  /** The session behind `transaction`. */
  session(transaction: Transaction): SqlTransaction {
    if (transaction instanceof SqlTransaction) return transaction;
    // Anything else would run its statements outside the transaction, and nobody would notice.
    throw new TypeError('This transaction is not one of a database.');
  }
}
