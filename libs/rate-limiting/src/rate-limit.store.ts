import type { RateLimitDecision } from './rate-limit-decision.js';
import type { RateSubject } from './rate-subject.js';
import type { Usage } from './usage.js';

/**
 * Where requests are counted. A subject is whatever is limited on its own: a key, an account, an address.
 *
 * A store decides and counts in one step: of any number of concurrent requests never one more than the plan allows
 * gets through.
 */
export abstract class RateLimitStore {
  /**
   * Decides one request of `subject` and counts it. A store that needs no I/O answers at once, without a promise.
   *
   * @param nowMs milliseconds since the Unix epoch
   * @example
   * ```ts
   * const subject = { id: 'key-7', plan: { perMinute: 60, perDay: 1000 } };
   * const decision = await store.consume(subject, Date.now());
   * if (!decision.allowed) console.log(`retry in ${decision.retryAfterSeconds} s`);
   * ```
   */
  abstract consume(subject: RateSubject, nowMs: number): RateLimitDecision | Promise<RateLimitDecision>;

  /**
   * What would be decided about a request of `subject`, as far as this process knows: without I/O, and counting nothing.
   */
  abstract peek(subject: RateSubject, nowMs: number): RateLimitDecision;

  /**
   * Ends the ban of `subject` and forgets it, so that a next one is a first one. Only a ban that began at
   * `liftedAtMs` or before: the same lift may be repeated, or arrive late, and never ends a later ban.
   */
  abstract liftBan(subject: string, liftedAtMs: number): void | Promise<void>;

  /** What `subject` has used so far. Counts nothing. */
  abstract usage(subject: string, nowMs: number): Usage | Promise<Usage>;

  /** Gives back connections and timers. */
  close(): void | Promise<void> {}
}
