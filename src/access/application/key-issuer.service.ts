import { Injectable } from '@nestjs/common';
import {
  ExceedsOwnKey,
  type KeyChange,
  KeyIssuer,
  type KeySecret,
  type Scope,
} from '@animal-store/api-keys/issuing';
import { Clock, DAY_MS, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { AccountSuspended, TooManyKeys } from '../domain/api-key.errors.js';
import { ApiKey, type NewApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { changeOf, KeyHistory, Operator } from '../domain/key-history.js';
import { type Plan, type PlanLimits, type PlanName, Plans } from '../domain/plan.js';

/** A key to issue; without a plan it has that of the acting key. */
export interface RequestedKey extends Omit<NewApiKey, 'plan'>, Partial<PlanLimits> {
  readonly plan?: PlanName;
}

/** The rules for keys: some are settings, the scopes are declared by the contexts. */
export abstract class KeySettings {
  abstract readonly prefix: string;
  abstract readonly scopes: readonly Scope[];
  /** How many active keys an account may have, and how many it may make in a day. */
  abstract readonly maxKeys: number;
}

/**
 * Issues and changes keys, for accounts and for the operator; running servers poll for changes. Each change adds a row
 * to the history in its transaction. Every key that a key makes, in whatever way, counts against the bound of the
 * account; the operator has none. In other modules it is injected as `KeyIssuer`.
 */
@Injectable()
export class StoreKeyIssuer extends KeyIssuer<ApiKey, Transaction, RequestedKey> {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly plans: Plans,
    clock: Clock,
    private readonly history: KeyHistory,
    private readonly operator: Operator,
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: KeySettings,
  ) {
    super({ store: keys, prefix: settings.prefix, scopes: settings.scopes, now: clock.now });
  }

  /**
   * @throws InvalidNewKey when the plan and the limits do not go together
   * @throws ApiKeyNotFound
   * @throws InactiveApiKey
   */
  async setPlan(id: string, name: PlanName, limits: Partial<PlanLimits> = {}): Promise<ApiKey> {
    const plan = this.plans.of(name, limits);
    return this.change(id, (key, nowMs) => key.changePlan(plan, nowMs));
  }

  protected override make(
    secret: KeySecret,
    { perMinute, perDay, ...wanted }: RequestedKey,
    nowMs: number,
    own: ApiKey | null,
  ): ApiKey {
    const newKey = { ...wanted, plan: this.planOf({ ...wanted, perMinute, perDay }, own?.plan) };
    return own?.issueFrom(secret, newKey, nowMs) ?? ApiKey.issue(secret, newKey, nowMs);
  }

  protected override run<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    within: Transaction | undefined,
  ): Promise<Result> {
    return this.unitOfWork.run(work, within);
  }

  protected override async onChange(
    { before, after, actor, atMs }: KeyChange<ApiKey>,
    transaction: Transaction,
  ): Promise<void> {
    const entry = changeOf(before, after, actor?.keyId ?? this.operator.name, atMs);
    if (entry) await this.history.add(entry, transaction);
    if (before !== null) return;
    if (!actor) {
      if (await this.keys.isSuspended(after.account, transaction)) throw new AccountSuspended(after.account);
      return;
    }
    const times = { activeAtMs: atMs, sinceMs: atMs - DAY_MS };
    const { maxKeys } = this.settings;
    if (!(await this.keys.hasAtMost(maxKeys, after.account, times, transaction)))
      throw new TooManyKeys(maxKeys);
  }

  private planOf({ plan, perMinute, perDay }: RequestedKey, own: Plan | undefined): Plan {
    if (own && (plan === undefined || plan === own.name)) return own;
    // The limits of Enterprise belong to a key, and the acting key has none.
    if (own && plan === 'enterprise') throw new ExceedsOwnKey();
    return this.plans.of(plan, { perMinute, perDay });
  }
}
