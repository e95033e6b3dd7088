import type { RatePlan } from '../rate-plan.js';
import type { RateLimitStore, RateSubject } from '../rate-limit.store.js';
import type { RateLimitDecision } from '../stores/plan-window.js';

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const NOON = Date.UTC(2030, 2, 1, 12);
export const MIDNIGHT = Date.UTC(2030, 2, 2);

export const free = { perMinute: 60, perDay: 1_000 };
export const address = { perMinute: 60, perDay: null };

/** So many requests let one of 60 a minute be banned: the minute, and half of it refused. */
export const UNTIL_BANNED = 60 + 30;

/** A caller of `store`, who makes requests at noon unless told. */
export function aCaller(store: RateLimitStore, plan: RatePlan = free, id = 'key-7') {
  const subject: RateSubject = { id, plan };
  const ask = async (nowMs = NOON, cost?: number): Promise<RateLimitDecision> =>
    store.consume(subject, nowMs, cost);
  return {
    ask,
    /** The last of so many decisions. */
    askTimes: async (times: number, nowMs = NOON) => {
      for (let before = 1; before < times; before++) await ask(nowMs);
      return ask(nowMs);
    },
    askAtOnce: (times: number, nowMs = NOON) => Promise.all(Array.from({ length: times }, () => ask(nowMs))),
    peek: (nowMs = NOON) => store.peek(subject, nowMs),
    /** The same caller, on another plan. */
    on: (other: RatePlan) => aCaller(store, other, id),
  };
}
