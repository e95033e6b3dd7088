import { DAY_MS } from '@animal-store/kernel';
import { type BanState, RateLimitDecision, type RefusalCode } from '../rate-limit-decision.js';
import type { RateSubject } from '../rate-subject.js';
import {
  type BanRules,
  counted,
  type CountedPlan,
  type CountedWindow,
  keyList,
  MINUTE_MS,
  type RatePlan,
  type RateWindow,
  refusalsUntilBan,
} from '../rate-plan.js';

/**
 * The counts and bans of one subject. It always has the same fields, as there may be a million of these. Times are
 * milliseconds since the Unix epoch.
 *
 * The time that is passed in never goes back. A window runs until it ends and is not opened before.
 */
export class Counter {
  /** The keys of the windows, which counters with the same windows share. */
  keys: readonly string[] = [];
  /** Two numbers for each window: its end, and the number of requests that were counted in it. */
  counts: number[] = [];
  /** By caller. Null for most subjects, which are never refused. */
  penalties: Map<string, Penalty> | null = null;
  /** Whether a count or a ban must still be saved. */
  changed = false;
  /** The store that counts with it; null when none does. */
  owner: object | null = null;
  /** The subject that refers to it, and must clear its reference when it is evicted. */
  cachedBy: { counter?: object | null } | null = null;

  constructor(readonly subject: string) {}
}

/** The refused requests of a caller and its last ban. */
export class Penalty {
  /** The latest minute in which requests were refused: when the first was, and how many were. */
  refusalStartMs = 0;
  refusals = 0;
  /** When the last ban ends or ended; 0 when there was none. */
  banUntilMs = 0;
  /** How long the last ban lasts; 0 when there was none. */
  banMs = 0;
  /** How many refused requests led to the last ban; 0 when there was none. */
  banRefusals = 0;
}

/** A ban, as it is stored. */
export type StoredBan = Pick<Penalty, 'banUntilMs' | 'banMs' | 'banRefusals'>;

/**
 * Decides one request and counts it. Knows no clock and does no I/O: all it needs is passed in, and all it changes is
 * `counter`.
 *
 * All windows are checked, then all counted, `cost` requests in each; a refused request costs no quota. A window begins
 * with the first request counted in it; the day is the UTC calendar day. Refused requests are counted over a fixed
 * minute that starts with the first of them; the one that reaches the number is a banned one. During a ban nothing is
 * counted at all.
 *
 * @param skew how far `now` is ahead of the clock that callers go by
 */
export function count(
  counter: Counter,
  { id, plan, caller = id }: RateSubject,
  now: number,
  bans: BanRules,
  skew = 0,
  cost = 1,
): RateLimitDecision {
  const counts = counted(plan);
  let penalty = penaltyOf(counter, caller);
  const isAllowed = !isBanned(penalty, now) && isWithinLimits(counter, counts, now, cost);
  let banStarted = false;
  if (isAllowed) add(counter, counts, now, cost);
  else if (!isBanned(penalty, now)) {
    penalty ??= addPenalty(counter, caller, now, bans);
    addRefusal(penalty, plan, now, bans);
    banStarted = isBanned(penalty, now);
  }
  return decisionOf(counter, penalty, counts, now, skew, cost, isAllowed, banStarted);
}

/** The decision that `count` would make about a request, without counting it. */
export function peek(counter: Counter, { id, plan, caller = id }: RateSubject, now: number, skew = 0) {
  const counts = counted(plan);
  const penalty = penaltyOf(counter, caller);
  const isAllowed = !isBanned(penalty, now) && isWithinLimits(counter, counts, now, 1);
  return decisionOf(counter, penalty, counts, now, skew, 1, isAllowed, false);
}

/**
 * The decision about a request that is counted already. The window with the fewest requests left binds, on a tie the
 * longest; of a refused request, of those that refuse it the one that resets last.
 */
export function decisionOf(
  counter: Counter,
  penalty: Penalty | null,
  { plan, windows, keys }: CountedPlan,
  now: number,
  skew: number,
  cost: number,
  allowed: boolean,
  banStarted: boolean,
): RateLimitDecision {
  const banned = isBanned(penalty, now);
  const states = new Array<number>(2 * windows.length);
  let binding: CountedWindow | null = null;
  let bindingMs = 0;
  let remaining = Infinity;
  let resetAtMs = now;
  for (let i = 0; i < windows.length; i++) {
    const window = windows[i]!;
    const place = placeOf(counter, keys, i);
    const used = usedAt(counter, place, now);
    let left = Math.max(0, window.limit - used);
    let endsAtMs = used > 0 ? counter.counts[2 * place]! : endOf(window, now);
    if (banned && i === 0) {
      endsAtMs = left >= cost ? penalty!.banUntilMs : Math.max(endsAtMs, penalty!.banUntilMs);
      left = 0;
    }
    const isLonger = window.lengthMs > bindingMs;
    const isLater = endsAtMs > resetAtMs || (endsAtMs === resetAtMs && isLonger);
    const isLess = left < remaining || (left === remaining && isLonger);
    const bothRefuse = !allowed && left < cost && remaining < cost;
    if (bothRefuse ? isLater : isLess) {
      binding = window;
      bindingMs = window.lengthMs;
      remaining = left;
      resetAtMs = endsAtMs;
    }
    states[2 * i] = left;
    states[2 * i + 1] = Math.ceil((endsAtMs - now) / 1_000);
  }
  return new RateLimitDecision(
    plan,
    allowed ? null : refusalCode(banned, binding),
    banned ? banStateOf(penalty!, banStarted, now) : null,
    binding?.window ?? null,
    remaining,
    Math.ceil((resetAtMs - skew) / 1_000),
    allowed ? 0 : Math.max(1, Math.ceil((resetAtMs - now) / 1_000)),
    states,
  );
}

function banStateOf({ banRefusals, banUntilMs }: Penalty, began: boolean, now: number): BanState {
  return { began, refusals: banRefusals, seconds: Math.ceil((banUntilMs - now) / 1_000) };
}

function refusalCode(banned: boolean, binding: CountedWindow | null): RefusalCode {
  if (banned) return 'api_key_banned';
  return binding!.window.seconds === 'day' ? 'daily_quota_exceeded' : 'rate_limit_exceeded';
}

function isWithinLimits(counter: Counter, plan: CountedPlan, now: number, cost: number): boolean {
  const { windows, keys } = plan;
  for (let i = 0; i < windows.length; i++) {
    if (usedAt(counter, placeOf(counter, keys, i), now) + cost > windows[i]!.limit) return false;
  }
  return true;
}

/** Counts an allowed request in every window of the plan. */
function add(counter: Counter, { windows, keys }: CountedPlan, now: number, cost: number): void {
  if (counter.keys !== keys) addWindows(counter, keys);
  for (let i = 0; i < windows.length; i++) {
    const window = windows[i]!;
    const place = placeOf(counter, keys, i);
    const used = usedAt(counter, place, now);
    if (used === 0) counter.counts[2 * place] = endOf(window, now);
    counter.counts[2 * place + 1] = used + cost;
  }
}

/** The place of the window with the nth of these keys; -1 without one. */
function placeOf(counter: Counter, keys: readonly string[], nth: number): number {
  return counter.keys === keys ? nth : counter.keys.indexOf(keys[nth]!);
}

/** Requests counted in the window at this place that is running; 0 when none is, or when there is no such place. */
function usedAt({ counts }: Counter, place: number, now: number): number {
  return place >= 0 && counts[2 * place]! > now ? counts[2 * place + 1]! : 0;
}

/** When a window resets that starts now. */
function endOf({ window, lengthMs }: CountedWindow, now: number): number {
  return window.seconds === 'day' ? (Math.floor(now / DAY_MS) + 1) * DAY_MS : now + lengthMs;
}

/** Gives each of these windows a place. */
function addWindows(counter: Counter, keys: readonly string[]): void {
  const further = keys.filter((key) => !counter.keys.includes(key));
  if (further.length === 0) return;
  counter.keys = keyList([...counter.keys, ...further]);
  counter.counts = [...counter.counts, ...further.flatMap(() => [0, 0])];
}

/** The place of a window. */
function windowIndex(counter: Counter, key: string): number {
  addWindows(counter, [key]);
  return counter.keys.indexOf(key);
}

/** Whether a ban is in force. */
function isBanned(penalty: Penalty | null, now: number): boolean {
  return penalty !== null && penalty.banUntilMs > now;
}

export function penaltyOf({ penalties }: Counter, caller: string): Penalty | null {
  return penalties?.get(caller) ?? null;
}

/** A new penalty replaces expired ones. */
function addPenalty(counter: Counter, caller: string, now: number, bans: BanRules): Penalty {
  const penalties = (counter.penalties ??= new Map<string, Penalty>());
  for (const [who, penalty] of penalties) if (isForgotten(penalty, now, bans)) penalties.delete(who);
  const penalty = new Penalty();
  penalties.set(caller, penalty);
  return penalty;
}

/** Counts a refused request, with which a ban may begin. */
function addRefusal(penalty: Penalty, plan: RatePlan, now: number, bans: BanRules): void {
  if (now - penalty.refusalStartMs >= MINUTE_MS) penalty.refusals = 0;
  if (penalty.refusals === 0) penalty.refusalStartMs = now;
  penalty.refusals++;
  if (penalty.refusals < refusalsUntilBan(plan, bans)) return;

  const isFurther = penalty.banMs !== 0 && now - banStartedAt(penalty) < bans.memoryMs;
  penalty.banMs = Math.min(isFurther ? penalty.banMs * 2 : bans.firstBanMs, bans.longestBanMs);
  penalty.banUntilMs = now + penalty.banMs;
  penalty.banRefusals = penalty.refusals;
  penalty.refusals = 0;
}

function banStartedAt({ banUntilMs, banMs }: Pick<Penalty, 'banUntilMs' | 'banMs'>): number {
  return banUntilMs - banMs;
}

/** Takes over a ban that another store or process began, unless a later one is there. */
export function rememberBan(
  counter: Counter,
  caller: string,
  { banUntilMs, banMs, banRefusals }: StoredBan,
): void {
  const penalty = penaltyOf(counter, caller) ?? new Penalty();
  if (banUntilMs <= penalty.banUntilMs) return;
  (counter.penalties ??= new Map<string, Penalty>()).set(caller, penalty);
  Object.assign(penalty, { banUntilMs, banMs, banRefusals });
}

/**
 * Ends a ban that began at `liftedAtMs` or before, and forgets it. A later ban stays, so lifting may be repeated or
 * arrive late. Returns whether there was something to forget.
 */
export function liftBan(counter: Counter, caller: string, liftedAtMs: number): boolean {
  const penalty = penaltyOf(counter, caller);
  if (penalty === null || banStartedAt(penalty) > liftedAtMs) return false;
  return counter.penalties!.delete(caller);
}

/** Takes over what another store has counted: the later window, or the larger count of one. */
export function adopt(counter: Counter, { keys, counts }: Counter): void {
  for (const [index, key] of keys.entries()) {
    const place = windowIndex(counter, key);
    const [endMs, used] = [counts[2 * index]!, counts[2 * index + 1]!];
    const knownEndMs = counter.counts[2 * place]!;
    if (endMs < knownEndMs) continue;
    const known = endMs === knownEndMs ? counter.counts[2 * place + 1]! : 0;
    counter.counts[2 * place] = endMs;
    counter.counts[2 * place + 1] = Math.max(known, used);
  }
}

/** A window that is saved. */
export interface SavedWindow {
  /** `day`, or its length in seconds; after its budget, if it has one. */
  readonly key: string;
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly endMs: number;
  readonly count: number;
}

/** Adds what an earlier process, whose clock may have been ahead, has counted in a window that is running. */
export function addSaved(counter: Counter, { key, endMs, count }: SavedWindow, now: number): void {
  if (endMs <= now) return;
  const place = windowIndex(counter, key);
  counter.counts[2 * place + 1] = usedAt(counter, place, now) + count;
  counter.counts[2 * place] = Math.max(counter.counts[2 * place]!, Math.min(endMs, now + lengthOf(key)));
}

/** The windows that are worth saving, with their ends by a clock that their times are ahead of by `skew`. */
export function savedOf({ keys, counts }: Counter, skew: number): SavedWindow[] {
  return keys.flatMap((key, index) =>
    lengthOf(key) <= MINUTE_MS || counts[2 * index] === 0
      ? []
      : [{ key, endMs: counts[2 * index]! - skew, count: counts[2 * index + 1]! }],
  );
}

/** How long the window of this key is. */
function lengthOf(key: string): number {
  const seconds = key.slice(key.lastIndexOf(' ') + 1);
  return seconds === 'day' ? DAY_MS : Number(seconds) * 1_000;
}

/** Whether forgetting the counter changes nothing. */
export function isIdle(counter: Counter, now: number, bans: BanRules): boolean {
  return isOver(counter, now, (penalty) => isForgotten(penalty, now, bans));
}

/**
 * Whether forgetting the counter opens no window and ends no ban: at most an expired ban is forgotten, so the next ban
 * has the first length.
 */
export function isSpare(counter: Counter, now: number): boolean {
  return isOver(counter, now, (penalty) => !isBanned(penalty, now));
}

/** Whether no window is running and every penalty is over. */
function isOver(
  { counts, penalties }: Counter,
  now: number,
  isPenaltyOver: (one: Penalty) => boolean,
): boolean {
  for (let place = 0; place < counts.length; place += 2) if (counts[place]! > now) return false;
  for (const penalty of penalties?.values() ?? []) if (!isPenaltyOver(penalty)) return false;
  return true;
}

function isForgotten(penalty: Penalty, now: number, bans: BanRules): boolean {
  const isBanExpired = !isBanned(penalty, now) && now - banStartedAt(penalty) >= bans.memoryMs;
  return isBanExpired && now - penalty.refusalStartMs >= MINUTE_MS;
}

/** What a subject has used, for display. Times are milliseconds since the Unix epoch. */
export interface Usage {
  /** The windows that are running, in any order: of the plan, and of budgets. */
  readonly windows: readonly UsedWindow[];
  /** The ban of the caller that is in force, or null. */
  readonly ban: Ban | null;
}

/** A window, by its length: plans may give it several names. */
export interface UsedWindow {
  readonly budget: string | null;
  readonly seconds: RateWindow['seconds'];
  /** Requests counted in it so far. */
  readonly used: number;
  readonly resetsAtMs: number;
}

export interface Ban {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** How many refused requests within a minute led to it; absent when unknown. */
  readonly refusals?: number;
}

/** The ban in the times of a clock that its times are ahead of by `skew`. */
export function banOf({ banUntilMs, banMs, banRefusals }: StoredBan, skew: number): Ban {
  const untilMs = banUntilMs - skew;
  return { sinceMs: untilMs - banMs, untilMs, refusals: banRefusals || undefined };
}

/** The usage at `now`, in the times of a clock that `now` is ahead of by `skew`. */
export function usageOf(counter: Counter, caller: string, now: number, skew: number): Usage {
  const penalty = penaltyOf(counter, caller);
  const windows: UsedWindow[] = [];
  for (const [place, key] of counter.keys.entries()) {
    const used = usedAt(counter, place, now);
    if (used === 0) continue;
    const [seconds, budget = null] = key.split(' ').reverse();
    const resetsAtMs = counter.counts[2 * place]! - skew;
    windows.push({ budget, seconds: seconds === 'day' ? seconds : Number(seconds), used, resetsAtMs });
  }
  return { windows, ban: isBanned(penalty, now) ? banOf(penalty!, skew) : null };
}
