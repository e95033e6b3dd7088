import { Injectable } from '@nestjs/common';
import { ApiKeyNotFound } from '@animal-store/api-keys/issuing';
import { Clock, type Page, type PageRequest } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';

/** A cursor of keys has their id alone, because they have no number. */
const NO_ID = 1n;

/** An account sees its own keys. */
@Injectable()
export class OwnKeys {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  /** The active keys, in the order of their ids, by which cursors continue. */
  async list(account: string, { limit, after }: PageRequest): Promise<Page<ApiKey>> {
    const keys = await this.keys.activeOf(account, this.clock.now(), String(after?.value ?? ''), limit + 1);
    const items = keys.slice(0, limit);
    return { items, next: keys.length > limit ? { id: NO_ID, value: items.at(-1)!.id } : null };
  }

  /** @throws ApiKeyNotFound when the account has no such key. */
  async find(account: string, id: string): Promise<ApiKey> {
    const key = await this.keys.findById(id);
    if (key?.account !== account) throw new ApiKeyNotFound(id);
    return key;
  }
}
