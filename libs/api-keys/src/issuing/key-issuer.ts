import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey } from '../api-key.js';
import { type Scope, Scopes } from '../scope.js';
import { ApiKeyNotFound, ExceedsOwnKey, InvalidNewKey, OwnKeyNeedsGrace } from './managed-key.errors.js';
import { issueKey, type KeySecret, type ManagedKey, type NewKey } from './managed-key.js';
import { ManagedKeyStore } from './managed-key.store.js';

/** The clock of this host may be ahead: a key that has expired here may work on others, and is ended there, too. */
export const CLOCKS_DIFFER_MS = 7 * 86_400_000;

/** The caller of a request that manages the keys of its own account. */
export interface KeyActor {
  readonly keyId: string;
  readonly account: string;
}

/** Who changes keys, and in which transaction. */
export interface ChangeOptions<Within = unknown> {
  /**
   * Within the transaction this key is locked and must be active and not replaced, so a key changes nothing after it
   * was revoked. It makes and changes no key that may do more than itself. Without an actor the program is the
   * operator, who may do anything.
   */
  readonly actor?: KeyActor;
  /** A transaction of the store that is open. */
  readonly within?: Within;
}

/** A new key and its text. The text is shown only now and never stored. */
export interface IssuedKey<Key extends ManagedKey = ManagedKey> {
  readonly key: Key;
  readonly text: string;
}

export interface RevokedKey<Key extends ManagedKey = ManagedKey> {
  readonly key: Key;
  /** The keys that it has made, directly or by one of those: revoked with it, or neither revoked nor expired. */
  readonly descendants: readonly Key[];
}

export interface KeyIssuerOptions<Key extends ManagedKey = ManagedKey, Within = unknown> {
  /** Where the keys are stored. */
  readonly store: ManagedKeyStore<Key, object, Within>;
  /** The prefix of the service's keys. */
  readonly prefix: string;
  /** The scopes that keys may have. Default: any, none of them explicit. */
  readonly scopes?: readonly Scope[];
  /** The time in milliseconds since the Unix epoch. Default: `Date.now`. */
  readonly now?: () => number;
}

export interface KeyChange<Key> {
  /** Null for a new key. */
  readonly before: Key | null;
  readonly after: Key;
  /** Absent when the operator has made it. */
  readonly actor: KeyActor | undefined;
  readonly atMs: number;
}

/**
 * Issues, rotates and revokes keys. Servers refresh their keys when they next read the changes (`KeyChanges`).
 */
export class KeyIssuer<
  Key extends ManagedKey = ManagedKey,
  Within = unknown,
  Wanted extends NewKey = NewKey,
> {
  private readonly now: () => number;
  private readonly keyText: RegExp;
  private readonly scopes: Scopes;

  constructor(private readonly options: KeyIssuerOptions<Key, Within>) {
    this.now = options.now ?? Date.now;
    this.scopes = new Scopes(options.scopes);
    this.keyText = new RegExp(`${options.prefix}[0-9a-z]{8}`, 'i');
  }

  /**
   * Issues a key. What else `wanted` has are facts of the application, unless a key acts: its new keys have its facts.
   * @throws InvalidNewKey
   * @throws InactiveApiKey when the acting key is expired, revoked or replaced
   * @throws ExceedsOwnKey when the new key may do more than the acting one
   */
  async issue<Given extends Wanted>(
    wanted: Given,
    options: ChangeOptions<Within> = {},
  ): Promise<IssuedKey<Key>> {
    // The argument may be the unvalidated body of a request.
    if (typeof wanted !== 'object' || wanted === null) throw new InvalidNewKey('A key needs a name.');
    const secret = this.newSecret();
    const [key] = await this.write([], options, (_found, own, nowMs) => {
      const issued = this.make(secret, wanted, nowMs, own);
      if (this.keyText.test(`${issued.name}\n${issued.account}`))
        throw new InvalidNewKey('name and account must not contain the text of a key.');
      for (const scope of issued.scopes ?? []) {
        const problem = this.scopes.problemOf(scope);
        if (problem) throw new InvalidNewKey(problem);
      }
      if (own) this.assertWithin(own, issued);
      return [issued];
    });
    return { key: key!, text: secret.text };
  }

  /**
   * Issues a new key that replaces an old one.
   * @param graceMs how long the old key still works; with 0 it is revoked at once
   * @throws ApiKeyNotFound
   * @throws InactiveApiKey when the key is expired, revoked or replaced, or the acting one is
   * @throws ExceedsOwnKey when the key may do more than the acting one
   * @throws OwnKeyNeedsGrace when the acting key would replace itself at once
   */
  async rotate(
    id: string,
    graceMs: number,
    options: ChangeOptions<Within> = {},
  ): Promise<IssuedKey<Key> & { readonly replaced: Key }> {
    if (graceMs === 0 && options.actor?.keyId === id) throw new OwnKeyNeedsGrace();
    const secret = this.newSecret();
    const [replaced, key] = await this.write([id], options, (found, _own, nowMs) => {
      const rotated = mustFind(found, id).rotate(secret, graceMs, nowMs);
      return [rotated.replaced, rotated.successor];
    });
    return { key: key!, text: secret.text, replaced: replaced! };
  }

  /**
   * Revokes a key for ever, and with `withDescendants` all keys that it has made but the acting one, which would lock
   * the account out. It may be repeated, also with the key itself: that changes nothing.
   * @throws ApiKeyNotFound
   * @throws InactiveApiKey when an acting key for another one is expired, revoked or replaced
   * @throws ExceedsOwnKey when a key may do more than the acting one
   */
  async revoke(
    id: string,
    {
      withDescendants = false,
      ...options
    }: ChangeOptions<Within> & { readonly withDescendants?: boolean } = {},
  ): Promise<RevokedKey<Key>> {
    return this.run(async (within) => {
      const inTurn = { ...options, within };
      // Within a transaction these make no further key.
      const [before] = await this.write([id], inTurn, (found) => [mustFind(found, id)]);
      const atMs = this.now() - (withDescendants ? CLOCKS_DIFFER_MS : 0);
      const made = await this.options.store.descendantsOf(id, atMs, within);
      const remains = (one: Key) => !withDescendants || one.id === options.actor?.keyId;
      const ids = [id, ...made.filter((one) => !remains(one)).map((one) => one.id)];
      const [key, ...revoked] = await this.write(ids, inTurn, (found, _own, nowMs) =>
        ids.map((one) => mustFind(found, one).revoke(nowMs)),
      );
      if (!withDescendants || (before!.revokedAtMs !== null && revoked.length === 0))
        return { key: key!, descendants: [...revoked, ...made.filter(remains)] };
      // Without one, they may have made another before they ended. A key that has revoked itself acts no more.
      const next = options.actor?.keyId === id ? { within } : inTurn;
      const late = await this.revoke(id, { withDescendants, ...next });
      return { key: key!, descendants: [...revoked, ...late.descendants] };
    }, options.within);
  }

  /**
   * Changes a key by a verb of your own. A verb that returns the same object changes nothing.
   * @throws ApiKeyNotFound
   * @throws InactiveApiKey when the acting key is expired, revoked or replaced
   * @throws ExceedsOwnKey when the key, or the changed one, may do more than the acting one
   */
  async change(
    id: string,
    verb: (key: Key, nowMs: number) => Key,
    options: ChangeOptions<Within> = {},
  ): Promise<Key> {
    const [changed] = await this.changeAll([id], verb, options);
    return changed!;
  }

  /** Changes several keys like `change`: all of them or none. */
  changeAll(
    ids: readonly string[],
    verb: (key: Key, nowMs: number) => Key,
    options: ChangeOptions<Within> = {},
  ): Promise<readonly Key[]> {
    return this.write(ids, options, (found, own, nowMs) => {
      own?.mustBeCurrent(nowMs);
      return ids.map((id) => {
        const before = mustFind(found, id);
        const after = verb(before, nowMs);
        if (after === before) return before;
        if (own) this.assertWithin(own, after);
        return after.with({ changedAtMs: nowMs });
      });
    });
  }

  /** A new id, and a new text that begins with the prefix. Override it for ids of your own. */
  newSecret(): KeySecret {
    const text = generateApiKey(this.options.prefix);
    return { id: `key_${randomBytes(8).toString('hex')}`, text, hash: hashApiKey(text) };
  }

  /**
   * Makes a key. Override it for a class of your own.
   * @param own the key of the actor, whose `issueFrom` it calls; null for the operator
   */
  protected make(secret: KeySecret, wanted: Wanted, nowMs: number, own: Key | null): Key {
    return own?.issueFrom(secret, wanted, nowMs) ?? (issueKey(secret, wanted, nowMs) as unknown as Key);
  }

  /** Override it to run a change within an open transaction, or a new one. By default the store begins it. */
  protected run<Result>(
    work: (within: Within | undefined) => Promise<Result>,
    within: Within | undefined,
  ): Promise<Result> {
    return work(within);
  }

  /**
   * Override it for what follows each key that is made or changed, before the transaction ends; its error undoes the
   * change. Without a transaction the key is stored by then.
   */
  protected onChange?(change: KeyChange<Key>, within: Within | undefined): Promise<void>;

  private write(
    ids: readonly string[],
    { actor, within: open }: ChangeOptions<Within>,
    work: (found: ReadonlyMap<string, Key>, own: Key | null, nowMs: number) => Key[],
  ): Promise<readonly Key[]> {
    const { store } = this.options;
    if (!(store instanceof ManagedKeyStore))
      throw new TypeError('Keys are issued into a ManagedKeyStore, which the store of this module is not.');
    const nowMs = this.now();
    return this.run(async (within) => {
      let before: ReadonlyMap<string, Key> = new Map();
      const locked = actor ? [...new Set([actor.keyId, ...ids])] : ids;
      const written = await store.change(
        locked,
        (found) => {
          before = found;
          const own = actor ? mustFind(found, actor.keyId) : null;
          if (own) this.assertManages(own, ids, found, nowMs);
          const createdBy = own?.id ?? null;
          return work(found, own, nowMs).map((key) => (found.has(key.id) ? key : key.with({ createdBy })));
        },
        within,
      );
      for (const after of written) {
        const former = before.get(after.id) ?? null;
        if (after !== former) await this.onChange?.({ before: former, after, actor, atMs: nowMs }, within);
      }
      return written;
    }, open);
  }

  /** A key may change only what it could issue. */
  private assertManages(
    own: Key,
    ids: readonly string[],
    found: ReadonlyMap<string, Key>,
    nowMs: number,
  ): void {
    // An inactive key may revoke itself again, which changes nothing.
    if (ids.length !== 1 || ids[0] !== own.id) own.mustBeCurrent(nowMs);
    for (const id of ids) {
      const key = mustFind(found, id);
      // To others, keys of further accounts do not exist.
      if (key.account !== own.account) throw new ApiKeyNotFound(id);
      if (key !== own) this.assertWithin(own, key);
    }
  }

  private assertWithin(own: Key, other: Key): void {
    own.assertWithinScopes(other);
    // A key without scopes has no explicit scope, so it cannot give one.
    if (own.scopes === null && this.scopes.explicitOf(other.scopes).length > 0) throw new ExceedsOwnKey();
  }
}

function mustFind<Key>(found: ReadonlyMap<string, Key>, id: string): Key {
  const key = found.get(id);
  if (key === undefined) throw new ApiKeyNotFound(id);
  return key;
}
