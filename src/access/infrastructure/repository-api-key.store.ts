import { Injectable } from '@nestjs/common';
import { ApiKeyStore, type StoredApiKey } from '@animal-store/api-keys';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import type { KeyFacts } from '../key-facts.js';

/** Looks up keys in the repository for authentication. */
@Injectable()
export class RepositoryApiKeyStore extends ApiKeyStore<KeyFacts> {
  constructor(private readonly keys: ApiKeyRepository) {
    super();
  }

  async findByHash(hash: string): Promise<StoredApiKey<KeyFacts> | null> {
    const key = await this.keys.findByHash(hash);
    return key && toStoredApiKey(key);
  }

  override async findByHashes(hashes: readonly string[]): Promise<StoredApiKey<KeyFacts>[]> {
    return (await this.keys.findByHashes(hashes)).map(toStoredApiKey);
  }
}

/** The fields of a key that authentication needs. */
export function toStoredApiKey({
  id,
  hash,
  account,
  plan,
  expiresAtMs,
  revokedAtMs,
}: ApiKey): StoredApiKey<KeyFacts> {
  return { keyId: id, hash, account, plan, expiresAtMs, revokedAtMs };
}
