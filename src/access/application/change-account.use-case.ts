import { Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import { AccountNotFound } from '../domain/api-key.errors.js';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { StoreKeyIssuer } from './key-issuer.use-case.js';

/** Bounds a transaction: others who change keys wait for it. */
const KEYS_A_CHANGE = 500;

/** Changes all keys of an account at once; running servers poll for changes. Each change throws AccountNotFound. */
@Injectable()
export class ChangeAccount {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly issuer: StoreKeyIssuer,
    private readonly clock: Clock,
  ) {}

  /** No key of the account works, and none can be made, until it resumes. */
  suspend(account: string): Promise<ApiKey[]> {
    return this.change(account, (key, nowMs) => key.suspend(nowMs));
  }

  /** Also of keys that were revoked meanwhile: else no new one could be made. */
  resume(account: string): Promise<ApiKey[]> {
    return this.change(
      account,
      (key, nowMs) => key.resume(nowMs),
      (after) => this.keys.suspendedOf(account, after, KEYS_A_CHANGE),
    );
  }

  revoke(account: string): Promise<ApiKey[]> {
    return this.change(account, (key, nowMs) => key.revoke(nowMs));
  }

  /** Repeats until nothing is left to change, because a key may have issued another one meanwhile. */
  private async change(
    account: string,
    verb: (key: ApiKey, nowMs: number) => ApiKey,
    pageAfter = (after: string, nowMs: number) => this.keys.activeOf(account, nowMs, after, KEYS_A_CHANGE),
  ): Promise<ApiKey[]> {
    if (!(await this.keys.has(account))) throw new AccountNotFound(account);
    const changed: ApiKey[] = [];
    let before: number;
    do {
      before = changed.length;
      let page: readonly ApiKey[];
      let after = '';
      do {
        const nowMs = this.clock.now();
        page = await pageAfter(after, nowMs);
        const open = page.filter((key) => verb(key, nowMs) !== key).map(({ id }) => id);
        if (open.length > 0) changed.push(...(await this.issuer.changeAll(open, verb)));
        after = page.at(-1)?.id ?? after;
      } while (page.length === KEYS_A_CHANGE);
    } while (changed.length > before);
    return changed;
  }
}
