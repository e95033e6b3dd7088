import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';

/** Lifts the ban of a key, if it has one. Running servers read this like any other change of a key. */
@Injectable()
export class LiftBan {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @throws ApiKeyNotFound when no key has this id.
   * @throws ApiKeyOver when the key is expired or revoked.
   */
  async execute(id: string): Promise<ApiKey> {
    const nowMs = this.clock.now();
    const changed = await this.unitOfWork.run((transaction) =>
      this.keys.change(id, (key) => key.liftBan(nowMs), transaction),
    );
    if (!changed) throw new ApiKeyNotFound(id);
    return changed;
  }
}
