import type { Clock } from '@animal-store/kernel';
import type { Webhook } from '../../domain/webhook.js';

/** How many of the places of a process an account may have at once that was slow within the last minute. */
const MOST_OF_ACCOUNT = 10;
/** Of a host more, so that no account has them all. */
const MOST_OF_HOST = 20;
const SLOW_AFTER_MS = 1_000;
const SLOW_FOR_MS = 60_000;
/** When a webhook comes back that has got no place. */
export const WITHOUT_PLACE_MS = 2_000;
/** One that had its turn gives way to those that got none: they come back before it. */
const REST_MS = WITHOUT_PLACE_MS + 500;

/** So that receivers that respond after seconds, however many, do not hold up others for long. */
export class Places {
  private readonly taken = new Map<string, number>();
  /** Until when each was slow, in that order. */
  private readonly slowUntilMs = new Map<string, number>();

  /** When each of these last had no place left for a webhook. */
  private readonly refusedAtMs = new Map<string, number>();
  /** Until when each webhook gives way, in that order. */
  private readonly restUntilMs = new Map<bigint, number>();

  constructor(private readonly clock: Clock) {}

  /** Does the work on a place of the webhook. Returns false, and does nothing, when it gets none. */
  async on(webhook: Webhook, work: () => Promise<void>): Promise<boolean> {
    const owners = ownersOf(webhook);
    const beganMs = this.clock.monotonicMs();
    if ((this.restUntilMs.get(webhook.id) ?? -Infinity) > beganMs) return false;
    const full = owners.filter((owner) => this.takenBy(owner) >= this.maxOf(owner));
    for (const owner of full) this.refusedAtMs.set(owner, beganMs);
    if (full.length > 0) return false;
    for (const owner of owners) this.taken.set(owner, this.takenBy(owner) + 1);
    try {
      await work();
    } finally {
      for (const owner of owners) {
        if (this.takenBy(owner) > 1) this.taken.set(owner, this.takenBy(owner) - 1);
        else this.taken.delete(owner);
      }
      this.rest(webhook.id, owners);
    }
    return true;
  }

  /** Has a webhook give way when others have got no place lately. */
  private rest(id: bigint, owners: readonly string[]): void {
    const nowMs = this.clock.monotonicMs();
    dropUntil(this.restUntilMs, nowMs);
    const areWaiting = owners.some(
      (owner) => nowMs - (this.refusedAtMs.get(owner) ?? -Infinity) <= WITHOUT_PLACE_MS,
    );
    if (areWaiting) this.restUntilMs.set(id, nowMs + REST_MS);
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
    for (const owner of dropUntil(this.slowUntilMs, nowMs)) this.refusedAtMs.delete(owner);
    return outcome;
  }

  private takenBy(owner: string): number {
    return this.taken.get(owner) ?? 0;
  }

  private maxOf(owner: string): number {
    const isSlow = (this.slowUntilMs.get(owner) ?? -Infinity) > this.clock.monotonicMs();
    if (!isSlow) return Infinity;
    return owner.startsWith('host ') ? MOST_OF_HOST : MOST_OF_ACCOUNT;
  }
}

function ownersOf({ account, url }: Webhook): readonly string[] {
  return [`account ${account}`, `host ${new URL(url).hostname}`];
}

/** Drops what has ended from a map whose entries end in their order. @returns what it has dropped */
function dropUntil<Key>(untilMs: Map<Key, number>, nowMs: number): Key[] {
  const dropped: Key[] = [];
  for (const [key, endMs] of untilMs) {
    if (endMs > nowMs) break;
    untilMs.delete(key);
    dropped.push(key);
  }
  return dropped;
}
