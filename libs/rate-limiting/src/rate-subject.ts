import type { RatePlan } from './rate-plan.js';

/** The subject that requests are counted against, and its limits. */
export interface RateSubject {
  readonly id: string;
  readonly plan: RatePlan;
  /**
   * Whose refused requests are counted, and who is banned for them, when several callers share the subject. Otherwise
   * leave it out.
   */
  readonly caller?: string;
  /**
   * Whether it is an address. A caller can have any number of them, so a store bounds how many it counts separately.
   */
  readonly isAddress?: boolean;
  /** Whether its requests are not counted and always allowed. Their headers show its state. */
  readonly isUncounted?: boolean;
  /** The label that `onDecision` gets with its decisions, such as the name of the plan. Default: empty. */
  readonly label?: string;
  /**
   * Only for an object that is reused as long as the other fields do not change: null at first, then set by the store
   * to the counter, which saves a look-up. Otherwise leave it out.
   */
  counter?: object | null;
}
