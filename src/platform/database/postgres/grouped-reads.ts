import type { SqlValue } from '../sql-session.js';
import { type ReadConnections, ReadQueue } from './read-queue.js';
import type { CompiledStatement } from '../statements/compiled-statement.js';
import { groupedTypeOf } from '../statements/grouped-statement.js';

/**
 * Reads of PostgreSQL outside a transaction. While a statement is under way, further reads with the same text wait for
 * it and then share the next statement: equal ones its rows, others its round trip. So the more requests there are, the
 * fewer statements each of them costs. A read for which nothing is under way begins at once.
 *
 * A statement begins after every read that it serves has arrived. So a read sees everything that was committed before
 * it, whichever server wrote it.
 */
export class GroupedReads {
  /** The queues of a text differ in the types of their arguments. */
  private readonly queues = new Map<CompiledStatement, ReadQueue[]>();

  constructor(private readonly connections: ReadConnections) {}

  /** How many reads wait for their statement to begin. */
  get waitingCount(): number {
    let count = 0;
    for (const queues of this.queues.values()) for (const queue of queues) count += queue.waitingCount;
    return count;
  }

  /** The queue for reads with such arguments; null when each of them needs a statement of its own. */
  queueFor(statement: CompiledStatement, values: readonly SqlValue[]): ReadQueue | null {
    if (statement.groupable === null) return null;
    let queues = this.queues.get(statement);
    if (queues === undefined) this.queues.set(statement, (queues = []));
    let queue = queues.find((known) => known.accepts(values));
    if (queue === undefined) {
      const types = values.map(groupedTypeOf);
      if (types.includes(null)) return null;
      queues.push((queue = new ReadQueue(statement, types as string[], this.connections)));
    }
    return queue.canGroup ? queue : null;
  }
}
