import { Injectable } from '@nestjs/common';
import type { IssuedKey } from '@animal-store/api-keys/issuing';
import { type Transaction, UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import type { PlanName } from '../domain/plan.js';
import { StoreKeyIssuer, type WantedKey } from './key-issuer.js';

export interface CreateKeyInput extends WantedKey {
  readonly plan: PlanName;
}

/** Issues a key for the operator. */
@Injectable()
export class CreateKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly issuer: StoreKeyIssuer,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws InvalidNewKey when anything about the key breaks its rule. */
  execute(wanted: CreateKeyInput, within?: Transaction): Promise<IssuedKey<ApiKey>> {
    return this.issuer.issue(wanted, { within });
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
