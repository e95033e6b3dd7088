import { StorageUnavailable } from '@animal-store/kernel';
import { repeatedly } from '../postgres-errors.js';
import { SharedStatement, WrongResult } from './shared-statement.js';
import type { InsertSql, SqlValue } from '../../sql-session.js';

/** Two, so that the rows behind a slow statement need not wait for it. */
const MAX_STATEMENTS = 2;
/** Bounds the time and the memory that one statement takes. */
const MAX_ROWS = 500;

type Row = readonly SqlValue[];
export type SharedInserts = SharedStatement<Row, bigint>;

/** Runs an INSERT outside a transaction and returns the ids in the order in which PostgreSQL generated them. */
export type RunInsert = (sql: string, parameters: readonly (SqlValue | Row)[]) => Promise<readonly bigint[]>;

/**
 * Inserts the rows of one statement outside a transaction. Those that arrive in one turn of the event loop become one
 * statement, which commits by itself, together with those that arrived while the statements before it ran
 * (decision 14).
 */
export function sharedInserts({ single, many }: InsertSql, run: RunInsert, limitMs: number): SharedInserts {
  const alone = async (row: Row) => (await repeatedly(() => run(single, row)))[0]!;
  return new SharedStatement({
    max: MAX_ROWS,
    atOnce: MAX_STATEMENTS,
    limitMs,
    each: (rows) => Promise.resolve(rows.map(alone)),
    together: many === null ? null : (rows) => insertBatch(many, run, rows),
  });
}

async function insertBatch(many: string, run: RunInsert, rows: readonly Row[]): Promise<readonly bigint[]> {
  const columns = rows[0]!.map((_, index) => rows.map((row) => row[index]!));
  const ids = await run(many, columns);
  const areInOrder = ids.every((id, index) => index === 0 || id > ids[index - 1]!);
  if (ids.length === rows.length && areInOrder) return ids;
  // The rows are stored, but it is unknown which id belongs to which row.
  throw new WrongResult(
    new StorageUnavailable(
      `PostgreSQL did not return ${rows.length} ids in ascending order for ${rows.length} rows.`,
    ),
  );
}
