import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyNotFound } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';

/** Finds a key by its id, or by the hash of its text. */
@Injectable()
export class FindKey {
  constructor(private readonly keys: ApiKeyRepository) {}

  /** @throws ApiKeyNotFound when there is no such key. */
  async execute(by: { readonly id: string } | { readonly hash: string }): Promise<ApiKey> {
    const key = 'id' in by ? await this.keys.findById(by.id) : await this.keys.findByHash(by.hash);
    if (!key) throw new ApiKeyNotFound('id' in by ? by.id : null);
    return key;
  }
}
