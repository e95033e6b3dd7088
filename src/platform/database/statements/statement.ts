import type { Transaction } from '@animal-store/kernel';
import type { Dialect, InsertSql, SqlSession, SqlTransaction, SqlValue } from '../sql-session.js';
import type { CompiledStatement, Given } from './compiled-statement.js';
import type { StatementShapes } from './statement-shapes.js';

/** The database that statements run on. */
export interface StatementDatabase extends SqlSession {
  readonly dialect: Dialect;
  session(transaction: Transaction): SqlTransaction;
  /** Reads rows by property name outside a transaction. Several callers may get the same ones. */
  read<Row>(statement: CompiledStatement, values: readonly SqlValue[]): Promise<readonly Row[]>;
}

const NOTHING: Given = {};

/**
 * Reads rows. Without a transaction it sees only committed rows, and they are not the caller's own: others may have the
 * same ones.
 */
export class SelectStatement<A extends object, Row extends object> {
  constructor(
    private readonly database: StatementDatabase,
    private readonly shapes: StatementShapes,
  ) {}

  /** @param added arguments that a list adds to those of its caller */
  async getMany(given: A, within?: Transaction, added: Given = NOTHING): Promise<readonly Readonly<Row>[]> {
    const statement = this.shapes.of(given as Given, added);
    if (statement.isLocking && !within) throw new TypeError('Rows can only be locked in a transaction.');
    const values = statement.valuesOf(given as Given, added);
    if (!within) return await this.database.read<Row>(statement, values);
    const rows = await this.database.session(within).query<Row>(statement.sql, values);
    statement.hydrate(rows as Record<string, unknown>[]);
    return rows;
  }

  /** The first row, or null when there is none. */
  async getOne(given: A, within?: Transaction): Promise<Readonly<Row> | null> {
    const [row] = await this.getMany(given, within);
    return row ?? null;
  }
}

/** Updates or deletes rows, or inserts one that has its id already. */
export class WriteStatement<A extends object> {
  constructor(
    private readonly database: StatementDatabase,
    private readonly statement: CompiledStatement,
  ) {}

  async execute(given: A, transaction: Transaction): Promise<void> {
    const { sql } = this.statement;
    await this.database.session(transaction).query(sql, this.statement.valuesOf(given as Given, NOTHING));
  }
}

/** Inserts a row into a table that generates its ids. */
export class InsertStatement<A extends object> {
  private readonly sql: InsertSql;

  constructor(
    private readonly database: StatementDatabase,
    private readonly statement: CompiledStatement,
    ofMany: string | null,
  ) {
    this.sql = { ofOne: statement.sql, ofMany };
  }

  /** @returns the new id. */
  async execute(given: A, transaction: Transaction): Promise<bigint> {
    const values = this.statement.valuesOf(given as Given, NOTHING);
    return this.database.session(transaction).insert(this.sql, values);
  }
}
