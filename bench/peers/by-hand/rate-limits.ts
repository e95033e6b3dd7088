import type { Awaitable } from './database.js';
import { failure, type Ready } from './response.js';

export interface Plan {
  readonly name: string;
  readonly perMinute: number;
  /** Infinity without a limit a day. */
  readonly perDay: number;
  readonly policy: string;
}

/** What a key or an address has used. */
export class Counter {
  minuteStartMs = 0;
  minuteCount = 0;
  day = 0;
  dayCount = 0;
  refusals = 0;
  banUntilMs = 0;

  constructor(readonly subject: string) {}
}

/** The headers of the response, and the response itself of a request that is refused. */
export interface Verdict {
  readonly headers: string[];
  readonly refusal: Ready | null;
}

/** Decides requests by both windows and the bans. */
export interface RateLimits {
  decide(counter: Counter, plan: Plan): Awaitable<Verdict>;
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
export const MIN_REFUSALS = 20;
export const BAN_MS = 60_000;

export class MemoryRateLimits implements RateLimits {
  /** The same in Lua for Redis. */
  decide(counter: Counter, plan: Plan): Verdict {
    const nowMs = Date.now();
    const day = Math.floor(nowMs / DAY_MS);
    if (counter.day !== day) Object.assign(counter, { day, dayCount: 0 });
    if (nowMs - counter.minuteStartMs >= MINUTE_MS)
      Object.assign(counter, { minuteStartMs: nowMs, minuteCount: 0, refusals: 0 });
    const isFree = counter.minuteCount < plan.perMinute && counter.dayCount < plan.perDay;
    if (counter.banUntilMs > nowMs) return verdict(counter, plan, nowMs, true);
    if (isFree) {
      counter.minuteCount++;
      counter.dayCount++;
    } else if (++counter.refusals >= Math.max(MIN_REFUSALS, plan.perMinute / 2)) {
      counter.banUntilMs = nowMs + BAN_MS;
    }
    return verdict(counter, plan, nowMs, !isFree);
  }
}

export function verdict(counter: Counter, plan: Plan, nowMs: number, isRefused: boolean): Verdict {
  const { perMinute, perDay, policy } = plan;
  const isBanned = counter.banUntilMs > nowMs;
  const minuteEndsAtMs = counter.minuteStartMs + MINUTE_MS;
  const freeAtMs = isBanned ? Math.max(counter.banUntilMs, minuteEndsAtMs) : minuteEndsAtMs;
  const dayEndsAtMs = (counter.day + 1) * DAY_MS;
  const minuteLeft = isBanned ? 0 : perMinute - counter.minuteCount;
  const dayLeft = perDay - counter.dayCount;
  const isEqual = isRefused && minuteLeft === 0 && dayLeft === 0;
  const dayBinds = isEqual ? dayEndsAtMs >= freeAtMs : dayLeft <= minuteLeft;
  const resetAtMs = dayBinds ? dayEndsAtMs : freeAtMs;
  const minute = `"minute";r=${minuteLeft};t=${seconds(freeAtMs - nowMs)}`;
  const day = perDay === Infinity ? '' : `, "day";r=${dayLeft};t=${seconds(dayEndsAtMs - nowMs)}`;
  const [limit, remaining] = dayBinds ? [perDay, dayLeft] : [perMinute, minuteLeft];
  // prettier-ignore
  const headers = [
    'X-RateLimit-Limit', String(limit), 'X-RateLimit-Remaining', String(remaining),
    'X-RateLimit-Reset', String(seconds(resetAtMs)), 'RateLimit-Policy', policy, 'RateLimit', minute + day,
  ];
  if (!isRefused) return { headers, refusal: null };
  const wait = Math.max(1, seconds(resetAtMs - nowMs));
  const until = `${wait} second${wait === 1 ? '' : 's'}.`;
  const [code, message] = isBanned
    ? ['api_key_banned', `Too many requests were sent after a 429; the ban ends in ${until}`]
    : dayBinds
      ? ['daily_quota_exceeded', `The plan allows ${perDay} requests per day (UTC); try again in ${until}`]
      : ['rate_limit_exceeded', `The plan allows ${perMinute} requests per minute; try again in ${until}`];
  return { headers, refusal: failure(429, code, message, ['Retry-After', String(wait)]) };
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
