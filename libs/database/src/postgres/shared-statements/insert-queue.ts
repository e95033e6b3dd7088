import { Batcher, StorageUnavailable } from '@animal-store/kernel';
import { repeatedly } from '../postgres-errors.js';
import { SharedStatement } from './shared-statement.js';
import type { InsertSql, SqlValue } from '../../sql-session.js';

/** Two, so that the rows behind a slow statement need not wait for it. */
const MAX_STATEMENTS = 2;
/** Bounds the time and the memory that one statement takes. */
const MAX_ROWS = 500;

type Row = readonly SqlValue[];

/** Runs an INSERT outside a transaction and returns the ids in the order in which PostgreSQL generated them. */
export type RunInsert = (sql: string, parameters: readonly (SqlValue | Row)[]) => Promise<readonly bigint[]>;

/**
 * Inserts the rows of one statement outside a transaction. Those that arrive in one turn of the event loop become one
 * statement, which commits by itself, together with those that arrived while the statements before it ran
 * (decision 14).
 */
export class InsertQueue {
  private readonly rows: Batcher<Row, bigint>;
  private readonly shared: SharedStatement;

  /** @param limitMs how long a row may wait for the statements before it */
  constructor(
    private readonly statement: InsertSql,
    private readonly run: RunInsert,
    limitMs: number,
  ) {
    this.shared = new SharedStatement(statement.many !== null);
    this.rows = new Batcher((rows) => this.send(rows), { max: MAX_ROWS, atOnce: MAX_STATEMENTS, limitMs });
  }

  get waitingCount(): number {
    return this.rows.waitingCount;
  }

  /** @throws StorageUnavailable when the row was not sent in time, or when it is unknown whether it was stored. */
  insert(row: Row): Promise<bigint> {
    return this.shared.isUsable ? this.rows.add(row) : this.insertAlone(row);
  }

  private async insertAlone(row: Row): Promise<bigint> {
    const [id] = await repeatedly(() => this.run(this.statement.single, row));
    return id!;
  }

  private async send(rows: readonly Row[]): Promise<readonly (bigint | Promise<bigint>)[]> {
    if (rows.length === 1) return [await this.insertAlone(rows[0]!)];
    return this.shared.run<readonly (bigint | Promise<bigint>)[]>(
      () => this.insertTogether(rows),
      () => rows.map((row) => this.insertAlone(row)),
    );
  }

  private async insertTogether(rows: readonly Row[]): Promise<readonly bigint[]> {
    const columns = rows[0]!.map((_, index) => rows.map((row) => row[index]!));
    const ids = await this.run(this.statement.many!, columns);
    const areInOrder = ids.every((id, index) => index === 0 || id > ids[index - 1]!);
    if (ids.length === rows.length && areInOrder) return ids;
    this.shared.isUsable = false;
    // The rows are stored, but it is unknown which id belongs to which row.
    throw new StorageUnavailable(
      `PostgreSQL did not return ${rows.length} ids in ascending order for ${rows.length} rows.`,
    );
  }
}
