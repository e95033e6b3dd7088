import { InvalidNewKey } from '@animal-store/api-keys/issuing';

/** The plans a key can be on (contract section 8). */
export const PLAN_NAMES = ['free', 'pro', 'business', 'enterprise'] as const;

export type PlanName = (typeof PLAN_NAMES)[number];

/** How many requests a key may make. */
export interface Plan {
  readonly name: PlanName;
  readonly perMinute: number;
  readonly perDay: number;
}

export type PlanLimits = Omit<Plan, 'name'>;

const MAX_LIMIT = 1_000_000_000;

/** The problem with the limits given for a key on this plan, as a sentence; null when they are valid. */
export function planProblem(name: PlanName, own: Partial<PlanLimits>): string | null {
  const limits = [own.perMinute, own.perDay].filter((limit) => limit !== undefined);
  if (name !== 'enterprise') {
    return limits.length > 0 ? `The limits of the ${name} plan are settings: leave out both.` : null;
  }
  if (limits.length < 2) return 'The enterprise plan needs both limits: --per-minute and --per-day.';
  const isLimit = (limit: number) => Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT;
  return limits.every(isLimit) ? null : `A limit must be a whole number from 1 to ${MAX_LIMIT}.`;
}

/** More distinct pairs of Enterprise limits are not shared. */
const MAX_SHARED_PLANS = 1_000;

/** The plans and their limits. Each Enterprise key has its own limits. Keys with the same plan share one object. */
export class Plans {
  private readonly shared = new Map<string, Plan>();

  constructor(private readonly limits: Readonly<Record<Exclude<PlanName, 'enterprise'>, PlanLimits>>) {}

  /** @throws InvalidNewKey when the plan and the limits do not go together. */
  of(name: PlanName | undefined, own: Partial<PlanLimits> = {}): Plan {
    if (name === undefined) throw new InvalidNewKey(`A key needs a plan: ${PLAN_NAMES.join(', ')}.`);
    const problem = planProblem(name, own);
    if (problem) throw new InvalidNewKey(problem);
    const { perMinute, perDay } = name === 'enterprise' ? (own as PlanLimits) : this.limits[name];
    const same = `${name} ${perMinute} ${perDay}`;
    let plan = this.shared.get(same);
    if (!plan) {
      plan = Object.freeze({ name, perMinute, perDay });
      if (this.shared.size < MAX_SHARED_PLANS) this.shared.set(same, plan);
    }
    return plan;
  }
}
