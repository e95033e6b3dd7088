import type { Counter } from './plan-window.js';
import type { RatePlan } from './rate-plan.js';

/**
 * Who is limited, and to what. Hand over the same object from one request to the next, for as long as neither changes:
 * a store that counts in memory then finds the counter without a look-up.
 */
export interface RateSubject {
  readonly id: string;
  readonly plan: RatePlan;
  /** Where it is counted; only for the store to read and write. */
  counter?: Counter | undefined;
}
