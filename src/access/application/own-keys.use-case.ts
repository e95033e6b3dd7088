import { Injectable } from '@nestjs/common';
import {
  ApiKeyNotFound,
  type IssuedKey,
  type KeyActor,
  type RevokedKey,
} from '@animal-store/api-keys/issuing';
import { Clock, type Page, type PageRequest } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import type { PlanName } from '../domain/plan.js';
import type { RotatedKey } from './change-key.use-case.js';
import { StoreKeyIssuer } from './key-issuer.js';

/** Keys have no numbers: the text alone is their place. */
const NO_ID = 1n;

export interface OwnKeyInput {
  readonly name: string;
  /** What is left out is as with the acting key. */
  readonly plan?: PlanName;
  readonly scopes?: readonly string[];
  readonly expiresAtMs?: number;
}

/**
 * An account manages its own keys, with one of them, the actor. Within each transaction that key is locked and must be
 * active and not replaced.
 */
@Injectable()
export class OwnKeys {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly issuer: StoreKeyIssuer,
    private readonly clock: Clock,
  ) {}

  /** The active keys, in the order of their ids, which are the values of the places. */
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

  /**
   * @throws InvalidNewKey when anything about the key breaks its rule.
   * @throws InactiveApiKey when the acting key is expired, revoked or replaced.
   * @throws ExceedsOwnKey
   * @throws TooManyKeys
   */
  issue(actor: KeyActor, wanted: OwnKeyInput): Promise<IssuedKey<ApiKey>> {
    return this.issuer.issue(wanted, { actor });
  }

  /**
   * @throws ApiKeyNotFound when the account has no such key.
   * @throws InactiveApiKey when one of the two is expired, revoked or replaced.
   * @throws ExceedsOwnKey when that key may do more than the acting one.
   * @throws TooManyKeys
   * @throws OwnKeyNeedsGrace
   */
  rotate(actor: KeyActor, id: string, graceMs: number): Promise<RotatedKey> {
    return this.issuer.rotate(id, graceMs, { actor });
  }

  /**
   * A key may revoke itself again: that changes nothing.
   * @throws ApiKeyNotFound when the account has no such key.
   * @throws InactiveApiKey when the acting key is expired, revoked or replaced.
   * @throws ExceedsOwnKey when a key may do more than the acting one.
   */
  revoke(actor: KeyActor, id: string, withDescendants: boolean): Promise<RevokedKey<ApiKey>> {
    return this.issuer.revoke(id, { actor, withDescendants });
  }
}
