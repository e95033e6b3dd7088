import { Injectable } from '@nestjs/common';
import { ApiKeyNotFound } from '@animal-store/api-keys/issuing';
import { AccountNotFound } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { type KeyChange, KeyHistory } from '../domain/key-history.js';

/** Lists what was done to a key and its bans, or to all keys that an account has ever had, the first change first. */
@Injectable()
export class ListKeyChanges {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly history: KeyHistory,
  ) {}

  /** @throws ApiKeyNotFound, AccountNotFound */
  async execute(of: { readonly id: string } | { readonly account: string }): Promise<readonly KeyChange[]> {
    if ('account' in of) {
      if ((await this.keys.oneOf(of.account)) === null) throw new AccountNotFound(of.account);
      return this.history.ofAccount(of.account);
    }
    if (!(await this.keys.findById(of.id))) throw new ApiKeyNotFound(of.id);
    return this.history.of(of.id);
  }
}
