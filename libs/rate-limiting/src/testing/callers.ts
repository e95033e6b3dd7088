import type { RateLimitDecision } from '../rate-limit-decision.js';
import type { RateLimitStore } from '../rate-limit.store.js';
import { counted, perDay, perMinute, type RatePlan } from '../rate-plan.js';

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const NOON = Date.UTC(2030, 2, 1, 12);
export const MIDNIGHT = Date.UTC(2030, 2, 2);

/** So many requests a minute, and a day unless that is null. */
export function planOf(minute: number, day: number | null): RatePlan {
  return day === null ? [perMinute(minute)] : [perMinute(minute), perDay(day)];
}

export const free = planOf(60, 1_000);
export const address = planOf(60, null);

/** So many requests let one of 60 a minute be banned: the minute, and half of it refused. */
export const UNTIL_BANNED = 60 + 30;

/** A caller of `store`, who makes requests at noon by default. */
export function aCaller(store: RateLimitStore, plan: RatePlan = free, id = 'key-7', caller?: string) {
  const subject = { id, plan, caller };
  const consume = async (nowMs = NOON, cost?: number) => shown(await store.consume(subject, nowMs, cost));
  return {
    consume,
    /** The last of so many decisions. */
    consumeTimes: async (times: number, nowMs = NOON) => {
      for (let before = 1; before < times; before++) await consume(nowMs);
      return consume(nowMs);
    },
    consumeAtOnce: (times: number, nowMs = NOON) =>
      Promise.all(Array.from({ length: times }, () => consume(nowMs))),
    peek: (nowMs = NOON) => shown(store.peek(subject, nowMs)),
    /** The same caller, on another plan. */
    on: (other: RatePlan) => aCaller(store, other, id, caller),
    /** Another caller of the same subject. */
    as: (other: string) => aCaller(store, plan, id, other),
  };
}

/** A decision, with what is left of a minute and of a day. */
function shown(decision: RateLimitDecision) {
  const { plan, code, allowed, ban, binding, limit, remaining, states } = decision;
  const { resetAtSeconds, retryAfterSeconds } = decision;
  const windows = counted(plan).windows.map(({ name, limit: most }, index) => ({
    name,
    limit: most,
    remaining: states[2 * index],
    resetSeconds: states[2 * index + 1],
  }));
  const stateOf = (name: string) => windows.find((window) => window.name === name);
  return {
    plan,
    code,
    allowed,
    ban,
    binding,
    limit,
    remaining,
    windows,
    resetAtSeconds,
    retryAfterSeconds,
    minute: stateOf('minute')?.remaining,
    minuteResetSeconds: stateOf('minute')?.resetSeconds,
    day: stateOf('day')?.remaining,
  };
}

/** What is used of a minute and of a day, and the ban. */
export async function usageOf(store: RateLimitStore, nowMs = NOON, id = 'key-7', caller?: string) {
  const { windows, ban } = await store.usage(id, nowMs, caller);
  const used = (seconds: number | 'day') =>
    windows.find((window) => window.budget === null && window.seconds === seconds)?.used ?? 0;
  return { minute: used(60), day: used('day'), ban };
}
