import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { type KeyUsage, UsageReader, withoutLiftedBan } from '../domain/usage.reader.js';

/** Returns a key and what it has used of its quota. */
@Injectable()
export class ShowKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly usage: UsageReader,
  ) {}

  /**
   * @throws ApiKeyNotFound when no key has this id.
   * @throws UsageUnknown when the counts cannot be read.
   */
  async execute(id: string): Promise<{ key: ApiKey; usage: KeyUsage }> {
    const key = await this.keys.findById(id);
    if (!key) throw new ApiKeyNotFound(id);
    return { key, usage: withoutLiftedBan(await this.usage.usageOf(id), key) };
  }
}
