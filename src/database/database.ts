import { Transaction, UnitOfWork } from '../shared/unit-of-work.js';

export type Dialect = 'sqlite' | 'postgres';
export type SqlValue = string | number | bigint | null;

/** Something that runs SQL: the database itself, or a transaction. */
export interface SqlSession {
  /**
   * Runs one statement with `$1`, `$2` … placeholders and returns its rows. The SQL text is prepared once and kept,
   * so it must be a constant. int64 columns come back as bigint on both databases; on SQLite every integer does.
   */
  query<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
}

/**
 * The service's storage. `query` outside a transaction only reads, and sees committed rows alone; every write goes
 * through `run` (see UnitOfWork).
 */
export abstract class Database extends UnitOfWork implements SqlSession {
  abstract readonly dialect: Dialect;
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

  /** Finishes the writes that wait and closes every connection. */
  abstract close(): Promise<void>;

  /** The session behind `transaction`. */
  session(transaction: Transaction): SqlTransaction {
    if (transaction instanceof SqlTransaction) return transaction;
    // Anything else would run its statements outside the transaction, and nobody would notice.
    throw new TypeError('This transaction is not one of a database.');
  }
}

/** A transaction as adapters see it. */
export abstract class SqlTransaction extends Transaction implements SqlSession {
  abstract query<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /** Runs one `INSERT … VALUES (…)` into a table that gives its rows their `id`, and returns the new one. */
  abstract insert(sql: string, parameters: readonly SqlValue[]): Promise<bigint>;
}
