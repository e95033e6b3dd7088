import type { Clock } from '@animal-store/kernel';
import type { Webhook } from '../../domain/webhook.js';

/** How many of the places of a process an account, or a host, may have at once that was slow within the last minute. */
const MOST_SLOW_PLACES = 10;
const SLOW_AFTER_MS = 1_000;
const SLOW_FOR_MS = 60_000;

/** So that receivers that respond after seconds, however many, do not hold up those of other accounts on other hosts. */
export class Places {
  private readonly taken = new Map<string, number>();
  /** Until when each was slow, in that order. */
  private readonly slowUntilMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Does the work on a place of the webhook. Returns false, and does nothing, when it gets none. */
  async on(webhook: Webhook, work: () => Promise<void>): Promise<boolean> {
    const owners = ownersOf(webhook);
    if (owners.some((owner) => this.takenBy(owner) >= this.mostOf(owner))) return false;
    for (const owner of owners) this.taken.set(owner, this.takenBy(owner) + 1);
    try {
      await work();
    } finally {
      for (const owner of owners) {
        if (this.takenBy(owner) > 1) this.taken.set(owner, this.takenBy(owner) - 1);
        else this.taken.delete(owner);
      }
    }
    return true;
  }

  /** Sends, and remembers whether the receiver was slow. */
  async timed<T>(webhook: Webhook, send: () => Promise<T>): Promise<T> {
    const beganMs = this.clock.monotonicMs();
    const outcome = await send();
    const nowMs = this.clock.monotonicMs();
    if (nowMs - beganMs < SLOW_AFTER_MS) return outcome;
    for (const owner of ownersOf(webhook)) {
      this.slowUntilMs.delete(owner);
      this.slowUntilMs.set(owner, nowMs + SLOW_FOR_MS);
    }
    for (const [owner, untilMs] of this.slowUntilMs) {
      if (untilMs > nowMs) break;
      this.slowUntilMs.delete(owner);
    }
    return outcome;
  }

  private takenBy(owner: string): number {
    return this.taken.get(owner) ?? 0;
  }

  private mostOf(owner: string): number {
    const isSlow = (this.slowUntilMs.get(owner) ?? -Infinity) > this.clock.monotonicMs();
    return isSlow ? MOST_SLOW_PLACES : Infinity;
  }
}

function ownersOf({ account, url }: Webhook): readonly string[] {
  return [`account ${account}`, `host ${new URL(url).hostname}`];
}
