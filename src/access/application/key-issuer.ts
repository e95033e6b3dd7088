import { ExceedsOwnKey, KeyIssuer, type Scope } from '@animal-store/api-keys/issuing';
import { type Clock, DAY_MS, type Transaction, type UnitOfWork } from '@animal-store/kernel';
import { AccountSuspended, TooManyKeys } from '../domain/api-key.errors.js';
import { ApiKey, type KeyGenerator, type NewApiKey } from '../domain/api-key.js';
import type { ApiKeyRepository } from '../domain/api-key.repository.js';
import { changeOf, type KeyHistory, type Operator } from '../domain/key-history.js';
import type { Plan, PlanLimits, PlanName, Plans } from '../domain/plan.js';

/** A key to issue; without a plan it has that of the acting key. */
export interface WantedKey extends Omit<NewApiKey, 'plan'>, Partial<PlanLimits> {
  readonly plan?: PlanName;
}

interface KeyIssuerParts {
  readonly keys: ApiKeyRepository;
  readonly plans: Plans;
  readonly generator: KeyGenerator;
  readonly clock: Clock;
  readonly history: KeyHistory;
  readonly operator: Operator;
  readonly unitOfWork: UnitOfWork;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  /** How many active keys an account may have, and how many it may make in a day. */
  readonly maxKeys: number;
}

/** The issuer of the service. In other modules it is injected as `KeyIssuer`. */
export class StoreKeyIssuer extends KeyIssuer<ApiKey, Transaction, WantedKey> {}

/**
 * Issues and changes keys. Each change adds a row to the history in its transaction. Every key that a key makes, in
 * whatever way, counts against the bound of the account; the operator has none.
 */
export function keyIssuer(parts: KeyIssuerParts): StoreKeyIssuer {
  const { keys, plans, generator, clock, history, operator, unitOfWork, maxKeys } = parts;
  const planOf = ({ plan, perMinute, perDay }: WantedKey, own: Plan | undefined): Plan => {
    if (own && (plan === undefined || plan === own.name)) return own;
    // Its limits are those of a key, and this key has none.
    if (own && plan === 'enterprise') throw new ExceedsOwnKey();
    return plans.of(plan, { perMinute, perDay });
  };
  return new StoreKeyIssuer({
    store: keys,
    prefix: parts.prefix,
    scopes: parts.scopes,
    now: clock.now,
    generate: () => generator.generate(),
    run: (work, within) => unitOfWork.run(work, within),
    make: (secret, { perMinute, perDay, ...wanted }, nowMs, own) => {
      const newKey = { ...wanted, plan: planOf({ ...wanted, perMinute, perDay }, own?.plan) };
      return own?.issueFrom(secret, newKey, nowMs) ?? ApiKey.issue(secret, newKey, nowMs);
    },
    onChange: async ({ before, after, actor, atMs }, transaction) => {
      const entry = changeOf(before, after, actor?.keyId ?? operator.name, atMs);
      if (entry) await history.add(entry, transaction!);
      if (before !== null) return;
      if (!actor) {
        if (await keys.isSuspended(after.account, transaction!)) throw new AccountSuspended(after.account);
        return;
      }
      const times = { activeAtMs: atMs, sinceMs: atMs - DAY_MS };
      if (!(await keys.hasAtMost(maxKeys, after.account, times, transaction!)))
        throw new TooManyKeys(maxKeys);
    },
  });
}
