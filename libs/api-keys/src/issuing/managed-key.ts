import { isScope } from '../scope.js';
import type { StoredApiKey } from '../api-key.store.js';
import { InactiveApiKey, ExceedsOwnKey, InvalidNewKey } from './managed-key.errors.js';

/**
 * No control characters, and none that change the direction of what follows, as labels are printed to terminals. No
 * lone surrogates, as PostgreSQL refuses them.
 */
const LABEL = /^[^\p{Cc}\p{Cs}\p{Bidi_Control}]{1,100}$/u;

/** Bounds the check of a request, which reads all of them. */
const MAX_SCOPES = 100;

/** The problem with the name or the account of a key, phrased to follow that word; null when it is valid. */
export function keyLabelProblem(text: unknown): string | null {
  if (typeof text !== 'string') return 'must be a string';
  return LABEL.test(text.trim()) ? null : 'must have 1 to 100 characters, none of them a control character';
}

/** The id, text and hash of a new key. The text is shown to its owner once and never stored. */
export interface KeySecret {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

export interface NewKey {
  readonly name: string;
  /** Who owns the key. Without it the key is its own account, named by its id. */
  readonly account?: string;
  /** What the key may do. Without it, or with null, all but the explicit scopes. */
  readonly scopes?: readonly string[] | null;
  readonly expiresAtMs?: number | null;
}

/** A key without its verbs. */
export type StateOf<Key> = {
  [Fact in keyof Key as Key[Fact] extends (...args: never[]) => unknown ? never : Fact]: Key[Fact];
};
export type ManagedKeyState = StateOf<ManagedKey>;

/**
 * An API key with the name that its owner gave it. It is immutable: its verbs return the changed key. All instants are
 * milliseconds since the Unix epoch. Further fields are facts of the application, which a rotated key has, too; extend
 * the class for verbs of your own.
 */
export class ManagedKey {
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  /** Who owns it. */
  readonly account: string;
  /** What it may do; null for all but the explicit scopes. */
  readonly scopes: readonly string[] | null;
  readonly createdAtMs: number;
  /** The id of the key that made it; null when the operator did. */
  readonly createdBy: string | null;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The id of the key that replaced it on rotation. */
  readonly replacedBy: string | null;
  /** When it was last changed; null when it never was. */
  readonly changedAtMs: number | null;

  /** What a store has of the key, with the facts of the application. */
  constructor(state: ManagedKeyState) {
    Object.assign(this, state);
  }

  /** A class of your own may suspend keys. */
  statusAt(nowMs: number): 'active' | 'expired' | 'revoked' | 'suspended' {
    if (this.revokedAtMs !== null) return 'revoked';
    return this.expiresAtMs !== null && this.expiresAtMs <= nowMs ? 'expired' : 'active';
  }

  /** @throws InactiveApiKey when the key is expired or revoked. */
  mustBeActive(nowMs: number): void {
    const status = this.statusAt(nowMs);
    if (status !== 'active') throw new InactiveApiKey(`Key ${this.id} is ${status}.`);
  }

  /** @throws InactiveApiKey when the key is expired, revoked or replaced: only its successor manages keys. */
  mustBeCurrent(nowMs: number): void {
    this.mustBeActive(nowMs);
    if (this.replacedBy !== null)
      throw new InactiveApiKey(`Key ${this.id} is already replaced by ${this.replacedBy}: use that one.`);
  }

  /**
   * A new key of the same account, which may do at most what this one may. What is left out is as with this one, and so
   * are the facts of the application, whatever `wanted` has.
   *
   * @throws InactiveApiKey when this key is expired, revoked or replaced
   * @throws InvalidNewKey
   */
  issueFrom(
    secret: KeySecret,
    { name, scopes = this.scopes, expiresAtMs = this.expiresAtMs }: NewKey,
    nowMs: number,
  ): this {
    this.mustBeCurrent(nowMs);
    const { account } = this;
    return this.with({ ...issueKey(secret, { name, account, scopes, expiresAtMs }, nowMs) });
  }

  /** @throws ExceedsOwnKey when the other key may do more than this one, or for longer. */
  assertWithinScopes({ scopes, expiresAtMs }: this): void {
    const own = this.scopes;
    if (own !== null && !scopes?.every((scope) => own.includes(scope))) throw new ExceedsOwnKey();
    if ((expiresAtMs ?? Infinity) > (this.expiresAtMs ?? Infinity)) throw new ExceedsOwnKey();
  }

  /**
   * Issues a new key with the same name, account, scopes, expiry and facts. The old key works for another `graceMs`;
   * with 0 it is revoked.
   * @throws InactiveApiKey when the key is expired, revoked or already replaced.
   */
  rotate({ id, hash }: KeySecret, graceMs: number, nowMs: number): Record<'replaced' | 'successor', this> {
    this.mustBeCurrent(nowMs);
    // The successor has the same expiry, so that a rotation never prolongs a key that was issued for a limited time.
    const successor = this.with({ id, hash, createdAtMs: nowMs, changedAtMs: null });
    const graceEndsAtMs = Math.min(nowMs + graceMs, this.expiresAtMs ?? Infinity);
    // Revoked rather than expired: servers compare an expiry with their own clocks, which may be late.
    const end = graceMs === 0 ? { revokedAtMs: nowMs } : { expiresAtMs: graceEndsAtMs };
    return { replaced: this.with({ ...end, replacedBy: id, changedAtMs: nowMs }), successor };
  }

  /** Revokes the key. A revoked key stays as it is. */
  revoke(nowMs: number): this {
    return this.revokedAtMs === null ? this.with({ revokedAtMs: nowMs, changedAtMs: nowMs }) : this;
  }

  /** The same key with some facts that differ. */
  with(facts: object): this {
    return new (this.constructor as new (state: object) => this)({ ...this, ...facts });
  }
}

/**
 * A new key. What else `wanted` has are facts of the application.
 * @throws InvalidNewKey when the name, the account, a scope or the expiry breaks its rule.
 */
export function issueKey<Facts extends object>(
  { id, hash }: KeySecret,
  { name, account = id, scopes = null, expiresAtMs = null, ...facts }: NewKey & Facts,
  nowMs: number,
): ManagedKey & Omit<Facts, keyof NewKey> {
  for (const [field, text] of Object.entries({ name, account })) {
    const problem = keyLabelProblem(text);
    if (problem) throw new InvalidNewKey(`${field} ${problem}.`);
  }
  if (scopes !== null && !areScopes(scopes))
    throw new InvalidNewKey(
      `A key has 1 to ${MAX_SCOPES} scopes, each of them a word, or none named: then it has all but those that it must name.`,
    );
  if (expiresAtMs !== null && !(Number.isSafeInteger(expiresAtMs) && expiresAtMs > nowMs))
    throw new InvalidNewKey('expiresAt must be later than now, in whole milliseconds.');
  const state = {
    id,
    hash,
    name: name.trim(),
    account: account.trim(),
    scopes: scopes && [...new Set(scopes)],
  };
  const end = { expiresAtMs, revokedAtMs: null, replacedBy: null, createdBy: null };
  const issued = { ...facts, ...state, createdAtMs: nowMs, ...end, changedAtMs: null };
  return new ManagedKey(issued) as ManagedKey & typeof issued;
}

/** Fields that authentication does not use: a change of one leaves the caller as it is. */
const ONLY_MANAGED = new Set(['id', 'name', 'createdAtMs', 'createdBy', 'replacedBy', 'changedAtMs']);

/** What authentication needs of a key, with the facts of the application. */
export function storedKeyOf<Facts extends object>(
  key: ManagedKey & Facts,
): StoredApiKey<{ readonly account: string } & Omit<Facts, keyof ManagedKey>> {
  const facts = Object.entries(key).filter(([fact]) => !ONLY_MANAGED.has(fact));
  return { keyId: key.id, ...Object.fromEntries(facts) } as ReturnType<typeof storedKeyOf<Facts>>;
}

function areScopes(scopes: unknown): boolean {
  return Array.isArray(scopes) && scopes.length > 0 && scopes.length <= MAX_SCOPES && scopes.every(isScope);
}
