import { Injectable } from '@nestjs/common';
import { Clock, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { ApiKey, KeyGenerator, type NewApiKey } from '../domain/api-key.js';
import { changeOf, KeyHistory, Operator } from '../domain/key-history.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { type PlanLimits, type PlanName, Plans } from '../domain/plan.js';

export interface CreateKeyInput extends Omit<NewApiKey, 'plan'>, Partial<PlanLimits> {
  readonly plan: PlanName;
}

/** A new key and its text. The text is shown only now and never stored. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly text: string;
}

/** Issues a key. */
@Injectable()
export class CreateKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly plans: Plans,
    private readonly generator: KeyGenerator,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
    private readonly history: KeyHistory,
    private readonly operator: Operator,
  ) {}

  /** @throws InvalidNewKey when anything about the key breaks its rule. */
  async execute(
    { plan, perMinute, perDay, ...wanted }: CreateKeyInput,
    within?: Transaction,
  ): Promise<IssuedKey> {
    const secret = this.generator.generate();
    const limited = { ...wanted, plan: this.plans.of(plan, { perMinute, perDay }) };
    const key = ApiKey.issue(secret, limited, this.clock.now());
    await this.unitOfWork.run((transaction) => this.add(key, this.operator.name, transaction), within);
    return { key, text: secret.text };
  }

  /** Stores a new key, and who has issued it. */
  async add(key: ApiKey, by: string, transaction: Transaction): Promise<void> {
    await this.keys.add(key, transaction);
    await this.history.add(changeOf(null, key, by, key.createdAtMs)!, transaction);
  }

  /** Whether no key was ever issued. */
  isFirst(): Promise<boolean> {
    return this.keys.isEmpty();
  }

  /** Issues a Free key, so that a new installation can be tried at once; null when there are keys already. */
  executeFirst(): Promise<IssuedKey | null> {
    return this.unitOfWork.run(async (transaction) => {
      const isFirst = await this.keys.isEmpty(transaction);
      return isFirst ? this.execute({ name: 'first key', plan: 'free' }, transaction) : null;
    });
  }
}
