import { type InsertDatabase, type InsertOfMany, InsertQueue } from './insert-queue.js';
import type { InsertSql, SqlValue } from '../sql-session.js';

/** Units of work that are one insert, on PostgreSQL: the rows of one moment share a statement and its commit. */
export class GroupCommit {
  private readonly queues = new Map<string, InsertQueue>();

  /** @param limitMs how long a row waits at most until it is sent */
  constructor(
    private readonly database: InsertDatabase,
    private readonly limitMs: number,
  ) {}

  /** Rows that are not sent yet. */
  get waitingCount(): number {
    let count = 0;
    for (const { waitingCount } of this.queues.values()) count += waitingCount;
    return count;
  }

  /** Inserts the row and returns its id once it is committed. */
  insert(statement: InsertSql, values: readonly SqlValue[]): Promise<bigint> {
    return canHaveManyRows(statement)
      ? this.queueOf(statement).insert(values)
      : this.database.insertAlone(statement, values);
  }

  private queueOf(statement: InsertOfMany): InsertQueue {
    let queue = this.queues.get(statement.many);
    if (!queue) {
      queue = new InsertQueue(statement, this.database, this.limitMs);
      this.queues.set(statement.many, queue);
    }
    return queue;
  }
}

function canHaveManyRows(statement: InsertSql): statement is InsertOfMany {
  return statement.many !== null;
}
