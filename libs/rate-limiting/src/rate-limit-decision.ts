import { DAY_MS } from '@animal-store/kernel';
import { MINUTE_MS, type RatePlan } from './rate-plan.js';

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

/** A request that a store has decided and counted. Times in milliseconds since the Unix epoch. */
export interface Counted {
  readonly nowMs: number;
  /** How far `nowMs` and the other times are ahead of the clock that callers go by: see SteadyTime. */
  readonly aheadMs: number;
  readonly refused: boolean;
  /** How many requests this one counts as. */
  readonly cost: number;
  readonly banBegan: boolean;
  /** When the running minute window began; now when none is running. */
  readonly minuteStartMs: number;
  /** The requests in it, with this one. */
  readonly minuteUsed: number;
  readonly dayUsed: number;
  /** 0 when there is no ban in force. */
  readonly bannedUntilMs: number;
  /** How long the last ban lasts or lasted; 0 when none is remembered. */
  readonly banMs: number;
}

/** Computes the header values from what was counted. */
export function decisionOf(plan: RatePlan, counted: Counted): RateLimitDecision {
  const { nowMs, aheadMs, refused, cost, bannedUntilMs } = counted;
  const dayEndsAtMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
  let minuteRemaining = Math.max(0, plan.perMinute - counted.minuteUsed);
  let minuteEndsAtMs = counted.minuteStartMs + MINUTE_MS;
  if (bannedUntilMs !== 0) {
    if (minuteRemaining >= cost || bannedUntilMs > minuteEndsAtMs) minuteEndsAtMs = bannedUntilMs;
    minuteRemaining = 0;
  }
  const dayRemaining = plan.perDay === null ? Infinity : Math.max(0, plan.perDay - counted.dayUsed);

  const bothRefuse = refused && minuteRemaining < cost && dayRemaining < cost;
  const dayBinds = bothRefuse ? dayEndsAtMs >= minuteEndsAtMs : dayRemaining <= minuteRemaining;
  const resetAtMs = dayBinds ? dayEndsAtMs : minuteEndsAtMs;
  return {
    plan,
    allowed: !refused,
    code: refused ? refusalCode(bannedUntilMs !== 0, dayBinds) : null,
    banBegan: counted.banBegan,
    minuteRemaining,
    minuteResetSeconds: Math.ceil((minuteEndsAtMs - nowMs) / 1000),
    dayRemaining: plan.perDay === null ? null : dayRemaining,
    dayResetSeconds: Math.ceil((dayEndsAtMs - nowMs) / 1000),
    limit: dayBinds ? plan.perDay! : plan.perMinute,
    remaining: dayBinds ? dayRemaining : minuteRemaining,
    resetAtSeconds: Math.ceil((resetAtMs - aheadMs) / 1000),
    retryAfterSeconds: refused ? Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000)) : 0,
  };
}

function refusalCode(banned: boolean, dayBinds: boolean): RefusalCode {
  if (banned) return 'api_key_banned';
  return dayBinds ? 'daily_quota_exceeded' : 'rate_limit_exceeded';
}
