import { Injectable } from '@nestjs/common';
import { type IssuedKey, KeyIssuer } from '@animal-store/api-keys/issuing';
import { type Transaction, UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { type PlanLimits, type PlanName, Plans } from '../domain/plan.js';

export interface SetPlanInput extends Partial<PlanLimits> {
  readonly id: string;
  readonly plan: PlanName;
}

export interface RotatedKey extends IssuedKey<ApiKey> {
  readonly replaced: ApiKey;
}

/**
 * Changes an issued key; running servers poll for changes.
 *
 * Each change throws ApiKeyNotFound when no key has the id, and all but `revoke` throw InactiveApiKey when the key is expired
 * or revoked.
 */
@Injectable()
export class ChangeKey {
  constructor(
    private readonly issuer: KeyIssuer<ApiKey, Transaction>,
    private readonly plans: Plans,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws InvalidNewKey when the plan and the limits do not go together. */
  async setPlan({ id, plan: name, ...limits }: SetPlanInput): Promise<ApiKey> {
    const plan = this.plans.of(name, limits);
    const change = (key: ApiKey, nowMs: number) => key.changePlan(plan, nowMs);
    return this.unitOfWork.run((within) => this.issuer.change(id, change, { within }));
  }

  /** The key cannot be made valid again. */
  revoke(id: string): Promise<ApiKey> {
    return this.unitOfWork.run((within) => this.issuer.revoke(id, { within }));
  }

  /**
   * Issues a new key that replaces an old one.
   * @param input `graceMs` is how long the old key still works; with 0 it is revoked at once
   * @throws InactiveApiKey also when the key is already replaced.
   */
  rotate({ id, graceMs }: { id: string; graceMs: number }): Promise<RotatedKey> {
    return this.unitOfWork.run((within) => this.issuer.rotate(id, graceMs, { within }));
  }
}
