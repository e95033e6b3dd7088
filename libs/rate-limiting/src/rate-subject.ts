import type { Counter } from './plan-window.js';
import type { RatePlan } from './rate-plan.js';

/** The subject that requests are counted against, and its limits. */
export interface RateSubject {
  readonly id: string;
  readonly plan: RatePlan;
  /**
   * Whether it is an address. A caller can have any number of them, so a store bounds how many it counts separately.
   */
  readonly isAddress?: boolean;
  /**
   * Only for an object that is reused as long as the other fields do not change: null at first, then set by the store
   * to the counter, which saves a look-up. Otherwise leave it out.
   */
  counter?: Counter | null;
}
