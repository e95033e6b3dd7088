import type { Witness } from '../cluster/customer.js';
import type { Burst, CountsLost, History, Operation } from '../cluster/history.js';
import type { KeyEnd, KeyUse } from './keys/check.js';

const MAX_PROBLEMS = 10;

/** Records the history of a round. What happens next waits for responses, and not for time. */
export class Recorder implements History, Witness {
  readonly operations: Operation[] = [];
  readonly bursts: Burst[] = [];
  readonly countsLost: CountsLost[] = [];
  readonly keyUses: KeyUse[] = [];
  readonly keyEnds: KeyEnd[] = [];
  /** Responses that no request may get. */
  readonly problems: string[] = [];
  /** Every fault, with its times. */
  readonly faults: string[] = [];
  /** The number of requests by status. Without a response it is 0. */
  readonly statuses = new Map<number, number>();
  private waiting: { left: number; readonly resolve: () => void }[] = [];
  private isOver = false;

  record(operation: Operation): void {
    this.operations.push(operation);
  }

  problem(text: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(text);
  }

  /** Call it for every request that has ended. */
  ended(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    for (const one of this.waiting) if (--one.left === 0) one.resolve();
    this.waiting = this.waiting.filter(({ left }) => left > 0);
  }

  /** Resolves when `count` more requests have ended, or all of them. */
  async requests(count: number): Promise<void> {
    if (this.isOver) return;
    await new Promise<void>((resolve) => this.waiting.push({ left: count, resolve }));
  }

  /** Nothing waits for requests any more. */
  stop(): void {
    this.isOver = true;
    for (const { resolve } of this.waiting.splice(0)) resolve();
  }

  get requestCount(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }
}
