import { Injectable } from '@nestjs/common';
import type { IssuedKey } from '@animal-store/api-keys/issuing';
import { UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { StoreKeyIssuer } from './key-issuer.use-case.js';

/** The key with which a new installation can be tried at once. */
@Injectable()
export class FirstKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly issuer: StoreKeyIssuer,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** Whether no key was ever issued. */
  isMissing(): Promise<boolean> {
    return this.keys.isEmpty();
  }

  /** Issues a Free key; null when there are keys already. */
  execute(): Promise<IssuedKey<ApiKey> | null> {
    return this.unitOfWork.run(async (within) => {
      const isFirst = await this.keys.isEmpty(within);
      return isFirst ? this.issuer.issue({ name: 'first key', plan: 'free' }, { within }) : null;
    });
  }
}
