import type { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { DAY_MS, MINUTE_MS } from './plan-window.js';
import { decisionOf, type RateLimitDecision } from './rate-limit-decision.js';
import type { RateSubject } from './rate-subject.js';
import type { Counted } from './redis-scripts.js';

/** What the script that counts returns: for each subject what was counted, or why it cannot be. */
export type ConsumeReply = [nowMs: number, aheadMs: number, ...subjects: (Counted[] | string)[]];

/** A request that waits for its decision. */
interface WaitingRequest {
  readonly subject: RateSubject;
  readonly cost: number;
  readonly resolve: (decision: RateLimitDecision) => void;
  readonly reject: (cause: unknown) => void;
}

/** The requests that one call of the script decides, those of a subject in the order in which they came. */
export class ConsumeBatch {
  private readonly waiting = new Map<string, WaitingRequest[]>();
  private requests = 0;

  /** @param clockMs what the clock shows; false to go by the clock of the server */
  constructor(readonly clockMs: number | false) {}

  /** The number of its requests. */
  get size(): number {
    return this.requests;
  }

  /** The ids of its subjects. */
  get subjects(): string[] {
    return [...this.waiting.keys()];
  }

  /** What to count for each of them, as the script takes it. */
  get counts(): (number | false)[][] {
    return Array.from(this.waiting.values(), (requests) =>
      requests.flatMap(({ subject: { plan }, cost }) => [plan.perMinute, plan.perDay ?? false, cost]),
    );
  }

  add(subject: RateSubject, cost: number): Promise<RateLimitDecision> {
    this.requests++;
    return new Promise((resolve, reject) => {
      const request = { subject, cost, resolve, reject };
      const earlier = this.waiting.get(subject.id);
      if (earlier === undefined) this.waiting.set(subject.id, [request]);
      else earlier.push(request);
    });
  }

  /** Hands every request its decision, and every count to the mirror. */
  settle([nowMs, aheadMs, ...subjects]: ConsumeReply, mirror: MemoryRateLimitStore): void {
    let index = 0;
    for (const requests of this.waiting.values()) {
      const counted = subjects[index++]!;
      if (typeof counted === 'string') reject(requests, new Error(counted));
      else requests.forEach((request, at) => decide(request, counted[at]!, nowMs, aheadMs, mirror));
    }
  }

  fail(cause: unknown): void {
    for (const requests of this.waiting.values()) reject(requests, cause);
  }
}

function reject(requests: WaitingRequest[], cause: unknown): void {
  for (const request of requests) request.reject(cause);
}

function decide(
  { subject, cost, resolve }: WaitingRequest,
  counted: Counted,
  nowMs: number,
  aheadMs: number,
  mirror: MemoryRateLimitStore,
): void {
  const [refused, banBegan, minuteStartMs, minuteUsed, dayUsed, bannedUntilMs, banMs] = counted;
  const seen = { nowMs, minuteStartMs, minuteCount: minuteUsed, dayCount: dayUsed, bannedUntilMs, banMs };
  mirror.adopt(subject, seen, cost);
  resolve(
    decisionOf(subject.plan, {
      nowMs,
      aheadMs,
      refused,
      cost,
      banBegan,
      minuteUsed,
      minuteEndsAtMs: minuteStartMs + MINUTE_MS,
      dayUsed,
      dayEndsAtMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS,
      bannedUntilMs,
    }),
  );
}
