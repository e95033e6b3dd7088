import { Injectable } from '@nestjs/common';
import {
  ApiKeyNotFound,
  type KeyActor,
  ExceedsOwnKey,
  type IssuedKey,
  KeyIssuer,
} from '@animal-store/api-keys/issuing';
import {
  Clock,
  DAY_MS,
  type PageRequest,
  type Page,
  type Transaction,
  UnitOfWork,
} from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import { TooManyKeys } from '../domain/api-key.errors.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { type Plan, type PlanName, Plans } from '../domain/plan.js';
import type { Scope } from '../domain/scope.js';
import type { RotatedKey } from './change-key.use-case.js';

/** Keys have no numbers: the text alone is their place. */
const NO_ID = 1n;

export interface OwnKeyInput {
  readonly name: string;
  /** What is left out is as with the acting key. */
  readonly plan?: PlanName;
  readonly scopes?: readonly Scope[];
  readonly expiresAtMs?: number;
}

/** How many active keys an account may have, and how many it may make in a day. */
export abstract class KeyBound {
  abstract readonly max: number;
}

/**
 * An account manages its own keys, with one of them. Within each transaction that key is locked and must be active, so
 * a key changes nothing after it was revoked; a key makes none that may do more than itself.
 */
@Injectable()
export class OwnKeys {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly issuer: KeyIssuer<ApiKey, Transaction>,
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
   * @throws InactiveApiKey when the acting key is expired or revoked.
   * @throws ExceedsOwnKey
   * @throws TooManyKeys
   */
  issue(by: KeyActor, { plan, ...wanted }: OwnKeyInput): Promise<IssuedKey<ApiKey>> {
    const planOf = (own: Plan) => this.planOf(own, plan);
    return this.unitOfWork.run(async (within) => {
      const issued = await this.issuer.issue({ ...wanted, planOf }, { actor: by, within });
      await this.mustHaveRoom(by.account, within);
      return issued;
    });
  }

  /**
   * @throws ApiKeyNotFound when the account has no such key.
   * @throws InactiveApiKey when one of the two is expired or revoked, or that one replaced.
   * @throws ExceedsOwnKey when that key may do more than the acting one.
   * @throws TooManyKeys when the old key goes on working beside the new one.
   */
  rotate(by: KeyActor, id: string, graceMs: number): Promise<RotatedKey> {
    return this.unitOfWork.run(async (within) => {
      const rotated = await this.issuer.rotate(id, graceMs, { actor: by, within });
      if (graceMs > 0) await this.mustHaveRoom(by.account, within);
      return rotated;
    });
  }

  /**
   * A key may revoke itself again: that changes nothing.
   * @throws ApiKeyNotFound when the account has no such key.
   * @throws InactiveApiKey when the acting key is expired or revoked.
   */
  revoke(by: KeyActor, id: string): Promise<ApiKey> {
    return this.unitOfWork.run((within) => this.issuer.revoke(id, { actor: by, within }));
  }

  private planOf(own: Plan, name: PlanName | undefined): Plan {
    if (name === undefined || name === own.name) return own;
    // Its limits are those of a key, and this key has none.
    if (name === 'enterprise') throw new ExceedsOwnKey();
    return this.plans.of(name);
  }

  /** Called when the transaction has added a key. */
  private async mustHaveRoom(account: string, transaction: Transaction): Promise<void> {
    const nowMs = this.clock.now();
    const times = { activeAtMs: nowMs, sinceMs: nowMs - DAY_MS };
    const { active, recent } = await this.keys.countIssued(account, times, transaction);
    if (Math.max(active, recent) > this.bound.max) throw new TooManyKeys(this.bound.max);
  }
}
