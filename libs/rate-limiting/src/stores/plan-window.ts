import { DAY_MS } from '@animal-store/kernel';
import { type BanRules, MINUTE_MS, perMinuteOf, type RatePlan, type RateWindow } from '../rate-plan.js';
import {
  addToEach,
  anyRuns,
  endOf,
  haveRoom,
  isRunning,
  listedWindows,
  rollBack,
  usedOf,
  type WindowCount,
  type WindowState,
} from './window-list.js';

/** How long the counts of a day are remembered after it, for a clock that steps back over midnight by less. */
export const DAY_GRACE_MS = 3_600_000;

/**
 * The counts and bans of one subject. It always has the same fields, as there may be a million of these. Days are
 * counted from the Unix epoch, times in milliseconds since it.
 */
export class Counter {
  /** The latest minute window: when it started, and how many requests were counted in it. */
  minuteStartMs = 0;
  minuteCount = 0;
  /** The latest day of a request. */
  day = 0;
  dayCount = 0;
  /** The count of the day before `day`, for a clock that steps back over midnight. */
  dayBeforeCount = 0;
  /** Of the windows that are a list; null for a subject without such. */
  windows: WindowCount[] | null = null;
  /** Null for most subjects, which are never refused. */
  penalty: Penalty | null = null;
  /** Whether the day count or the ban must still be saved. */
  changed = false;
  /** The store that counts with it; null when none does. */
  owner: object | null = null;
  /** The subject that refers to it, and must let go of it when it is dropped. */
  cachedBy: { counter?: Counter | null } | null = null;

  constructor(readonly subject: string) {}
}

/** The refused requests of a subject and its last ban. */
export class Penalty {
  /** The latest minute in which requests were refused: when the first was, and how many were. */
  refusalStartMs = 0;
  refusals = 0;
  /** When the last ban ends or ended; 0 when there was none. */
  banUntilMs = 0;
  /** How long the last ban lasts; 0 when there was none. */
  banMs = 0;
  /** How many refused requests led to the last ban; 0 when there was none, or when nobody remembers. */
  banRefusals = 0;
}

export type RefusalCode = 'rate_limit_exceeded' | 'daily_quota_exceeded' | 'api_key_banned';

/** The decision about one request, and the values of its response headers. */
export interface RateLimitDecision {
  readonly plan: RatePlan;
  readonly allowed: boolean;
  /** Why the request is refused; null when it is allowed. */
  readonly code: RefusalCode | null;
  /** Whether this refused request started the ban. */
  readonly banBegan: boolean;
  /** Requests left in the minute; null when the plan limits no minute. A ban leaves none until it ends. */
  readonly minuteRemaining: number | null;
  /** Whole seconds until the minute window resets, or the ban ends when that is later; rounded up. */
  readonly minuteResetSeconds: number;
  /** Requests left in the UTC day; null when the plan limits no day. */
  readonly dayRemaining: number | null;
  /** Whole seconds until the next UTC midnight, rounded up. */
  readonly dayResetSeconds: number;
  /** The windows of the list of the plan, in its order. Without a minute, a ban leaves none in the first of them. */
  readonly windows: readonly WindowState[];
  /** The binding window when it is one of the list; null when it is the minute or the day. */
  readonly binding: RateWindow | null;
  /**
   * The limit of the binding window: the one with fewest requests left, on a tie the day; of a refused request the
   * exhausted one that resets last. Infinity when the plan limits nothing.
   */
  readonly limit: number;
  /** Requests left in the binding window. */
  readonly remaining: number;
  /** When the binding window resets: Unix time in seconds, rounded up. */
  readonly resetAtSeconds: number;
  /** Seconds until a request can succeed, at least 1; 0 when this request is allowed. */
  readonly retryAfterSeconds: number;
}

const NO_WINDOWS: readonly WindowState[] = [];

/**
 * Decides one request and counts it. Knows no clock and does no I/O: all it needs is handed in, and all it changes is
 * `counter`.
 *
 * All windows are checked, then all counted, `cost` requests in each; a refused request costs no quota. The minute is
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

function hasRoom(counter: Counter, plan: RatePlan, now: number, cost: number): boolean {
  return (
    bannedUntil(counter, now) === 0 &&
    minuteUsed(counter, now) + cost <= (plan.perMinute ?? Infinity) &&
    dayUsed(counter, now) + cost <= (plan.perDay ?? Infinity) &&
    (plan.windows === undefined || haveRoom(counter.windows, plan, now, cost))
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
  const isBanned = bannedUntilMs !== 0;
  const perMinute = plan.perMinute ?? Infinity;
  const perDay = plan.perDay ?? Infinity;
  const dayEndsAtMs = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  let minuteRemaining = Math.max(0, perMinute - used);
  let minuteEndsAtMs = (used === 0 ? now : counter.minuteStartMs) + MINUTE_MS;
  if (isBanned) {
    if (minuteRemaining >= cost || bannedUntilMs > minuteEndsAtMs) minuteEndsAtMs = bannedUntilMs;
    minuteRemaining = 0;
  }
  const dayRemaining = Math.max(0, perDay - dayUsed(counter, now));

  const bothRefuse = !allowed && minuteRemaining < cost && dayRemaining < cost;
  const dayBinds = bothRefuse ? dayEndsAtMs >= minuteEndsAtMs : dayRemaining <= minuteRemaining;
  let binding: RateWindow | null = null;
  let limit = dayBinds || perMinute === Infinity ? perDay : perMinute;
  let remaining = dayBinds ? dayRemaining : minuteRemaining;
  let resetAtMs = dayBinds ? dayEndsAtMs : minuteEndsAtMs;
  let windows = NO_WINDOWS;
  if (plan.windows !== undefined) {
    const states: WindowState[] = [];
    windows = states;
    for (const listed of listedWindows(plan)) {
      let left = Math.max(0, listed.limit - usedOf(counter.windows, listed.key, now));
      let endsAtMs = endOf(counter.windows, listed, now);
      const binds = !allowed && remaining < cost ? left < cost && endsAtMs > resetAtMs : left < remaining;
      // A ban that the minute cannot show.
      if (isBanned && perMinute === Infinity && states.length === 0) {
        if (left >= cost || bannedUntilMs > endsAtMs) endsAtMs = bannedUntilMs;
        left = 0;
        if (!binds && limit === Infinity) limit = listed.limit;
      }
      if (binds) {
        ({ window: binding, limit } = listed);
        remaining = left;
        resetAtMs = endsAtMs;
      }
      states.push({
        name: listed.name,
        limit: listed.limit,
        remaining: left,
        resetSeconds: Math.ceil((endsAtMs - now) / 1000),
      });
    }
  }
  return {
    plan,
    allowed,
    code: allowed ? null : refusalCode(isBanned, binding === null ? dayBinds : binding.seconds === 'day'),
    banBegan,
    minuteRemaining: perMinute === Infinity ? null : minuteRemaining,
    minuteResetSeconds: Math.ceil((minuteEndsAtMs - now) / 1000),
    dayRemaining: perDay === Infinity ? null : dayRemaining,
    dayResetSeconds: Math.ceil((dayEndsAtMs - now) / 1000),
    windows,
    binding,
    limit,
    remaining,
    resetAtSeconds: Math.ceil((resetAtMs - skew) / 1000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((resetAtMs - now) / 1000)),
  };
}

function refusalCode(banned: boolean, dayBinds: boolean): RefusalCode {
  if (banned) return 'api_key_banned';
  return dayBinds ? 'daily_quota_exceeded' : 'rate_limit_exceeded';
}

/** Adapts the counter to the clock: to a new day, and after a step back. Call it before what follows. */
export function rollOver(counter: Counter, now: number): void {
  if (now - counter.minuteStartMs < -MINUTE_MS) counter.minuteStartMs = now;

  if (counter.windows !== null) rollBack(counter.windows, now);

  const today = Math.floor(now / DAY_MS);
  const days = today - counter.day;
  if (days > 0) {
    counter.dayBeforeCount = days === 1 ? counter.dayCount : 0;
    counter.dayCount = 0;
    counter.day = today;
  } else if (days < -1) {
    counter.dayCount = Math.max(counter.dayCount, counter.dayBeforeCount);
    counter.dayBeforeCount = counter.dayCount;
    counter.day = today;
  }

  const { penalty } = counter;
  if (penalty !== null && banBeganAt(penalty) > now) penalty.banUntilMs = now + penalty.banMs;
}

/** Requests counted in the minute window that is running, or 0 when none is. */
function minuteUsed(counter: Counter, now: number): number {
  return now - counter.minuteStartMs < MINUTE_MS ? counter.minuteCount : 0;
}

/** Requests counted today. */
function dayUsed(counter: Counter, now: number): number {
  return isBeforeMidnight(counter, now) ? counter.dayBeforeCount : counter.dayCount;
}

/** Whether the clock has stepped back over midnight. */
function isBeforeMidnight({ day }: Counter, now: number): boolean {
  return now < day * DAY_MS;
}

/** When the ban in force ends, or 0 when there is none. */
function bannedUntil({ penalty }: Counter, now: number): number {
  return penalty !== null && penalty.banUntilMs > now ? penalty.banUntilMs : 0;
}

/** Counts an allowed request in every window of the plan. */
function add(counter: Counter, plan: RatePlan, now: number, cost: number): void {
  if (typeof plan.perMinute === 'number') {
    const used = minuteUsed(counter, now);
    if (used === 0) counter.minuteStartMs = now;
    counter.minuteCount = used + cost;
  }
  if (typeof plan.perDay === 'number') {
    if (isBeforeMidnight(counter, now)) counter.dayBeforeCount += cost;
    else counter.dayCount += cost;
  }
  if (plan.windows !== undefined) counter.windows = addToEach(counter.windows, plan, now, cost);
}

/** Counts a refused request. Returns whether a ban begins with it. */
function addRefusal(counter: Counter, plan: RatePlan, now: number, bans: BanRules): boolean {
  const penalty = (counter.penalty ??= new Penalty());
  const ageMs = now - penalty.refusalStartMs;
  if (ageMs >= MINUTE_MS || ageMs < -MINUTE_MS) penalty.refusals = 0;
  if (penalty.refusals === 0) penalty.refusalStartMs = now;
  penalty.refusals++;
  if (penalty.refusals < refusalsUntilBan(plan, bans)) return false;

  const isFurther = penalty.banMs !== 0 && now - banBeganAt(penalty) < bans.memoryMs;
  penalty.banMs = Math.min(isFurther ? penalty.banMs * 2 : bans.firstBanMs, bans.longestBanMs);
  penalty.banUntilMs = now + penalty.banMs;
  penalty.banRefusals = penalty.refusals;
  penalty.refusals = 0;
  return true;
}

/** How many refused requests within a minute lead to a ban. */
export function refusalsUntilBan(plan: RatePlan, { minRefusals }: BanRules): number {
  return Math.max(minRefusals, Math.ceil(perMinuteOf(plan) / 2));
}

function banBeganAt(penalty: Penalty): number {
  return penalty.banUntilMs - penalty.banMs;
}

/** Takes over a ban that another store or process began, unless a later one is there. */
export function rememberBan(
  counter: Counter,
  { banUntilMs, banMs, banRefusals = 0 }: Pick<Penalty, 'banUntilMs' | 'banMs'> & Partial<Penalty>,
): void {
  if (banUntilMs <= (counter.penalty?.banUntilMs ?? 0)) return;
  Object.assign((counter.penalty ??= new Penalty()), { banUntilMs, banMs, banRefusals });
}

/**
 * Ends a ban that began at `liftedAtMs` or before, and forgets it. A later ban stays, so lifting may be repeated or
 * come late.
 */
export function liftBan(counter: Counter, liftedAtMs: number): void {
  if (counter.penalty !== null && banBeganAt(counter.penalty) <= liftedAtMs) counter.penalty = null;
}

/** Whether forgetting the counter changes nothing, unless the clock steps back by much. */
export function isIdle(counter: Counter, now: number, bans: BanRules): boolean {
  const { penalty, day, dayBeforeCount } = counter;
  if (minuteUsed(counter, now) !== 0 || counter.dayCount !== 0 || bannedUntil(counter, now) !== 0)
    return false;
  if (dayBeforeCount !== 0 && now - day * DAY_MS < DAY_GRACE_MS) return false;
  if (anyRuns(counter.windows, now)) return false;
  if (penalty === null) return true;
  return Math.abs(now - penalty.refusalStartMs) >= MINUTE_MS && now - banBeganAt(penalty) >= bans.memoryMs;
}

/**
 * Whether forgetting the counter opens no window and ends no ban: at most the memory of a ban that is over goes, so that
 * a next one is a first one.
 */
export function isSpare(counter: Counter, now: number): boolean {
  const used = minuteUsed(counter, now) + counter.dayCount + counter.dayBeforeCount;
  return used === 0 && !anyRuns(counter.windows, now) && bannedUntil(counter, now) === 0;
}

/** What a subject has used, for display. Times are milliseconds since the Unix epoch. */
export interface Usage {
  /** Null when no minute is running. */
  readonly minute: QuotaWindow | null;
  /** The UTC day. */
  readonly day: QuotaWindow;
  /** Those of a list that are running, in any order: of the plan, and of budgets. */
  readonly windows: readonly ListedQuota[];
  /** The one in force, or null. */
  readonly ban: Ban | null;
}

export interface QuotaWindow {
  /** Requests counted in it so far. */
  readonly used: number;
  readonly resetsAtMs: number;
}

/** A window of a list, by its length: plans may give it several names. */
export interface ListedQuota extends QuotaWindow {
  readonly budget: string | null;
  readonly seconds: RateWindow['seconds'];
}

export interface Ban {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** How many refused requests within a minute led to it; absent when nobody remembers. */
  readonly refusals?: number;
}

/** The ban that the penalty describes, in the times of a clock that its times are ahead of by `skew`. */
export function banOf(
  { banUntilMs, banMs, banRefusals }: Pick<Penalty, 'banUntilMs' | 'banMs' | 'banRefusals'>,
  skew: number,
): Ban {
  const untilMs = banUntilMs - skew;
  return { sinceMs: untilMs - banMs, untilMs, refusals: banRefusals || undefined };
}

/** The usage at `now`, in the times of a clock that `now` is ahead of by `skew`. */
export function usageOf(counter: Counter, now: number, skew = 0): Usage {
  rollOver(counter, now);
  const used = minuteUsed(counter, now);
  const { penalty } = counter;
  const isBanned = bannedUntil(counter, now) !== 0;
  return {
    minute: used === 0 ? null : { used, resetsAtMs: counter.minuteStartMs + MINUTE_MS - skew },
    day: { used: dayUsed(counter, now), resetsAtMs: (Math.floor(now / DAY_MS) + 1) * DAY_MS - skew },
    windows: (counter.windows ?? [])
      .filter((entry) => isRunning(entry, now))
      .map(({ key, startMs, lengthMs, count }) => {
        const [seconds, budget = null] = key.split(' ').reverse();
        const resetsAtMs = startMs + lengthMs - skew;
        return { budget, seconds: seconds === 'day' ? seconds : Number(seconds), used: count, resetsAtMs };
      }),
    ban: isBanned ? banOf(penalty!, skew) : null,
  };
}
