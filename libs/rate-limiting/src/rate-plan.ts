/**
 * How many requests a caller has. Make one object per plan and reuse it: what is derived from a plan (header texts) is
 * kept per object.
 */
export interface RatePlan {
  /** Requests a minute, a whole number of at least 1. */
  readonly perMinute: number;
  /** Requests a UTC calendar day, a whole number of at least 1; null when only the minute is limited. */
  readonly perDay: number | null;
}

/**
 * When a caller who goes on after being refused is banned. The ban comes when its refused requests within a minute
 * reach `minRefusals` or half its plan's `perMinute`, whichever is more; every further ban within `memoryMs` of the
 * one before is twice as long as that one, up to `longestBanMs`.
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

/** `rules` filled up with the defaults. */
export function banRules(rules: Partial<BanRules> = {}): BanRules {
  return { ...DEFAULT_BAN_RULES, ...rules };
}
