import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../domain/api-key.js';
import { UsageUnknown } from '../domain/api-key.errors.js';
import { ChangeKey } from './change-key.js';
import { FindKey } from './find-key.use-case.js';

export interface LiftedBan {
  readonly key: ApiKey;
  /** Null when the counts cannot be read: the servers lift the ban all the same, if there is one. */
  readonly wasBanned: boolean | null;
}

/** Lifts the ban of a key, if it has one. Running servers read this like any other change of a key. */
@Injectable()
export class LiftBan {
  constructor(
    private readonly findKey: FindKey,
    private readonly changeKey: ChangeKey,
  ) {}

  /**
   * @throws ApiKeyNotFound when no key has this id.
   * @throws ApiKeyOver when the key is expired or revoked.
   */
  async execute(id: string): Promise<LiftedBan> {
    const wasBanned = await this.isBanned(id);
    const key = await this.changeKey.execute(id, (found, nowMs) => found.liftBan(nowMs));
    return { key, wasBanned };
  }

  private async isBanned(id: string): Promise<boolean | null> {
    try {
      return (await this.findKey.withUsage(id)).usage.ban !== null;
    } catch (error) {
      if (error instanceof UsageUnknown) return null;
      throw error;
    }
  }
}
