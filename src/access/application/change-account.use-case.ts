import { Injectable } from '@nestjs/common';
import { CLOCKS_DIFFER_MS } from '@animal-store/api-keys/issuing';
import { Clock } from '@animal-store/kernel';
import { AccountNotFound } from '../domain/api-key.errors.js';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { StoreKeyIssuer } from './key-issuer.service.js';

/** Bounds a transaction: others who change keys wait for it. */
const KEYS_A_CHANGE = 500;

/**
 * Changes all keys of an account at once; running servers poll for changes. Of one that is suspended no key works, and
 * none can be made, until it resumes.
 */
@Injectable()
export class ChangeAccount {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly issuer: StoreKeyIssuer,
    private readonly clock: Clock,
  ) {}

  /**
   * Repeats until nothing is left to change, because a key may have issued another one meanwhile.
   * @throws AccountNotFound
   */
  async execute(account: string, verb: 'suspend' | 'resume' | 'revoke'): Promise<ApiKey[]> {
    const one = await this.keys.oneOf(account);
    if (one === null) throw new AccountNotFound(account);
    const changed: ApiKey[] = [];
    let before: number;
    do {
      before = changed.length;
      let page: readonly ApiKey[];
      let after = '';
      do {
        const nowMs = this.clock.now();
        page = await (verb === 'resume'
          ? // Also those that were revoked meanwhile: else no new one could be made.
            this.keys.suspendedOf(account, after, KEYS_A_CHANGE)
          : this.keys.activeOf(account, nowMs - CLOCKS_DIFFER_MS, after, KEYS_A_CHANGE));
        const open = page.filter((key) => key[verb](nowMs) !== key).map(({ id }) => id);
        if (open.length > 0)
          changed.push(...(await this.issuer.changeAll(open, (key, atMs) => key[verb](atMs))));
        after = page.at(-1)?.id ?? after;
      } while (page.length === KEYS_A_CHANGE);
    } while (changed.length > before);
    const isSuspended = changed.length > 0 || (await this.keys.suspendedOf(account, '', 1)).length > 0;
    if (verb !== 'suspend' || isSuspended) return changed;
    // No key of the account is active: an old one is suspended, so that no new one can be made.
    return [...(await this.issuer.changeAll([one], (key, atMs) => key.suspend(atMs)))];
  }
}
