import type { Counter } from './plan-window.js';
import type { RatePlan } from './rate-plan.js';

/** Who is limited, and to what. */
export interface RateSubject {
  readonly id: string;
  readonly plan: RatePlan;
  /** Whether it is of a kind that one caller can have any number of, as addresses: a store bounds how many it counts apart. */
  readonly isAddress?: boolean;
  /**
   * Only for an object that is handed over again for as long as neither of the others changes: null at first, then
   * where the store counts it, which so needs no look-up. Everybody else leaves it out.
   */
  counter?: Counter | null;
}
