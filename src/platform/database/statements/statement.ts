import type { Transaction } from '@animal-store/kernel';
import type { Dialect, InsertRow, InsertSql, SqlSession, SqlTransaction, SqlValue } from '../sql-session.js';
import type { Args } from './argument.js';
import type { CompiledStatement } from './compiled-statement.js';
import type { Variants } from './variants.js';

/** The database that statements run on. */
export interface StatementDatabase extends SqlSession {
  readonly dialect: Dialect;
  session(transaction: Transaction): SqlTransaction;
  /** The transaction that encloses the caller, or null. */
  enclosing(): Transaction | null;
  inserter(statement: InsertSql): InsertRow;
  /** Reads rows by property name outside a transaction. */
  read<Row>(statement: CompiledStatement, values: readonly SqlValue[]): Promise<readonly Row[]>;
  /** What `toResult` makes of them. Several callers may get the same result. */
  readShared<Row, Result>(
    statement: CompiledStatement,
    values: readonly SqlValue[],
    toResult: (rows: readonly Row[], isShared: boolean) => Result,
  ): Promise<Result>;
}

/** Reads rows. Without a transaction it sees only committed rows. */
export class SelectStatement<A extends object, Row extends object> {
  constructor(
    private readonly database: StatementDatabase,
    private readonly variants: Variants,
  ) {}

  async getMany(args: A, within?: Transaction): Promise<readonly Readonly<Row>[]> {
    const { statement, values } = this.prepare(args, within);
    if (!within) return await this.database.read<Row>(statement, values);
    const rows = await this.database.session(within).query<Row>(statement.sql, values);
    statement.hydrate(rows as Record<string, unknown>[]);
    return rows;
  }

  /** The first row, or null when there is none. */
  async getOne(args: A, within?: Transaction): Promise<Readonly<Row> | null> {
    const [row] = await this.getMany(args, within);
    return row ?? null;
  }

  /** What `toResult` makes of the rows. Equal reads at the same time may get the same result. */
  getShared<Result>(args: A, toResult: (rows: readonly Row[], isShared: boolean) => Result): Promise<Result> {
    const { statement, values } = this.prepare(args);
    return this.database.readShared(statement, values, toResult);
  }

  private prepare(args: A, within?: Transaction) {
    const statement = this.variants.of(args as Args);
    if (statement.isLocking && !within) throw new TypeError('Rows can only be locked in a transaction.');
    return { statement, values: statement.valuesOf(args as Args) };
  }
}

/** Updates or deletes rows, or inserts one that has its id already. */
export class WriteStatement<A extends object> {
  constructor(
    private readonly database: StatementDatabase,
    private readonly statement: CompiledStatement,
  ) {}

  async execute(args: A, transaction: Transaction): Promise<void> {
    const { sql } = this.statement;
    await this.database.session(transaction).query(sql, this.statement.valuesOf(args as Args));
  }
}

/** Inserts a row into a table that generates its ids. Without a transaction the row is stored when `execute` resolves. */
export class InsertStatement<A extends object> {
  private readonly sql: InsertSql;
  private readonly insertRow: InsertRow;

  constructor(
    private readonly database: StatementDatabase,
    private readonly statement: CompiledStatement,
    many: string | null,
  ) {
    this.sql = { single: statement.sql, many };
    this.insertRow = database.inserter(this.sql);
  }

  /** @returns the new id. */
  async execute(args: A, within: Transaction | null = this.database.enclosing()): Promise<bigint> {
    const values = this.statement.valuesOf(args as Args);
    return within ? this.database.session(within).insert(this.sql, values) : this.insertRow(values);
  }
}
