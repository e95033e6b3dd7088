import { Injectable } from '@nestjs/common';
import { Clock, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { type ApiKey, KeyGenerator } from '../domain/api-key.js';
import { ApiKeyNotFound } from '@animal-store/api-keys/issuing';
import { changeOf, KeyHistory, Operator } from '../domain/key-history.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { type PlanLimits, type PlanName, Plans } from '../domain/plan.js';
import { CreateKey, type IssuedKey } from './create-key.use-case.js';

export interface SetPlanInput extends Partial<PlanLimits> {
  readonly id: string;
  readonly plan: PlanName;
}

export interface RotatedKey extends IssuedKey {
  readonly replaced: ApiKey;
}

/**
 * Changes an issued key; running servers poll for changes.
 *
 * Each change throws ApiKeyNotFound when no key has the id, and all but `revoke` throw ApiKeyOver when the key is expired
 * or revoked.
 */
@Injectable()
export class ChangeKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly plans: Plans,
    private readonly generator: KeyGenerator,
    private readonly createKey: CreateKey,
    private readonly history: KeyHistory,
    private readonly operator: Operator,
  ) {}

  /** @throws InvalidNewKey when the plan and the limits do not go together. */
  async setPlan({ id, plan: name, ...limits }: SetPlanInput): Promise<ApiKey> {
    const plan = this.plans.of(name, limits);
    return this.change(id, (key, nowMs) => key.changePlan(plan, nowMs), this.operator.name);
  }

  /** The key cannot be made valid again. */
  revoke(id: string, by = this.operator.name, within?: Transaction): Promise<ApiKey> {
    return this.change(id, (key, nowMs) => key.revoke(nowMs), by, within);
  }

  /**
   * Issues a new key that replaces an old one.
   * @param input `graceMs` is how long the old key still works; with 0 it is revoked at once
   * @throws ApiKeyOver also when the key is already replaced.
   */
  rotate(
    { id, graceMs, by = this.operator.name }: { id: string; graceMs: number; by?: string },
    within?: Transaction,
  ): Promise<RotatedKey> {
    const secret = this.generator.generate();
    return this.unitOfWork.run(async (transaction) => {
      let successor!: ApiKey;
      const rotate = (old: ApiKey, nowMs: number): ApiKey => {
        const { replaced, successor: key } = old.rotate(secret, graceMs, nowMs);
        successor = key;
        return replaced;
      };
      const replaced = await this.change(id, rotate, by, transaction);
      await this.createKey.add(successor, by, transaction);
      return { key: successor, text: secret.text, replaced };
    }, within);
  }

  private change(
    id: string,
    change: (key: ApiKey, nowMs: number) => ApiKey,
    by: string,
    within?: Transaction,
  ): Promise<ApiKey> {
    const nowMs = this.clock.now();
    return this.unitOfWork.run(async (transaction) => {
      let before: ApiKey | null = null;
      const noting = (key: ApiKey): ApiKey => change((before = key), nowMs);
      const changed = await this.keys.change(id, noting, transaction);
      if (!changed) throw new ApiKeyNotFound(id);
      const entry = changeOf(before, changed, by, nowMs);
      if (entry) await this.history.add(entry, transaction);
      return changed;
    }, within);
  }
}
