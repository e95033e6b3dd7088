import { DAY_MS } from '@animal-store/kernel';
import { oncePer } from '@animal-store/kernel/http';

export const MINUTE_MS = 60_000;

/** How many requests are allowed in a time. */
export interface RateWindow {
  /** What headers and messages call it: letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  /** Requests in it, a whole number of at least 1. */
  readonly limit: number;
  /** How long it is, a whole number of at least 1, from its first request on; or the UTC calendar day. */
  readonly seconds: number | 'day';
  /** The budget that it belongs to; absent when it is of a plan. `@RateLimit({ budget })` sets it. */
  readonly budget?: string;
}

/**
 * The limits of a caller: its windows, no two of one length or name; with none, nothing is limited. Create one list a
 * plan and reuse it: what is made of a plan, such as its headers, is cached by it.
 */
export type RatePlan = readonly RateWindow[];

/** So many requests a minute, which begins with the first of them. */
export function perMinute(limit: number): RateWindow {
  return { name: 'minute', limit, seconds: 60 };
}

/** So many requests a UTC calendar day. */
export function perDay(limit: number): RateWindow {
  return { name: 'day', limit, seconds: 'day' };
}

/**
 * When a caller that continues after refusals is banned: when its refused requests within a minute reach `minRefusals`
 * or half of what its plan allows a minute, whichever is more. Every further ban within `memoryMs` of the previous one
 * lasts twice as long, up to `longestBanMs`.
 */
export interface BanRules {
  readonly minRefusals: number;
  readonly firstBanMs: number;
  readonly longestBanMs: number;
  /** Counted from the beginning of a ban. */
  readonly memoryMs: number;
}

export const DEFAULT_BAN_RULES: BanRules = {
  minRefusals: 20,
  firstBanMs: 60_000,
  longestBanMs: 3_600_000,
  memoryMs: 86_400_000,
};

/** A window, with what counting needs. */
export interface CountedWindow {
  readonly window: RateWindow;
  /** What it is counted under: its budget, if any, and its length. Two plans with one length share the count. */
  readonly key: string;
  /** What headers call it. */
  readonly name: string;
  readonly limit: number;
  readonly lengthMs: number;
}

/** A plan, with what counting needs. */
export interface CountedPlan {
  readonly plan: RatePlan;
  readonly windows: readonly CountedWindow[];
  /** The keys of the windows: one list for all plans that have the same. */
  readonly keys: readonly string[];
  /** Requests a minute by which refusals are judged: of its minute, or as many as its shortest window has in one. */
  readonly perMinute: number;
  /** Whether a window is so long that its count should survive a restart. */
  readonly isLong: boolean;
}

/** What is made of a plan once. */
export const counted = oncePer((plan: RatePlan): CountedPlan => {
  const windows = plan.map((window) => {
    const { budget, name, limit, seconds } = window;
    const [before, prefix] = budget === undefined ? ['', ''] : [`${budget} `, `${budget}.`];
    const lengthMs = secondsOf(window) * 1_000;
    return { window, key: `${before}${seconds}`, name: `${prefix}${name}`, limit, lengthMs };
  });
  const [shortest] = windows.toSorted((a, b) => a.lengthMs - b.lengthMs);
  const judged = windows.find(({ window }) => window.seconds === 60) ?? shortest;
  return {
    plan,
    windows,
    keys: keyList(windows.map(({ key }) => key)),
    perMinute: judged ? (judged.limit * MINUTE_MS) / judged.lengthMs : 0,
    isLong: windows.some(({ lengthMs }) => lengthMs > MINUTE_MS),
  };
});

const keyLists = new Map<string, readonly string[]>();

/** The shared list with these keys: equal lists are the same object. */
export function keyList(keys: readonly string[]): readonly string[] {
  const text = keys.join();
  const known = keyLists.get(text) ?? keys;
  keyLists.set(text, known);
  return known;
}

export function secondsOf({ seconds }: RateWindow): number {
  return seconds === 'day' ? DAY_MS / 1_000 : seconds;
}

/** How many refused requests within a minute lead to a ban. */
export function refusalsUntilBan(plan: RatePlan, { minRefusals }: BanRules): number {
  return Math.max(minRefusals, Math.ceil(counted(plan).perMinute / 2));
}

/** @throws RangeError for a limit or a length that is no whole number of at least 1, and for equal windows */
export function assertPlan(plan: RatePlan): void {
  // What is no list comes without types.
  const isList: boolean = Array.isArray(plan);
  if (!isList) throw new RangeError(`A plan must be a list of windows, not ${JSON.stringify(plan)}.`);
  const seen = new Set<unknown>();
  for (const { name, limit, seconds, budget = '' } of plan) {
    assertName(name);
    assertCount(`The limit of the window ${name}`, limit);
    if (seconds !== 'day') assertCount(`The seconds of the window ${name}`, seconds, ", or 'day'");
    for (const same of [`${budget}.${name}`, `${budget} ${seconds}`]) {
      if (seen.has(same))
        throw new RangeError(`Two windows of one plan have the name or the length of ${name}.`);
      seen.add(same);
    }
  }
}

/** @throws RangeError for what cannot be a name in headers and keys */
export function assertName(name: string): void {
  if (/^[\w.-]{1,64}$/.test(name)) return;
  throw new RangeError(`A name must be 1 to 64 letters, digits, '.', '_' and '-', not '${name}'.`);
}

function assertCount(what: string, value: number, or = ''): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RangeError(`${what} must be a whole number of at least 1${or}, not ${value}.`);
}
