import { ApiKeyOver, ExceedsOwnKey, InvalidApiKey } from './api-key.errors.js';
import type { Plan } from './plan.js';
import { inOrder, type Scope } from './scope.js';

/** The rule for a name in OpenAPI; the pattern spells the classes of the next one as ranges. */
export const KEY_NAME = {
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*$',
} as const;

/**
 * No control characters, and none that change the direction of what follows, as labels are printed to terminals. No lone
 * surrogates, as PostgreSQL refuses them.
 */
const LABEL = /^[^\p{Cc}\p{Cs}\p{Bidi_Control}]{1,100}$/u;

/** An API key or most of one. Labels are stored and listed in the clear, so they must not contain it. */
const KEY_TEXT = /ask_(live|test)_[0-9A-Za-z]{8}/i;

/** The problem with the name or the account of a key, phrased to follow that word; null when it is valid. */
export function keyLabelProblem(text: string): string | null {
  if (KEY_TEXT.test(text)) return 'must not contain the text of a key';
  return LABEL.test(text.trim()) ? null : 'must have 1 to 100 characters, none of them a control character';
}

/** A key without its verbs. */
export type ApiKeyState = Omit<
  ApiKey,
  'statusAt' | 'mustCover' | 'mustBeActive' | 'changePlan' | 'rotate' | 'revoke'
>;

/** The id, text and hash of a new key. The text is shown to its owner once and never stored. */
export interface KeySecret {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

/** Generates the secrets of new keys. */
export abstract class KeyGenerator {
  abstract generate(): KeySecret;
}

export interface NewApiKey {
  readonly name: string;
  /** The account that the key belongs to. Without it the key gets its own account, named by its id. */
  readonly account?: string;
  readonly plan: Plan;
  /** What the key may do: everything without it, or with null. */
  readonly scopes?: readonly Scope[] | null;
  readonly expiresInMs?: number;
}

/**
 * A key to call the service with. It is immutable: its verbs return the changed key. All instants are milliseconds since
 * the Unix epoch.
 */
export class ApiKey {
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  /** The account that owns it; its keys share what they may use. */
  readonly account: string;
  readonly plan: Plan;
  /** What it may do; null for everything. */
  readonly scopes: readonly Scope[] | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The id of the key that replaced it on rotation. */
  readonly replacedBy: string | null;
  /** The UTC day of its last use, counted from the Unix epoch, as far as it is stored; null before the first. */
  readonly lastUsedDay: number | null;
  /** When it was last changed; null when it never was. */
  readonly changedAtMs: number | null;

  private constructor(state: ApiKeyState) {
    Object.assign(this, state);
  }

  /** @throws InvalidApiKey when the name, the account or the time to live breaks its rule. */
  static issue(
    { id, hash }: KeySecret,
    { name, account = id, plan, scopes = null, expiresInMs }: NewApiKey,
    nowMs: number,
  ): ApiKey {
    for (const [field, text] of Object.entries({ name, account })) {
      const problem = keyLabelProblem(text);
      if (problem) throw new InvalidApiKey(`${field} ${problem}.`);
    }
    if (scopes?.length === 0)
      throw new InvalidApiKey('A key has at least one scope, or none named: then it may do everything.');
    if (expiresInMs !== undefined && expiresInMs <= 0)
      throw new InvalidApiKey('The lifetime of a key must be longer than 0.');
    return new ApiKey({
      id,
      hash,
      name: name.trim(),
      account: account.trim(),
      plan,
      scopes: inOrder(scopes),
      createdAtMs: nowMs,
      expiresAtMs: expiresInMs === undefined ? null : nowMs + expiresInMs,
      revokedAtMs: null,
      replacedBy: null,
      lastUsedDay: null,
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
   * Issues a new key with the same name, account, plan, scopes and expiry. The old key works for another `graceMs`; with 0 it
   * is revoked.
   * @throws ApiKeyOver when the key is expired, revoked or already replaced.
   */
  rotate({ id, hash }: KeySecret, graceMs: number, nowMs: number): { replaced: ApiKey; successor: ApiKey } {
    this.mustBeActive(nowMs);
    if (this.replacedBy !== null) {
      throw new ApiKeyOver(`Key ${this.id} is already replaced by ${this.replacedBy}: rotate that one.`);
    }
    // The successor has the same expiry, so that a rotation never prolongs a key that was issued for a limited time.
    const successor = new ApiKey({
      ...this,
      id,
      hash,
      createdAtMs: nowMs,
      lastUsedDay: null,
      changedAtMs: null,
    });
    const graceEndsAtMs = Math.min(nowMs + graceMs, this.expiresAtMs ?? Infinity);
    // Revoked rather than expired: servers compare an expiry with their own clocks, which may be behind.
    const end = graceMs === 0 ? { revokedAtMs: nowMs } : { expiresAtMs: graceEndsAtMs };
    return { replaced: this.changed({ ...end, replacedBy: id }, nowMs), successor };
  }

  /** Revokes the key. A revoked key stays as it is. */
  revoke(nowMs: number): ApiKey {
    return this.revokedAtMs === null ? this.changed({ revokedAtMs: nowMs }, nowMs) : this;
  }

  private changed(change: Partial<ApiKeyState>, nowMs: number): ApiKey {
    return new ApiKey({ ...this, ...change, changedAtMs: nowMs });
  }

  /** @throws ExceedsOwnKey when the other key may do more, or for longer. */
  mustCover({ plan, scopes, expiresAtMs }: ApiKey): void {
    const isCovered =
      plan.perMinute <= this.plan.perMinute &&
      plan.perDay <= this.plan.perDay &&
      (this.scopes === null || (scopes?.every((scope) => this.scopes!.includes(scope)) ?? false)) &&
      (expiresAtMs ?? Infinity) <= (this.expiresAtMs ?? Infinity);
    if (!isCovered) throw new ExceedsOwnKey();
  }

  /** @throws ApiKeyOver when the key is expired or revoked. */
  mustBeActive(nowMs: number): void {
    const status = this.statusAt(nowMs);
    if (status !== 'active') throw new ApiKeyOver(`Key ${this.id} is ${status}.`);
  }
}

/** An instant as people and other programs read it: RFC 3339 in UTC. */
export function instant(ms: number): string;
export function instant(ms: number | null): string | null;
export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
