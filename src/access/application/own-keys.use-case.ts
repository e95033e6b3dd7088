import { Injectable } from '@nestjs/common';
import {
  Clock,
  DAY_MS,
  type PageRequest,
  type Page,
  type Transaction,
  UnitOfWork,
} from '@animal-store/kernel';
import { ApiKey, KeyGenerator } from '../domain/api-key.js';
import { ApiKeyNotFound, ExceedsOwnKey } from '@animal-store/api-keys/issuing';
import { TooManyKeys } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { type Plan, type PlanName, Plans } from '../domain/plan.js';
import type { Scope } from '../domain/scope.js';
import { ChangeKey, type RotatedKey } from './change-key.use-case.js';
import { CreateKey, type IssuedKey } from './create-key.use-case.js';

/** Keys have no numbers: the text alone is their place. */
const NO_ID = 1n;

/** The key that manages the keys of its account. */
export interface Manager {
  readonly keyId: string;
  readonly account: string;
}

export interface OwnKeyInput {
  readonly name: string;
  /** What is left out is as with the key that asks. */
  readonly plan?: PlanName;
  readonly scopes?: readonly Scope[];
  readonly expiresAtMs?: number;
}

/** How many active keys an account may have, and how many it may make in a day. */
export abstract class KeyBound {
  abstract readonly most: number;
}

/**
 * An account manages its own keys, with one of them. Within each transaction that key is locked and must be active, so
 * a key changes nothing after it was revoked; a key makes none that may do more than itself.
 */
@Injectable()
export class OwnKeys {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly createKey: CreateKey,
    private readonly changeKey: ChangeKey,
    private readonly generator: KeyGenerator,
    private readonly plans: Plans,
    private readonly bound: KeyBound,
    private readonly unitOfWork: UnitOfWork,
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
   * @throws ApiKeyOver when the key that asks is expired or revoked.
   * @throws ExceedsOwnKey
   * @throws TooManyKeys
   */
  issue(by: Manager, { name, plan, scopes, expiresAtMs }: OwnKeyInput): Promise<IssuedKey> {
    const secret = this.generator.generate();
    return this.unitOfWork.run(async (transaction) => {
      const nowMs = this.clock.now();
      const own = await this.lock(by, nowMs, transaction);
      const endsAtMs = expiresAtMs ?? own.expiresAtMs;
      const wanted = {
        name,
        account: by.account,
        plan: this.planOf(own, plan),
        scopes: scopes ?? own.scopes,
        ...(endsAtMs !== null && { expiresInMs: endsAtMs - nowMs }),
      };
      const key = ApiKey.issue(secret, wanted, nowMs);
      own.mustCover(key);
      await this.mustHaveRoom(by.account, nowMs, transaction);
      await this.createKey.add(key, by.keyId, transaction);
      return { key, text: secret.text };
    });
  }

  /**
   * @throws ApiKeyNotFound when the account has no such key.
   * @throws ApiKeyOver when one of the two is expired or revoked, or that one replaced.
   * @throws ExceedsOwnKey when that key may do more than the one that asks.
   * @throws TooManyKeys when the old key goes on working beside the new one.
   */
  rotate(by: Manager, id: string, graceMs: number): Promise<RotatedKey> {
    return this.unitOfWork.run(async (transaction) => {
      const nowMs = this.clock.now();
      const own = await this.lock(by, nowMs, transaction);
      own.mustCover(await this.find(by.account, id));
      const rotated = await this.changeKey.rotate({ id, graceMs, by: by.keyId }, transaction);
      if (graceMs > 0) await this.mustHaveRoom(by.account, nowMs, transaction, 1);
      return rotated;
    });
  }

  /**
   * A key may revoke itself again: that changes nothing.
   * @throws ApiKeyNotFound when the account has no such key.
   * @throws ApiKeyOver when the key that asks is expired or revoked.
   */
  revoke(by: Manager, id: string): Promise<ApiKey> {
    return this.unitOfWork.run(async (transaction) => {
      if (id !== by.keyId) await this.lock(by, this.clock.now(), transaction);
      await this.find(by.account, id);
      return this.changeKey.revoke(id, by.keyId, transaction);
    });
  }

  private async lock({ keyId }: Manager, nowMs: number, transaction: Transaction): Promise<ApiKey> {
    const own = await this.keys.change(keyId, (key) => key, transaction);
    if (!own) throw new ApiKeyNotFound(keyId);
    own.mustBeActive(nowMs);
    return own;
  }

  private planOf(own: ApiKey, name: PlanName | undefined): Plan {
    if (name === undefined || name === own.plan.name) return own.plan;
    // Its limits are those of a key, and this key has none.
    if (name === 'enterprise') throw new ExceedsOwnKey();
    return this.plans.of(name);
  }

  /** @param added how many of the keys that are counted the transaction has added */
  private async mustHaveRoom(
    account: string,
    nowMs: number,
    transaction: Transaction,
    added = 0,
  ): Promise<void> {
    const times = { activeAtMs: nowMs, sinceMs: nowMs - DAY_MS };
    const { active, recent } = await this.keys.countIssued(account, times, transaction);
    if (Math.max(active, recent) - added >= this.bound.most) throw new TooManyKeys(this.bound.most);
  }
}
