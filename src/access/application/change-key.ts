import { Injectable } from '@nestjs/common';
import { Clock, type Transaction, UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';

/** What the use cases that change a key share. */
@Injectable()
export class ChangeKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiKeyNotFound when no key has this id. */
  execute(id: string, change: (key: ApiKey, nowMs: number) => ApiKey, within?: Transaction): Promise<ApiKey> {
    const nowMs = this.clock.now();
    return this.unitOfWork.run(async (transaction) => {
      const changed = await this.keys.change(id, (key) => change(key, nowMs), transaction);
      if (!changed) throw new ApiKeyNotFound(id);
      return changed;
    }, within);
  }
}
