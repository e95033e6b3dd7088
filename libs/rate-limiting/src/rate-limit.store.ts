import type { ThrottlerStorage } from '@nestjs/throttler';
import type { RateLimitDecision } from './rate-limit-decision.js';
import type { RateSubject } from './rate-subject.js';
import type { Usage } from './stores/counter.js';

/**
 * Counts requests. A subject is anything with its own limits: a key, an account, an address. Several callers may share
 * one, each with a plan of its own: their requests count together, and each one's plan is the limit of its requests.
 *
 * A store decides and counts in one step: of any number of concurrent requests it never allows more than the plan. It
 * is a `ThrottlerStorage`, so that another ThrottlerGuard can count in it.
 */
export abstract class RateLimitStore implements ThrottlerStorage {
  /** The clock of `increment`, which gets no time. */
  now: () => number = Date.now;

  /**
   * Decides one request of `subject` and counts it. A store without I/O returns the decision and no promise.
   *
   * @param now milliseconds since the Unix epoch
   * @param cost how many requests it counts as, by default 1. When not all of them fit, none is counted.
   * @example
   * ```ts
   * const subject = { id: 'key-7', plan: [perMinute(60), perDay(1000)] };
   * const decision = await store.consume(subject, Date.now());
   * if (!decision.allowed) console.log(`retry in ${decision.retryAfterSeconds} s`);
   * ```
   */
  abstract consume(
    subject: RateSubject,
    now: number,
    cost?: number,
  ): RateLimitDecision | Promise<RateLimitDecision>;

  /** The decision about a request of `subject`, as far as this process knows, without I/O and without counting it. */
  abstract peek(subject: RateSubject, now: number): RateLimitDecision;

  /** What `subject` has used so far, and the ban of `caller`, by default the subject itself. It counts nothing. */
  abstract usage(subject: string, now: number, caller?: string): Usage | Promise<Usage>;

  /**
   * Ends the ban of `caller`, by default the subject itself, and forgets it, so that the next one counts as a first
   * one. It lifts only a ban that began at `liftedAtMs` or before: a lift may be repeated or arrive late and never ends
   * a later ban.
   */
  abstract liftBan(subject: string, liftedAtMs: number, caller?: string): void | Promise<void>;

  /**
   * One window for another ThrottlerGuard. A refused request is not counted, and who continues is banned by the
   * rules of this store, so `blockDuration` does nothing.
   */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    _blockDuration: number,
    throttlerName: string,
  ): Promise<{ totalHits: number; timeToExpire: number; isBlocked: boolean; timeToBlockExpire: number }> {
    const plan = [{ name: throttlerName, limit, seconds: Math.ceil(ttl / 1_000) }];
    const decision = await this.consume({ id: `throttler ${key}`, plan }, this.now());
    const [timeToExpire = 0] = decision.states.slice(1);
    const { allowed, remaining, retryAfterSeconds: timeToBlockExpire } = decision;
    return {
      totalHits: limit - remaining + Number(!allowed),
      timeToExpire,
      isBlocked: !allowed,
      timeToBlockExpire,
    };
  }

  /** Releases connections and timers. */
  close(): void | Promise<void> {}
}

/** A remote store that responds and can never count: it is another kind of server than its URL says. */
export class UnusableStore extends Error {
  /**
   * @param kind what the server is, such as `a node of a Redis Cluster`
   * @param scheme that of a URL of such a server, without TLS
   */
  constructor(
    readonly kind: string,
    readonly scheme: string,
    cause: unknown,
  ) {
    super(`The store is ${kind}, so its URL must begin with ${scheme}:.`, { cause });
    this.name = 'UnusableStore';
  }
}

/** A remote store that responds and cannot count this subject. It may count others. */
export class SubjectNotCounted extends Error {
  constructor(
    readonly subject: string,
    cause: Error,
  ) {
    super(`The store cannot count ${subject}: ${cause.message}`, { cause });
    this.name = 'SubjectNotCounted';
  }
}
