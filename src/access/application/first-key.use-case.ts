import { Injectable } from '@nestjs/common';
import type { IssuedKey } from '@animal-store/api-keys/issuing';
import { UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { StoreKeyIssuer } from './key-issuer.service.js';

/** The key for the first requests to a new installation. */
@Injectable()
export class FirstKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly issuer: StoreKeyIssuer,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** Issues a Free key, or only says that one is missing; null when there are keys already. */
  execute(isIssued: boolean): Promise<IssuedKey<ApiKey> | 'missing' | null> {
    return this.unitOfWork.run(async (within) => {
      if (!(await this.keys.isEmpty(within))) return null;
      return isIssued ? this.issuer.issue({ name: 'first key', plan: 'free' }, { within }) : 'missing';
    });
  }
}
