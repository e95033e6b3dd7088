import type { EntityManager } from 'typeorm';
import { Transaction } from '../../shared/unit-of-work.js';

export type Dialect = 'sqlite' | 'postgres';
export type SqlValue = string | number | bigint | null;

/** Something that runs SQL: the database itself, or a transaction. */
export interface SqlSession {
  /**
   * Runs one statement with `$1`, `$2` … placeholders and returns its rows. The SQL text is prepared once and cached,
   * so it must be a constant. int64 columns come back as bigint on both databases; on SQLite every integer does.
   */
  query<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
}

/** A transaction as adapters see it. */
export abstract class SqlTransaction extends Transaction implements SqlSession {
  abstract query<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /**
   * Runs one `INSERT … VALUES (…)` into a table that generates its ids, and returns the new id. On PostgreSQL the text
   * ends with `RETURNING … AS id`; on SQLite the driver returns the id.
   */
  abstract insert(sql: string, parameters: readonly SqlValue[]): Promise<bigint>;

  /** TypeORM's EntityManager inside this transaction. */
  abstract entityManager(): EntityManager;
}
