import type { RatePlan, RateWindow } from './rate-plan.js';

export type RefusalCode = 'rate_limit_exceeded' | 'daily_quota_exceeded' | 'api_key_banned';

/** A ban in force. */
export interface BanState {
  /** Whether this request started it. */
  readonly began: boolean;
  /** How many refused requests within a minute led to it. */
  readonly refusals: number;
  /** Whole seconds until it ends, rounded up. */
  readonly seconds: number;
}

/** The decision about one request, and the values of its response headers. */
export class RateLimitDecision {
  constructor(
    readonly plan: RatePlan,
    /** Why the request is refused; null when it is allowed. */
    readonly code: RefusalCode | null,
    /** The ban of the caller; null when there is none. */
    readonly ban: BanState | null,
    /**
     * The window with the fewest requests left, on a tie the longest; of a refused request the exhausted one that
     * resets last. Null when the plan limits nothing.
     */
    readonly binding: RateWindow | null,
    /** Requests left in the binding window; Infinity when the plan limits nothing. */
    readonly remaining: number,
    /** When the binding window resets: Unix time in seconds, rounded up. */
    readonly resetAtSeconds: number,
    /** Seconds until a request can succeed, at least 1; 0 when this request is allowed. */
    readonly retryAfterSeconds: number,
    /** Two numbers of each window of the plan, in order: the requests left, and the whole seconds until it resets. */
    readonly states: readonly number[],
  ) {}

  get allowed(): boolean {
    return this.code === null;
  }

  /** The limit of the binding window. */
  get limit(): number {
    return this.binding?.limit ?? Infinity;
  }
}
