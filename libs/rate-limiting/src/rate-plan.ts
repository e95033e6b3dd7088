export const MINUTE_MS = 60_000;

/** The limits of a caller. Create one object per plan and reuse it: the header texts of a plan are cached by object. */
export interface RatePlan {
  /** Requests a minute, a whole number of at least 1. */
  readonly perMinute: number;
  /** Requests a UTC calendar day, a whole number of at least 1; null when only the minute is limited. */
  readonly perDay: number | null;
}

/**
 * When a caller that continues after refusals is banned: when its refused requests within a minute reach `minRefusals`
 * or half its plan's `perMinute`, whichever is more. Every further ban within `memoryMs` of the previous one lasts
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

/** @throws RangeError for a limit that is no whole number of at least 1 */
export function assertPlan({ perMinute, perDay }: RatePlan): void {
  for (const [name, limit] of Object.entries({ perMinute, perDay })) {
    if (name === 'perDay' && limit === null) continue;
    if (Number.isSafeInteger(limit) && limit! >= 1) continue;
    throw new RangeError(
      `The ${name} of a plan must be a whole number of at least 1, not ${limit}. Use skipIf for callers without limits.`,
    );
  }
}
