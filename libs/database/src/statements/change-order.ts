import type { Transaction } from '@animal-store/kernel';
import type { SelectStatement } from './statement.js';

interface ChangedAt {
  readonly changedAtMs: number | null;
}

/**
 * The order of the changes of a table: each gets a `changedAtMs` later than that of every change committed before,
 * whatever the clocks of the hosts. A `ChangeFeed` reads by it.
 */
export class ChangeOrder<Row extends object> {
  /** @param lockTurn Changes take turns until their transactions end, so they are committed in this order. */
  constructor(
    readonly lockTurn: (transaction: Transaction) => Promise<void>,
    private readonly latest: SelectStatement<object, ChangedAt>,
    private readonly changed: SelectStatement<{ readonly afterMs: number; readonly limit: number }, Row>,
  ) {}

  /** The latest change; null when there is none. */
  async latestMs(transaction?: Transaction): Promise<number | null> {
    return (await this.latest.getOne({}, transaction))?.changedAtMs ?? null;
  }

  /** The time of a change that is made now. Other changes wait until the transaction ends. */
  async nextMs(nowMs: number, transaction: Transaction): Promise<number> {
    await this.lockTurn(transaction);
    const latestMs = await this.latestMs(transaction);
    return latestMs === null ? nowMs : Math.max(nowMs, latestMs + 1);
  }

  /** The rows that were changed after this time, in the order of their changes; at most `limit` of them. */
  after(afterMs: number, limit: number): Promise<readonly Row[]> {
    return this.changed.getMany({ afterMs, limit });
  }
}
