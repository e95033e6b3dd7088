import type { Plan } from './domain/plan.js';

/** The facts of the key of a caller. Handlers get it with `@Caller() caller: Caller<KeyFacts>`. */
export interface KeyFacts {
  /** The account that owns the key; several keys may share an account. */
  readonly account: string;
  readonly plan: Plan;
}
