import { Injectable } from '@nestjs/common';
import { type IssuedKey, KeyIssuer } from '@animal-store/api-keys/issuing';
import { type Transaction, UnitOfWork } from '@animal-store/kernel';
import { ApiKey, type NewApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { type PlanLimits, type PlanName, Plans } from '../domain/plan.js';

export interface CreateKeyInput extends Omit<NewApiKey, 'plan'>, Partial<PlanLimits> {
  readonly plan: PlanName;
}

/** Issues a key. */
@Injectable()
export class CreateKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly plans: Plans,
    private readonly issuer: KeyIssuer<ApiKey, Transaction>,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws InvalidNewKey when anything about the key breaks its rule. */
  async execute(
    { plan, perMinute, perDay, ...labels }: CreateKeyInput,
    transaction?: Transaction,
  ): Promise<IssuedKey<ApiKey>> {
    const wanted = { ...labels, plan: this.plans.of(plan, { perMinute, perDay }) };
    return this.unitOfWork.run(
      (within) =>
        this.issuer.issue(wanted, { within }, (secret, newKey, nowMs) => ApiKey.issue(secret, newKey, nowMs)),
      transaction,
    );
  }

  /** Whether no key was ever issued. */
  isFirst(): Promise<boolean> {
    return this.keys.isEmpty();
  }

  /** Issues a Free key, so that a new installation can be tried at once; null when there are keys already. */
  executeFirst(): Promise<IssuedKey<ApiKey> | null> {
    return this.unitOfWork.run(async (transaction) => {
      const isFirst = await this.keys.isEmpty(transaction);
      return isFirst ? this.execute({ name: 'first key', plan: 'free' }, transaction) : null;
    });
  }
}
