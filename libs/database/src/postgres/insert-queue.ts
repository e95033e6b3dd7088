import { Batcher, StorageUnavailable } from '@animal-store/kernel';
import { repeatedly } from './postgres-errors.js';
import type { InsertSql, SqlValue } from '../sql-session.js';
import { errorCode, UniqueViolation } from '../driver-errors.js';

/** Two, so that the rows behind a slow statement need not wait for it. */
const MAX_STATEMENTS = 2;
/** Bounds the time and the memory that one statement takes. */
const MAX_ROWS = 500;
/**
 * The errors that one row can cause: by its data, a constraint, a trigger or a deadlock (PostgreSQL, appendix A). Nothing
 * is stored after them.
 */
const CAUSED_BY_A_ROW = /^(22|23|40001|40P01|44|P0)/;
/** No such operator, a wrong or an unknown type: the text of many rows does not fit the table. Nothing is stored. */
const WRONG_TEXT = /^(42883|42804|42846|42P18)$/;

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
  private canShare: boolean;

  /** @param limitMs how long a row may wait for the statements before it */
  constructor(
    private readonly statement: InsertSql,
    private readonly run: RunInsert,
    limitMs: number,
  ) {
    this.canShare = statement.many !== null;
    this.rows = new Batcher((rows) => this.send(rows), { most: MAX_ROWS, atOnce: MAX_STATEMENTS, limitMs });
  }

  get waitingCount(): number {
    return this.rows.waitingCount;
  }

  /** @throws StorageUnavailable when the row was not sent in time, or when it is unknown whether it was stored. */
  insert(row: Row): Promise<bigint> {
    return this.canShare ? this.rows.add(row) : this.insertAlone(row);
  }

  private async insertAlone(row: Row): Promise<bigint> {
    const [id] = await repeatedly(() => this.run(this.statement.single, row));
    return id!;
  }

  private async send(rows: readonly Row[]): Promise<readonly (bigint | Promise<bigint>)[]> {
    const [first] = rows as [Row];
    if (rows.length === 1) return [await this.insertAlone(first)];
    const columns = first.map((_, index) => rows.map((row) => row[index]!));
    let ids: readonly bigint[];
    try {
      ids = await this.run(this.statement.many!, columns);
    } catch (error) {
      const code = errorCode(error);
      if (WRONG_TEXT.test(code)) this.canShare = false;
      else if (!(error instanceof UniqueViolation || CAUSED_BY_A_ROW.test(code))) {
        // The rows may have been stored, and nothing is inserted twice.
        throw error;
      }
      return rows.map((row) => this.insertAlone(row));
    }
    if (!areInOrder(ids, rows.length)) {
      this.canShare = false;
      // The rows are stored, but it is unknown which id belongs to which row.
      throw new StorageUnavailable(
        `PostgreSQL did not return ${rows.length} ids in ascending order for ${rows.length} rows.`,
      );
    }
    return ids;
  }
}

function areInOrder(ids: readonly bigint[], count: number): boolean {
  return ids.length === count && ids.every((id, index) => index === 0 || id > ids[index - 1]!);
}
