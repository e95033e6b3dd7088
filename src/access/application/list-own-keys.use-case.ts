import { Injectable } from '@nestjs/common';
import { Clock, type Page, type PageRequest } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';

/** A cursor of keys has their id alone, because they have no number. */
const NO_ID = 1n;

/** Lists the active keys of an account, in the order of their ids, by which cursors continue. */
@Injectable()
export class ListOwnKeys {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  async execute(account: string, { limit, after }: PageRequest): Promise<Page<ApiKey>> {
    const keys = await this.keys.activeOf(account, this.clock.now(), String(after?.value ?? ''), limit + 1);
    const items = keys.slice(0, limit);
    return { items, next: keys.length > limit ? { id: NO_ID, value: items.at(-1)!.id } : null };
  }
}
