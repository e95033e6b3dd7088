import { type RateLimitDecision, decisionOf } from './rate-limit-decision.js';
import { DAY_MS } from '@animal-store/kernel';
import { type BanRules, MINUTE_MS, type RatePlan } from './rate-plan.js';

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
  /** Null for most subjects, which are never refused. */
  penalty: Penalty | null = null;
  /** Whether the day count or the ban must still be saved. The memory store sets it. */
  changed = false;
  /** The store that uses this counter; null when none does. */
  home: object | null = null;
  /** The subject that references this counter, and must release it when the counter is dropped. */
  keeper: { counter?: Counter | null } | null = null;

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
}

/**
 * Decides one request and counts it. Knows no clock and does no I/O: all it needs is handed in, and all it changes is
 * `counter`.
 *
 * Both windows are checked, then both counted, `cost` requests in each; a refused request costs no quota. The minute is fixed and starts with
 * the first request counted in it; the day is the UTC calendar day. Refused requests are counted over a fixed minute
 * that starts with the first of them; the one that reaches the number is answered as banned. During a ban nothing is
 * counted at all.
 *
 * The stores hand in a time that does not go back (SteadyTime), but for a process that begins anew and for replicas that
 * disagree a little. Then too no step back opens a window that was already used up, and none closes one for long:
 * - The minute window stays as it is when its start is up to a minute ahead; when it is further ahead, it is moved to
 *   start now and keeps its count. Either way it is over at most two minutes after the step.
 * - Back over a midnight, the day that comes again has the count it had. Back by more than a day, where the count is
 *   not known any more, the larger of the two kept counts is carried to that day.
 * - A ban never lasts longer from now than it was made to last.
 */
export function count(
  counter: Counter,
  plan: RatePlan,
  nowMs: number,
  bans: BanRules,
  aheadMs = 0,
  cost = 1,
): RateLimitDecision {
  rollOver(counter, nowMs);
  const today = Math.floor(nowMs / DAY_MS);
  const isDayBefore = today !== counter.day;
  let dayUsed = isDayBefore ? counter.dayBeforeCount : counter.dayCount;
  let minuteUsed = minuteUsedAt(counter, nowMs);
  let bannedUntilMs = bannedUntil(counter, nowMs);

  let refused = bannedUntilMs !== 0;
  let banBegan = false;
  if (!refused) {
    refused = !hasRoomFor(cost, plan, minuteUsed, dayUsed);
    if (refused) {
      bannedUntilMs = countRefusal(counter, plan, nowMs, bans);
      banBegan = bannedUntilMs !== 0;
    } else {
      if (minuteUsed === 0) counter.minuteStartMs = nowMs;
      minuteUsed += cost;
      counter.minuteCount = minuteUsed;
      if (plan.perDay !== null) {
        dayUsed += cost;
        if (isDayBefore) counter.dayBeforeCount = dayUsed;
        else counter.dayCount = dayUsed;
      }
    }
  }

  return decisionOf(plan, {
    nowMs,
    aheadMs,
    refused,
    cost,
    banBegan,
    minuteStartMs: minuteUsed === 0 ? nowMs : counter.minuteStartMs,
    minuteUsed,
    dayUsed,
    bannedUntilMs,
    banMs: counter.penalty?.banMs ?? 0,
  });
}

/** The decision that `count` would make about a request, without counting it. */
export function peek(counter: Counter, plan: RatePlan, nowMs: number, aheadMs = 0): RateLimitDecision {
  rollOver(counter, nowMs);
  const today = Math.floor(nowMs / DAY_MS);
  const dayUsed = today === counter.day ? counter.dayCount : counter.dayBeforeCount;
  const minuteUsed = minuteUsedAt(counter, nowMs);
  const bannedUntilMs = bannedUntil(counter, nowMs);
  return decisionOf(plan, {
    nowMs,
    aheadMs,
    refused: bannedUntilMs !== 0 || !hasRoomFor(1, plan, minuteUsed, dayUsed),
    cost: 1,
    banBegan: false,
    minuteStartMs: minuteUsed === 0 ? nowMs : counter.minuteStartMs,
    minuteUsed,
    dayUsed,
    bannedUntilMs,
    banMs: counter.penalty?.banMs ?? 0,
  });
}

function hasRoomFor(
  cost: number,
  { perMinute, perDay }: RatePlan,
  minuteUsed: number,
  dayUsed: number,
): boolean {
  return minuteUsed + cost <= perMinute && (perDay === null || dayUsed + cost <= perDay);
}

/** Adapts the counter to the clock: to a new day, and after a step back. */
export function rollOver(counter: Counter, nowMs: number): void {
  if (nowMs - counter.minuteStartMs < -MINUTE_MS) counter.minuteStartMs = nowMs;

  const today = Math.floor(nowMs / DAY_MS);
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
  if (penalty !== null && banBeganAt(penalty) > nowMs) penalty.banUntilMs = nowMs + penalty.banMs;
}

/** Requests counted in the minute window that is running, or 0 when none is. */
function minuteUsedAt(counter: Counter, nowMs: number): number {
  return nowMs - counter.minuteStartMs < MINUTE_MS ? counter.minuteCount : 0;
}

/** Counts a refused request. Returns the end of the ban that it starts, or 0. */
function countRefusal(counter: Counter, plan: RatePlan, nowMs: number, bans: BanRules): number {
  const penalty = (counter.penalty ??= new Penalty());
  const ageMs = nowMs - penalty.refusalStartMs;
  if (ageMs >= MINUTE_MS || ageMs < -MINUTE_MS) penalty.refusals = 0;
  if (penalty.refusals === 0) penalty.refusalStartMs = nowMs;
  penalty.refusals++;
  if (penalty.refusals < bans.minRefusals || penalty.refusals < plan.perMinute / 2) return 0;

  const isFurther = penalty.banMs !== 0 && nowMs - banBeganAt(penalty) < bans.memoryMs;
  penalty.banMs = Math.min(isFurther ? penalty.banMs * 2 : bans.firstBanMs, bans.longestBanMs);
  penalty.banUntilMs = nowMs + penalty.banMs;
  penalty.refusals = 0;
  return penalty.banUntilMs;
}

/** When the ban in force ends, or 0 when there is none. */
function bannedUntil(counter: Counter, nowMs: number): number {
  return counter.penalty !== null && counter.penalty.banUntilMs > nowMs ? counter.penalty.banUntilMs : 0;
}

/** When the last ban began, in milliseconds since the Unix epoch; 0 when there was none. */
export function banBeganAt(penalty: Penalty): number {
  return penalty.banUntilMs - penalty.banMs;
}

/**
 * Ends a ban that began at `liftedAtMs` or before, and forgets it. A later ban stays, so lifting may be repeated or
 * come late.
 */
export function liftBan(counter: Counter, liftedAtMs: number): void {
  if (counter.penalty !== null && banBeganAt(counter.penalty) <= liftedAtMs) counter.penalty = null;
}

/**
 * Whether forgetting a counter that was rolled over changes nothing, unless the clock steps back by much: its windows and the memory
 * of its last ban are over.
 */
export function isIdle(counter: Counter, nowMs: number, bans: BanRules): boolean {
  if (minuteUsedAt(counter, nowMs) !== 0 || counter.dayCount !== 0) return false;
  if (counter.dayBeforeCount !== 0 && nowMs - counter.day * DAY_MS < DAY_GRACE_MS) return false;
  const { penalty } = counter;
  if (penalty === null) return true;
  const refusalsAreOver = Math.abs(nowMs - penalty.refusalStartMs) >= MINUTE_MS;
  return refusalsAreOver && penalty.banUntilMs <= nowMs && nowMs - banBeganAt(penalty) >= bans.memoryMs;
}

/**
 * Whether forgetting a counter that was rolled over opens no window and ends no ban: at most the memory of a ban that is over goes, so
 * that a next one is a first one.
 */
export function isSpare(counter: Counter, nowMs: number): boolean {
  if (minuteUsedAt(counter, nowMs) !== 0 || counter.dayCount !== 0 || counter.dayBeforeCount !== 0)
    return false;
  return bannedUntil(counter, nowMs) === 0;
}

/** What a subject has used, for display. */
export interface Usage {
  /** Requests counted in the running minute window; 0 when none is running. */
  readonly minuteUsed: number;
  /** When that window ends, in milliseconds since the Unix epoch; null when none is running. */
  readonly minuteEndsAtMs: number | null;
  /** Requests counted in the current UTC day. */
  readonly dayUsed: number;
  /** When the ban in force began, in milliseconds since the Unix epoch; null when there is none. */
  readonly bannedSinceMs: number | null;
  /** When it ends. */
  readonly bannedUntilMs: number | null;
}

/** The usage at `nowMs`, in the times of a clock that `nowMs` is ahead of. */
export function usageOf(counter: Counter, nowMs: number, aheadMs = 0): Usage {
  rollOver(counter, nowMs);
  const isDayBefore = Math.floor(nowMs / DAY_MS) !== counter.day;
  const minuteUsed = minuteUsedAt(counter, nowMs);
  const isBanned = bannedUntil(counter, nowMs) !== 0;
  return {
    minuteUsed,
    minuteEndsAtMs: minuteUsed === 0 ? null : counter.minuteStartMs + MINUTE_MS - aheadMs,
    dayUsed: isDayBefore ? counter.dayBeforeCount : counter.dayCount,
    bannedSinceMs: isBanned ? banBeganAt(counter.penalty!) - aheadMs : null,
    bannedUntilMs: isBanned ? counter.penalty!.banUntilMs - aheadMs : null,
  };
}
