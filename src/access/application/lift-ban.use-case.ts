import { Injectable } from '@nestjs/common';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyNotFound, UsageUnknown } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { UsageReader, withoutLiftedBan } from '../domain/usage.reader.js';

export interface LiftedBan {
  readonly key: ApiKey;
  /** Null when the counts cannot be read: the servers lift the ban all the same, if there is one. */
  readonly wasBanned: boolean | null;
}

/** Lifts the ban of a key, if it has one. Running servers read this like any other change of a key. */
@Injectable()
export class LiftBan {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly usage: UsageReader,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @throws ApiKeyNotFound when no key has this id.
   * @throws ApiKeyOver when the key is expired or revoked.
   */
  async execute(id: string): Promise<LiftedBan> {
    const nowMs = this.clock.now();
    const before = await this.keys.findById(id);
    if (!before) throw new ApiKeyNotFound(id);
    const wasBanned = await this.isBanned(before);
    const key = await this.unitOfWork.run((transaction) =>
      this.keys.change(id, (found) => found.liftBan(nowMs), transaction),
    );
    if (!key) throw new ApiKeyNotFound(id);
    return { key, wasBanned };
  }

  private async isBanned(key: ApiKey): Promise<boolean | null> {
    try {
      return withoutLiftedBan(await this.usage.usageOf(key.id), key).ban !== null;
    } catch (error) {
      if (error instanceof UsageUnknown) return null;
      throw error;
    }
  }
}
