import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyNotFound } from '@animal-store/api-keys/issuing';
import { AccountNotFound } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { type KeyChange, KeyHistory } from '../domain/key-history.js';
import type { KeyUsage } from '../domain/usage.reader.js';
import { ReadUsage } from './usage/read-usage.js';

/** Finds a key by its id, or by the hash of its text. */
@Injectable()
export class FindKey {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly usage: ReadUsage,
    private readonly history: KeyHistory,
  ) {}

  /** @throws ApiKeyNotFound when there is no such key. */
  async execute(by: { readonly id: string } | { readonly hash: string }): Promise<ApiKey> {
    const id = 'id' in by ? by.id : (await this.keys.findByHash(by.hash))?.keyId;
    const key = id === undefined ? null : await this.keys.findById(id);
    if (!key) throw new ApiKeyNotFound('id' in by ? by.id : null);
    return key;
  }

  /**
   * The key, its ban, and what its account has used of its quota.
   * @throws ApiKeyNotFound when no key has this id.
   * @throws UsageUnavailable when the counts cannot be read.
   */
  async withUsage(id: string): Promise<{ key: ApiKey; usage: KeyUsage }> {
    const [found] = await this.usage.of([await this.execute({ id })]);
    return found!;
  }

  /**
   * What was done to the key and its bans, the first change first.
   * @throws ApiKeyNotFound when no key has this id.
   */
  async historyOf(id: string): Promise<readonly KeyChange[]> {
    await this.execute({ id });
    return this.history.of([id]);
  }

  /**
   * What was done to all keys that an account has ever had, the first change first.
   * @throws AccountNotFound
   */
  async historyOfAccount(account: string): Promise<readonly KeyChange[]> {
    if (!(await this.keys.has(account))) throw new AccountNotFound(account);
    return this.history.ofAccount(account);
  }
}
