import { DAY_MS } from '@animal-store/kernel';
import { add, addRefusal, bannedUntil, type Counter, dayUsed, minuteUsed, rollOver } from './counter.js';
import { type BanRules, MINUTE_MS, type RatePlan } from '../rate-plan.js';

export type RefusalCode = 'rate_limit_exceeded' | 'daily_quota_exceeded' | 'api_key_banned';

/** The decision about one request, and the values of its response headers. */
export interface RateLimitDecision {
  readonly plan: RatePlan;
  readonly allowed: boolean;
  /** Why the request is refused; null when it is allowed. */
  readonly code: RefusalCode | null;
  /** Whether this refused request started the ban. */
  readonly banBegan: boolean;
  /** Requests left in the minute. A ban leaves none until it ends. */
  readonly minuteRemaining: number;
  /** Whole seconds until the minute window resets, or the ban ends when that is later; rounded up. */
  readonly minuteResetSeconds: number;
  /** Requests left in the UTC day; null when the plan limits no day. */
  readonly dayRemaining: number | null;
  /** Whole seconds until the next UTC midnight, rounded up. */
  readonly dayResetSeconds: number;
  /** The limit of the binding window: the one with fewer requests left, on a tie the day; of a refused request the exhausted one that resets last. */
  readonly limit: number;
  /** Requests left in the binding window. */
  readonly remaining: number;
  /** When the binding window resets: Unix time in seconds, rounded up. */
  readonly resetAtSeconds: number;
  /** Seconds until a request can succeed, at least 1; 0 when this request is allowed. */
  readonly retryAfterSeconds: number;
}

/**
 * Decides one request and counts it. Knows no clock and does no I/O: all it needs is handed in, and all it changes is
 * `counter`.
 *
 * Both windows are checked, then both counted, `cost` requests in each; a refused request costs no quota. The minute is
 * fixed and starts with the first request counted in it; the day is the UTC calendar day. Refused requests are counted
 * over a fixed minute that starts with the first of them; the one that reaches the number is a banned one. During a ban nothing is
 * counted at all.
 *
 * The stores hand in a time that does not go back, but for a process that begins anew and for replicas that
 * disagree a little. Then too no step back opens a window that was already used up, and none closes one for long:
 * - The minute window stays as it is when its start is up to a minute ahead; when it is further ahead, it is moved to
 *   start now and keeps its count. Either way it is over at most two minutes after the step.
 * - Back over a midnight, the day that comes again has the count it had. Back by more than a day, where the count is
 *   not known any more, the larger of the two kept counts is carried to that day.
 * - A ban never lasts longer from now than it was made to last.
 *
 * @param skew how far `now` is ahead of the clock that callers go by
 */
export function count(
  counter: Counter,
  plan: RatePlan,
  now: number,
  bans: BanRules,
  skew = 0,
  cost = 1,
): RateLimitDecision {
  rollOver(counter, now);
  const isAllowed = hasRoom(counter, plan, now, cost);
  let banBegan = false;
  if (isAllowed) add(counter, plan, now, cost);
  else if (bannedUntil(counter, now) === 0) banBegan = addRefusal(counter, plan, now, bans);
  return decisionOf(counter, plan, now, skew, cost, isAllowed, banBegan);
}

/** The decision that `count` would make about a request, without counting it. */
export function peek(counter: Counter, plan: RatePlan, now: number, skew = 0): RateLimitDecision {
  rollOver(counter, now);
  return decisionOf(counter, plan, now, skew, 1, hasRoom(counter, plan, now, 1), false);
}

function hasRoom(counter: Counter, { perMinute, perDay }: RatePlan, now: number, cost: number): boolean {
  return (
    bannedUntil(counter, now) === 0 &&
    minuteUsed(counter, now) + cost <= perMinute &&
    (perDay === null || dayUsed(counter, now) + cost <= perDay)
  );
}

/** The decision about a request that is counted already. */
export function decisionOf(
  counter: Counter,
  plan: RatePlan,
  now: number,
  skew: number,
  cost: number,
  allowed: boolean,
  banBegan: boolean,
): RateLimitDecision {
  const used = minuteUsed(counter, now);
  const bannedUntilMs = bannedUntil(counter, now);
  const dayEndsAtMs = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  let minuteRemaining = Math.max(0, plan.perMinute - used);
  let minuteEndsAtMs = (used === 0 ? now : counter.minuteStartMs) + MINUTE_MS;
  if (bannedUntilMs !== 0) {
    if (minuteRemaining >= cost || bannedUntilMs > minuteEndsAtMs) minuteEndsAtMs = bannedUntilMs;
    minuteRemaining = 0;
  }
  const dayRemaining = plan.perDay === null ? Infinity : Math.max(0, plan.perDay - dayUsed(counter, now));

  const bothRefuse = !allowed && minuteRemaining < cost && dayRemaining < cost;
  const dayBinds = bothRefuse ? dayEndsAtMs >= minuteEndsAtMs : dayRemaining <= minuteRemaining;
  const resetAtMs = dayBinds ? dayEndsAtMs : minuteEndsAtMs;
  return {
    plan,
    allowed,
    code: allowed ? null : refusalCode(bannedUntilMs !== 0, dayBinds),
    banBegan,
    minuteRemaining,
    minuteResetSeconds: Math.ceil((minuteEndsAtMs - now) / 1000),
    dayRemaining: plan.perDay === null ? null : dayRemaining,
    dayResetSeconds: Math.ceil((dayEndsAtMs - now) / 1000),
    limit: dayBinds ? plan.perDay! : plan.perMinute,
    remaining: dayBinds ? dayRemaining : minuteRemaining,
    resetAtSeconds: Math.ceil((resetAtMs - skew) / 1000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((resetAtMs - now) / 1000)),
  };
}

function refusalCode(banned: boolean, dayBinds: boolean): RefusalCode {
  if (banned) return 'api_key_banned';
  return dayBinds ? 'daily_quota_exceeded' : 'rate_limit_exceeded';
}
