import type { EntityManager } from 'typeorm';
import { Transaction } from '@animal-store/kernel';

export type Dialect = 'sqlite' | 'postgres';
export type SqlValue = string | number | bigint | Uint8Array | null;

/** Something that runs SQL: the database itself, or a transaction. */
export interface SqlSession {
  /**
   * Runs one statement with the placeholders of the database (`?` on SQLite, `$1`, `$2` … on PostgreSQL) and returns
   * its rows. The SQL text is prepared once and cached, so it must be a constant. int64 columns come back as bigint on
   * both databases; on SQLite every integer does.
   */
  query<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
}

/** The one row that a statement can be about. */
export interface RowKey {
  readonly table: string;
  /** The places of its primary key among the values, and the types of these. */
  readonly places: readonly number[];
  readonly types: readonly string[];
}

/** The texts of a statement that several callers may share. */
export interface WriteSql {
  /** For one row. */
  readonly single: string;
  /** The same for any number of rows: each parameter is the array of their values. Null when there is no such text. */
  readonly many: string | null;
  /** What it does to rows. Left out when it may be anything. */
  readonly does?: 'insert' | 'replace' | 'change';
  /** The row that it writes; null for one whose id the database gives, and when it may be any. */
  readonly row?: RowKey | null;
}

/** The rows of a SELECT, for statements that read them from it. */
export interface Groupable {
  /** The names of its columns. */
  readonly names: readonly string[];
  /** Its order by these names, as in `"stars" DESC`. */
  readonly order: readonly string[];
}

/** A SELECT. */
export interface SelectSql {
  readonly sql: string;
  /** Whether it locks the rows that it reads, which requires a transaction. */
  readonly isLocking: boolean;
  /** The row that it looks up by its primary key; null when it reads something else. */
  readonly row: RowKey | null;
  /** What SELECTs that are grouped with others must know; null when each must run as it is. */
  readonly groupable: Groupable | null;
}

/** The texts of an INSERT into a table that generates its ids. On PostgreSQL they end with `RETURNING … AS id`. */
export interface InsertSql extends WriteSql {
  /** On PostgreSQL: draws as many ids as its parameter says, and inserts a row with its id at this place. */
  readonly drawn?: { readonly draw: string; readonly insert: WriteSql; readonly place: number } | undefined;
}

/** Inserts a row outside a transaction and resolves with its new id when it is stored. */
export type InsertRow = (values: readonly SqlValue[]) => Promise<bigint>;

/** A transaction as adapters see it. */
export abstract class SqlTransaction extends Transaction implements SqlSession {
  abstract query<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;

  /** The rows of a SELECT. */
  select<Row>({ sql }: SelectSql, values: readonly SqlValue[]): Promise<Row[]> {
    return this.query<Row>(sql, values);
  }

  /**
   * Runs a statement that returns nothing. On PostgreSQL it is sent with the next one. Should it fail there, the work
   * is rolled back and run again, and then it fails here.
   */
  async execute({ single }: WriteSql, values: readonly SqlValue[]): Promise<void> {
    await this.query(single, values);
  }

  /** Inserts one row and returns its new id, which on SQLite is the driver's. */
  abstract insert(statement: InsertSql, values: readonly SqlValue[]): Promise<bigint>;

  /** TypeORM's EntityManager inside this transaction. */
  abstract entityManager(): EntityManager;
}
