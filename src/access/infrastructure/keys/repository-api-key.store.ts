import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiKeyStore, generateApiKey, hashApiKey, type StoredApiKey } from '@animal-store/api-keys';
import { Settings } from '../../../settings/settings.js';
import type { KeySecret } from '@animal-store/api-keys/issuing';
import { type ApiKey, KeyGenerator } from '../../domain/api-key.js';
import { ApiKeyRepository } from '../../domain/api-key.repository.js';
import type { KeyFacts } from '../../key-facts.js';

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
export function toStoredApiKey(key: ApiKey): StoredApiKey<KeyFacts> {
  const { id: keyId, hash, account, plan, scopes, expiresAtMs, revokedAtMs } = key;
  return { keyId, hash, account, plan, scopes, expiresAtMs, revokedAtMs };
}

/** Generates keys from the system's random source, for the environment in the settings. */
@Injectable()
export class RandomKeyGenerator extends KeyGenerator {
  constructor(private readonly settings: Settings) {
    super();
  }

  generate(): KeySecret {
    const text = generateApiKey(this.settings.api.keyPrefix);
    return { id: `key_${randomBytes(8).toString('hex')}`, text, hash: hashApiKey(text) };
  }
}
