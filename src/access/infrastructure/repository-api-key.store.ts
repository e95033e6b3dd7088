import { Injectable } from '@nestjs/common';
import { ApiKeyStore, type StoredApiKey } from '#libs/api-keys';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { toStoredApiKey } from './stored-api-key.mapper.js';

/** Looks up keys in the repository for authentication. */
@Injectable()
export class RepositoryApiKeyStore extends ApiKeyStore {
  constructor(private readonly keys: ApiKeyRepository) {
    super();
  }

  async findByHash(hash: string): Promise<StoredApiKey | null> {
    const key = await this.keys.findByHash(hash);
    return key && toStoredApiKey(key);
  }

  async findByHashes(hashes: readonly string[]): Promise<StoredApiKey[]> {
    return (await this.keys.findByHashes(hashes)).map(toStoredApiKey);
  }
}
