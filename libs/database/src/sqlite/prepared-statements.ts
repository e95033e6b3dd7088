import type { Database as Connection, Statement } from 'better-sqlite3';
import type { SqlValue } from '../sql-session.js';

interface Prepared {
  readonly statement: Statement;
  readonly toRow: ToRow;
}

/** The statements of one connection, prepared at first use. Integers are read as bigint, so int64 is exact. */
export class PreparedStatements {
  /** How many statements may have written something, also those that failed. */
  writeCount = 0;
  private readonly prepared = new Map<string, Prepared>();
  private readonly commands = new Map<string, Statement>();

  constructor(
    private readonly connection: Connection,
    /** Gives the error of this service for one of the driver. */
    readonly translated: (error: unknown) => unknown,
  ) {}

  /** Begins or ends a transaction or a savepoint. */
  command(sql: string): void {
    try {
      let statement = this.commands.get(sql);
      if (!statement) this.commands.set(sql, (statement = this.connection.prepare(sql)));
      statement.run();
    } catch (error) {
      throw this.translated(error);
    }
  }

  run<Row>(sql: string, parameters: readonly SqlValue[]): Row[] {
    try {
      const { statement, toRow } = this.prepared.get(sql) ?? this.prepare(sql);
      if (!statement.readonly) this.writeCount++;
      if (statement.reader) return (statement.all(...parameters) as unknown[][]).map(toRow) as Row[];
      statement.run(...parameters);
      return [];
    } catch (error) {
      throw this.translated(error);
    }
  }

  /** Without RETURNING, which would double the cost of the insert. */
  insert(sql: string, parameters: readonly SqlValue[]): bigint {
    try {
      const { statement } = this.prepared.get(sql) ?? this.prepare(sql);
      this.writeCount++;
      return statement.run(...parameters).lastInsertRowid as bigint;
    } catch (error) {
      throw this.translated(error);
    }
  }

  private prepare(sql: string): Prepared {
    const statement = this.connection.prepare(sql);
    statement.safeIntegers(true);
    if (statement.reader) statement.raw(true);
    const columns = statement.reader ? statement.columns().map(({ name }) => name) : [];
    const entry = { statement, toRow: rowMaker(columns) };
    this.prepared.set(sql, entry);
    return entry;
  }
}

type ToRow = (values: readonly unknown[]) => Record<string, unknown>;

/**
 * Makes an object of a row. One function for each statement, with the names of its columns written into it: V8 then
 * makes all objects of a statement in one shape.
 */
function rowMaker(columns: readonly string[]): ToRow {
  const fields = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the names are quoted, and come from this program
  return new Function('values', `return { ${fields.join(', ')} };`) as ToRow;
}
