import { Injectable } from '@nestjs/common';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';

/** Revokes a key. It cannot be made valid again. */
@Injectable()
export class RevokeKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws ApiKeyNotFound when no key has this id. */
  async execute(id: string): Promise<ApiKey> {
    const nowMs = this.clock.now();
    const revoked = await this.unitOfWork.run((transaction) =>
      this.keys.change(id, (key) => key.revoke(nowMs), transaction),
    );
    if (!revoked) throw new ApiKeyNotFound(id);
    return revoked;
  }
}
