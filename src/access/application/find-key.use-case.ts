import { Injectable } from '@nestjs/common';
import { ApiKeyNotFound } from '@animal-store/api-keys/issuing';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';

/** How a key is found: by its id, for an account only among its own, or by the hash of its text. */
export type KeyReference =
  { readonly id: string } | { readonly id: string; readonly account: string } | { readonly hash: string };

@Injectable()
export class FindKey {
  constructor(private readonly keys: ApiKeyRepository) {}

  /** @throws ApiKeyNotFound when there is no such key. */
  async execute(by: KeyReference): Promise<ApiKey> {
    const id = 'id' in by ? by.id : (await this.keys.findByHash(by.hash))?.keyId;
    const key = id === undefined ? null : await this.keys.findById(id);
    const isOfAnother = 'account' in by && key?.account !== by.account;
    if (!key || isOfAnother) throw new ApiKeyNotFound('id' in by ? by.id : null);
    return key;
  }
}
