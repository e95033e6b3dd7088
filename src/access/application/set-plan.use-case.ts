import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../domain/api-key.js';
import { type PlanLimits, type PlanName, Plans } from '../domain/plan.js';
import { ChangeKey } from './change-key.js';

export interface SetPlanInput extends Partial<PlanLimits> {
  readonly id: string;
  readonly plan: PlanName;
}

/** Puts a key on a plan. */
@Injectable()
export class SetPlan {
  constructor(
    private readonly changeKey: ChangeKey,
    private readonly plans: Plans,
  ) {}

  /**
   * @throws InvalidApiKey when the plan and the limits do not go together.
   * @throws ApiKeyNotFound when no key has this id.
   * @throws ApiKeyOver when the key is expired or revoked.
   */
  async execute({ id, plan: name, ...limits }: SetPlanInput): Promise<ApiKey> {
    const plan = this.plans.of(name, limits);
    return this.changeKey.execute(id, (key, nowMs) => key.changePlan(plan, nowMs));
  }
}
