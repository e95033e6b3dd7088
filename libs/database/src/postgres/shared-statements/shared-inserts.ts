import type { Pool } from 'pg';
import { StorageUnavailable } from '@animal-store/kernel';
import type { InsertRow, InsertSql, SqlValue } from '../../sql-session.js';
import type { Connections } from '../connections/connections.js';
import { LockTimedOut } from '../postgres-errors.js';
import type { InsertedRow } from '../postgres-transaction.js';
import { SharedStatement } from './shared-statement.js';

/** Two, so that rows queued after a slow statement need not wait for it. */
const MAX_STATEMENTS = 2;
/** Bounds the time and the memory that one statement takes. */
const MAX_ROWS = 500;

type Row = readonly SqlValue[];

export interface InsertParts {
  readonly connections: Pick<Connections, 'query' | 'names'>;
  readonly pool: Pool;
  /** How long a row may wait for its statement to begin. */
  readonly limitMs: number;
  /** Throws when no further row may wait. */
  readonly requireCapacity: () => void;
  /** Runs the statement among those that wait for locks. */
  readonly waiting: (sql: string, values: readonly SqlValue[]) => Promise<readonly InsertedRow[]>;
  /** Called with the error of a statement. */
  readonly rethrow: (error: unknown) => never;
}

/**
 * Inserts the rows of one statement outside a transaction. Those that arrive in one turn of the event loop become one
 * statement, which commits by itself, together with those that arrived while the statements before it ran
 * (decision 14).
 */
export class SharedInserts extends SharedStatement<Row, bigint> {
  constructor(
    private readonly statement: InsertSql,
    private readonly parts: InsertParts,
  ) {
    super({ max: MAX_ROWS, atOnce: MAX_STATEMENTS, limitMs: parts.limitMs }, statement.many !== null);
  }

  readonly insert: InsertRow = async (row) => {
    this.parts.requireCapacity();
    return this.add(row);
  };

  protected each(rows: readonly Row[]): Promise<readonly Promise<bigint>[]> {
    return Promise.resolve(rows.map(async (row) => (await this.run(this.statement.single, row))[0]!.id));
  }

  protected async together(rows: readonly Row[]): Promise<readonly bigint[]> {
    const columns = rows[0]!.map((_, index) => rows.map((row) => row[index]!));
    const inserted = await this.run(this.statement.many!, columns as unknown as Row);
    const ids = inserted.map(({ id }) => id);
    const areInOrder = ids.every((id, index) => index === 0 || id > ids[index - 1]!);
    if (ids.length === rows.length && areInOrder) return ids;
    // The rows are stored, but it is unknown which id belongs to which row.
    this.isUsable = false;
    throw new StorageUnavailable(
      `PostgreSQL did not return ${rows.length} ids in ascending order for ${rows.length} rows.`,
    );
  }

  /** @returns the rows in the order in which PostgreSQL generated their ids */
  private async run(sql: string, values: Row): Promise<readonly InsertedRow[]> {
    const { connections, pool, waiting, rethrow } = this.parts;
    try {
      return (await connections.query(pool, connections.names.of(sql), values)).rows as InsertedRow[];
    } catch (error) {
      return error instanceof LockTimedOut ? waiting(sql, values) : rethrow(error);
    }
  }
}
