import { ApiKeyOver, InvalidApiKey } from './api-key.errors.js';
import type { KeySecret } from './key-generator.js';
import { labelProblem } from './label.js';
import type { Plan } from './plan.js';

/** All instants are milliseconds since the Unix epoch. */
export interface ApiKeyState {
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly account: string;
  readonly plan: Plan;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The id of the key it was rotated to. */
  readonly replacedBy: string | null;
  /** When its bans up to then were lifted. */
  readonly banLiftedAtMs: number | null;
  /** When it was last changed; null while it is as it was issued. */
  readonly changedAtMs: number | null;
}

export interface NewApiKey {
  readonly name: string;
  /** Whom the key belongs to. Left out, the key gets an account of its own, named by its id. */
  readonly account?: string;
  readonly plan: Plan;
  readonly expiresInMs?: number;
}

/** A key to call the service with. Its verbs leave it as it is and return the changed key. */
export class ApiKey implements ApiKeyState {
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly account: string;
  readonly plan: Plan;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly replacedBy: string | null;
  readonly banLiftedAtMs: number | null;
  readonly changedAtMs: number | null;

  private constructor(state: ApiKeyState) {
    Object.assign(this, state);
  }

  /** @throws InvalidApiKey when the name, the account or the time to live breaks its rule. */
  static issue(
    { id, hash }: KeySecret,
    { name, account = id, plan, expiresInMs }: NewApiKey,
    nowMs: number,
  ): ApiKey {
    for (const [field, text] of Object.entries({ name, account })) {
      const problem = labelProblem(text);
      if (problem) throw new InvalidApiKey(`${field} ${problem}.`);
    }
    if (expiresInMs !== undefined && expiresInMs <= 0)
      throw new InvalidApiKey('A key must live for some time.');
    return new ApiKey({
      id,
      hash,
      name: name.trim(),
      account: account.trim(),
      plan,
      createdAtMs: nowMs,
      expiresAtMs: expiresInMs === undefined ? null : nowMs + expiresInMs,
      revokedAtMs: null,
      replacedBy: null,
      banLiftedAtMs: null,
      changedAtMs: null,
    });
  }

  static restore(state: ApiKeyState): ApiKey {
    return new ApiKey(state);
  }

  statusAt(nowMs: number): 'active' | 'expired' | 'revoked' {
    if (this.revokedAtMs !== null) return 'revoked';
    return this.expiresAtMs !== null && this.expiresAtMs <= nowMs ? 'expired' : 'active';
  }

  /** @throws ApiKeyOver when the key is expired or revoked. */
  changePlan(plan: Plan, nowMs: number): ApiKey {
    this.mustBeActive(nowMs);
    return this.changed({ plan }, nowMs);
  }

  /**
   * Gives the owner a new key like this one, which itself goes on for `graceMs`; with no grace it is revoked.
   * @throws ApiKeyOver when the key is expired, revoked or already replaced.
   */
  rotate({ id, hash }: KeySecret, graceMs: number, nowMs: number): { replaced: ApiKey; successor: ApiKey } {
    this.mustBeActive(nowMs);
    if (this.replacedBy !== null) {
      throw new ApiKeyOver(`Key ${this.id} is already replaced by ${this.replacedBy}: rotate that one.`);
    }
    // The successor takes over the end of the key, so that a rotation never prolongs what was given for a time.
    const successor = new ApiKey({
      ...this,
      id,
      hash,
      createdAtMs: nowMs,
      banLiftedAtMs: null,
      changedAtMs: null,
    });
    const graceEndsAtMs = Math.min(nowMs + graceMs, this.expiresAtMs ?? Infinity);
    // Not by expiry: servers compare that with their own clocks, and "at once" leaves no room for a difference.
    const end = graceMs === 0 ? { revokedAtMs: nowMs } : { expiresAtMs: graceEndsAtMs };
    return { replaced: this.changed({ ...end, replacedBy: id }, nowMs), successor };
  }

  /** Ends the key for good. A key that is revoked already stays as it is. */
  revoke(nowMs: number): ApiKey {
    return this.revokedAtMs === null ? this.changed({ revokedAtMs: nowMs }, nowMs) : this;
  }

  /** @throws ApiKeyOver when the key is expired or revoked. */
  liftBan(nowMs: number): ApiKey {
    this.mustBeActive(nowMs);
    return this.changed({ banLiftedAtMs: nowMs }, nowMs);
  }

  private changed(change: Partial<ApiKeyState>, nowMs: number): ApiKey {
    return new ApiKey({ ...this, ...change, changedAtMs: nowMs });
  }

  private mustBeActive(nowMs: number): void {
    const status = this.statusAt(nowMs);
    if (status !== 'active') throw new ApiKeyOver(`Key ${this.id} is ${status}.`);
  }
}
