import { Injectable } from '@nestjs/common';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { type PlanLimits, type PlanName, Plans } from '../domain/plan.js';

export interface SetPlanInput extends Partial<PlanLimits> {
  readonly id: string;
  readonly plan: PlanName;
}

/** Puts a key on a plan. */
@Injectable()
export class SetPlan {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly plans: Plans,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @throws InvalidApiKey when the plan and the limits do not go together.
   * @throws ApiKeyNotFound when no key has this id.
   * @throws ApiKeyOver when the key is expired or revoked.
   */
  async execute({ id, plan: name, ...limits }: SetPlanInput): Promise<ApiKey> {
    const plan = this.plans.of(name, limits);
    const nowMs = this.clock.now();
    const changed = await this.unitOfWork.run((transaction) =>
      this.keys.change(id, (key) => key.changePlan(plan, nowMs), transaction),
    );
    if (!changed) throw new ApiKeyNotFound(id);
    return changed;
  }
}
