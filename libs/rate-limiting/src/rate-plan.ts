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
 * The limits of a caller. Create one object per plan and reuse it: what is made of a plan, such as its headers, is cached by
 * object. A minute and a day are counted fastest; other windows are a list. `{ perMinute: null, perDay: null }` is a
 * plan without limits.
 */
export interface RatePlan {
  /** Requests a minute, a whole number of at least 1; null when the minute is not limited. Only beside `windows` it may be left out. */
  readonly perMinute?: number | null;
  /** Requests a UTC calendar day, a whole number of at least 1; null when the day is not limited. Only beside `windows` it may be left out. */
  readonly perDay?: number | null;
  /** Further windows, of any length. No two have the same length or the same name. */
  readonly windows?: readonly RateWindow[];
}

/**
 * When a caller that continues after refusals is banned: when its refused requests within a minute reach `minRefusals`
 * or half of what its plan allows a minute, whichever is more. Every further ban within `memoryMs` of the previous one lasts
 * twice as long, up to `longestBanMs`.
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

/** Whether the plan limits nothing. */
export function isUnlimited({ perMinute, perDay, windows }: RatePlan): boolean {
  return typeof perMinute !== 'number' && typeof perDay !== 'number' && !windows?.length;
}

/** Requests a minute by which refusals are judged: those of its minute, or as many as its shortest window has in one. */
export function perMinuteOf(plan: RatePlan): number {
  return plan.perMinute ?? rateOfShortest(plan);
}

const rateOfShortest = oncePer(({ windows = [] }: RatePlan): number => {
  const rates = windows.map(({ limit, seconds }) => ({ limit, length: secondsOf(seconds) }));
  const [shortest] = rates.sort((a, b) => a.length - b.length);
  return shortest ? (shortest.limit * 60) / shortest.length : 0;
});

export function secondsOf(length: RateWindow['seconds']): number {
  return length === 'day' ? 86_400 : length;
}

/** @throws RangeError for a limit or a length that is no whole number of at least 1, and for windows that look the same */
export function assertPlan({ perMinute, perDay, windows }: RatePlan): void {
  for (const [name, limit] of Object.entries({ perMinute, perDay })) {
    if (limit === null || (limit === undefined && windows !== undefined)) continue;
    assertCount(`The ${name} of a plan`, limit, ', or null for no limit');
  }
  assertWindows(windows ?? []);
}

/** @throws RangeError */
export function assertWindows(windows: readonly RateWindow[]): void {
  const seen = new Set<unknown>();
  for (const { name, limit, seconds, budget = '' } of windows) {
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

function assertCount(what: string, value: number | undefined, or = ''): void {
  if (Number.isSafeInteger(value) && value! >= 1) return;
  throw new RangeError(`${what} must be a whole number of at least 1${or}, not ${value}.`);
}
