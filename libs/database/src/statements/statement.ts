import type { Transaction } from '@animal-store/kernel';
import type { InsertRow, InsertSql, SqlTransaction, SqlValue, WriteSql } from '../sql-session.js';
import type { Args, CompiledStatement } from './compiled-statement.js';

/** The database that statements run on. */
export interface StatementDatabase {
  session(transaction: Transaction): SqlTransaction;
  /** The transaction that encloses the caller, or null. */
  enclosing(): Transaction | null;
  inserter(statement: InsertSql): InsertRow;
  /** What `toResult` makes of rows that are read outside a transaction. Several callers may get the same result. */
  read<Row, Result>(
    statement: CompiledStatement,
    values: readonly SqlValue[],
    toResult: (rows: readonly Row[], isShared: boolean) => Result,
  ): Promise<Result>;
}

/** Reads rows, or runs SQL that returns some. Without a transaction it sees only committed rows. */
export class SelectStatement<A extends object, Row extends object> {
  private isChecked = false;

  /** @param optional the arguments that are undefined when another statement of the list uses them */
  constructor(
    private readonly database: StatementDatabase,
    private readonly statement: CompiledStatement,
    private readonly optional: readonly string[] = [],
  ) {}

  async getMany(args: A, within?: Transaction): Promise<readonly Readonly<Row>[]> {
    if (!within) return await this.getShared(args, frozenIfShared);
    // One row only: a shared transaction would miss those of several rows that another transaction has locked.
    return this.hydrated(await this.rowsWithin(within, args, !this.statement.isLocking));
  }

  /** The first row, or null when there is none. */
  async getOne(args: A, within?: Transaction): Promise<Readonly<Row> | null> {
    if (!within) return await this.getShared(args, firstOf<Row>);
    return firstOf(this.hydrated(await this.rowsWithin(within, args, true)));
  }

  /** What `toResult` makes of the rows. Equal reads may get the same result. */
  getShared<Result>(args: A, toResult: (rows: readonly Row[], isShared: boolean) => Result): Promise<Result> {
    return this.database.read(this.statement, this.valuesOf(args), toResult);
  }

  private rowsWithin(within: Transaction, args: A, mayShare: boolean): Promise<Row[]> {
    const { database, statement } = this;
    const session = database.session(within);
    const values = this.valuesOf(args, within);
    return mayShare ? session.select<Row>(statement, values) : session.query<Row>(statement.sql, values);
  }

  private hydrated(rows: Row[]): Row[] {
    this.statement.hydrate(rows as Record<string, unknown>[]);
    return rows;
  }

  private valuesOf(args: A, within?: Transaction): SqlValue[] {
    if (this.statement.isLocking && !within) throw new TypeError('Rows can only be locked in a transaction.');
    // Once, as every call passes the same names.
    this.isChecked ||= this.statement.requireUsed(args as Args, this.optional);
    return this.statement.valuesOf(args as Args);
  }
}

export function firstOf<Row>(rows: readonly Row[], isShared = false): Row | null {
  const row = rows[0] ?? null;
  return isShared ? Object.freeze(row) : row;
}

function frozenIfShared<Row>(rows: readonly Row[], isShared: boolean): readonly Row[] {
  return isShared ? Object.freeze(rows.map((row) => Object.freeze(row))) : rows;
}

/** Updates or deletes rows, or inserts one that has its id already. */
export class WriteStatement<A extends object> {
  readonly sql: WriteSql;

  constructor(
    private readonly database: StatementDatabase,
    private readonly statement: CompiledStatement,
    many: string | null = null,
    does?: WriteSql['does'],
  ) {
    this.sql = { single: statement.sql, many, does, row: statement.row };
  }

  async execute(args: A, transaction: Transaction): Promise<void> {
    await this.database.session(transaction).execute(this.sql, this.statement.valuesOf(args as Args));
  }
}

/** Inserts a row whose id the table generates. Without a transaction it is stored when `execute` resolves. */
export class InsertStatement<A extends object> {
  private readonly sql: InsertSql;
  private readonly insertRow: InsertRow;

  constructor(
    private readonly database: StatementDatabase,
    private readonly statement: CompiledStatement,
    many: string | null = null,
    drawn?: InsertSql['drawn'],
  ) {
    this.sql = { single: statement.sql, many, drawn };
    this.insertRow = database.inserter(this.sql);
  }

  /** @returns the new id. */
  async execute(args: A, within: Transaction | null = this.database.enclosing()): Promise<bigint> {
    const values = this.statement.valuesOf(args as Args);
    return await (within ? this.database.session(within).insert(this.sql, values) : this.insertRow(values));
  }
}
