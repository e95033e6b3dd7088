import { Injectable } from '@nestjs/common';
import type { IssuedKey, RevokedKey } from '@animal-store/api-keys/issuing';
import type { ApiKey } from '../domain/api-key.js';
import { type PlanLimits, type PlanName, Plans } from '../domain/plan.js';
import { StoreKeyIssuer } from './key-issuer.js';

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
 * Each change throws ApiKeyNotFound when no key has the id, and all but `revoke` throw InactiveApiKey when the key is
 * expired or revoked.
 */
@Injectable()
export class ChangeKey {
  constructor(
    private readonly issuer: StoreKeyIssuer,
    private readonly plans: Plans,
  ) {}

  /** @throws InvalidNewKey when the plan and the limits do not go together. */
  async setPlan({ id, plan: name, ...limits }: SetPlanInput): Promise<ApiKey> {
    const plan = this.plans.of(name, limits);
    return this.issuer.change(id, (key, nowMs) => key.changePlan(plan, nowMs));
  }

  /** The key cannot be made valid again. */
  revoke(id: string, withDescendants = false): Promise<RevokedKey<ApiKey>> {
    return this.issuer.revoke(id, { withDescendants });
  }

  /**
   * Issues a new key that replaces an old one.
   * @param input `graceMs` is how long the old key still works; with 0 it is revoked at once
   * @throws InactiveApiKey also when the key is already replaced.
   */
  rotate({ id, graceMs }: { id: string; graceMs: number }): Promise<RotatedKey> {
    return this.issuer.rotate(id, graceMs);
  }
}
