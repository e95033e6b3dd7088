import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey } from '../api-key.js';
import { ApiKeyNotFound, InvalidNewKey } from './managed-key.errors.js';
import { issueKey, type KeySecret, type ManagedKey, type NewKey } from './managed-key.js';
import { ManagedKeyStore } from './managed-key.store.js';

/** The key that asks, which is the caller of a request: it manages the keys of its own account. */
export interface KeyActor {
  readonly keyId: string;
  readonly account: string;
}

/** Who changes keys, and in which transaction. */
export interface ChangeOptions<Within = unknown> {
  /**
   * Within the transaction this key is locked and must be active, so a key changes nothing after it was revoked. It makes
   * no key that may do more than itself. Without it anything may be done: the program is the operator.
   */
  readonly actor?: KeyActor;
  /** Who does it, for `onChange`: the id of the acting key, if there is one. */
  readonly by?: string;
  /** A transaction of the store that is open. */
  readonly within?: Within;
}

/** A new key and its text. The text is shown only now and never stored. */
export interface IssuedKey<Key extends ManagedKey = ManagedKey> {
  readonly key: Key;
  readonly text: string;
}

export interface KeyIssuerOptions<Key extends ManagedKey, Within> {
  readonly store: ManagedKeyStore<Key, object, Within>;
  /** The prefix of the service's keys. */
  readonly prefix: string;
  readonly now?: () => number;
  /**
   * Called after each key that is made or changed, before the transaction that it was given ends. Without one the key is
   * stored by then, and an error of this function loses the text of a new key: give a transaction.
   */
  readonly onChange?: (change: KeyChange<Key>, within: Within | undefined) => Promise<void>;
  /** For tests. Default: random ids and texts. */
  readonly generate?: () => KeySecret;
}

export interface KeyChange<Key> {
  /** Null for a new key. */
  readonly before: Key | null;
  readonly after: Key;
  readonly by: string | undefined;
  readonly atMs: number;
}

/**
 * Issues, rotates and revokes keys. Servers refresh their keys when they next read the changes (`KeyChanges`).
 *
 * @example
 * const { text } = await issuer.issue({ name: 'Till', account: 'acme', scopes: ['ships:read'] });
 * await issuer.revoke(id, { actor: caller });
 */
export class KeyIssuer<Key extends ManagedKey = ManagedKey, Within = unknown> {
  private readonly now: () => number;
  private readonly generate: () => KeySecret;
  private readonly keyText: RegExp;

  constructor(private readonly options: KeyIssuerOptions<Key, Within>) {
    this.now = options.now ?? Date.now;
    this.generate = options.generate ?? (() => newKeySecret(options.prefix));
    this.keyText = new RegExp(`${options.prefix}[0-9a-z]{8}`, 'i');
  }

  /**
   * Issues a key. What else `wanted` has are facts of the application, unless a key asks: its new keys have its facts.
   * @param make for keys of a class of your own
   * @throws InvalidNewKey
   * @throws InactiveApiKey when the acting key is expired or revoked
   * @throws ExceedsOwnKey when the new key may do more than the acting one
   */
  async issue<Wanted extends NewKey>(
    wanted: Wanted,
    options: ChangeOptions<Within> = {},
    make: (secret: KeySecret, wanted: Wanted, nowMs: number) => Key = (secret, facts, nowMs) =>
      issueKey(secret, facts, nowMs) as unknown as Key,
  ): Promise<IssuedKey<Key>> {
    // It may be the body of a request.
    if (typeof wanted !== 'object' || wanted === null) throw new InvalidNewKey('A key needs a name.');
    const secret = this.generate();
    const [key] = await this.write([], options, (_found, own, nowMs) => {
      const issued = own ? own.issueFrom(secret, wanted, nowMs) : make(secret, wanted, nowMs);
      if (this.keyText.test(`${issued.name}\n${issued.account}`))
        throw new InvalidNewKey('name and account must not contain the text of a key.');
      return [issued];
    });
    return { key: key!, text: secret.text };
  }

  /**
   * Issues a new key that replaces an old one.
   * @param graceMs how long the old key still works; with 0 it is revoked at once
   * @throws ApiKeyNotFound
   * @throws InactiveApiKey when the key is expired, revoked or replaced, or the acting one is over
   * @throws ExceedsOwnKey when the key may do more than the acting one
   */
  async rotate(
    id: string,
    graceMs: number,
    options: ChangeOptions<Within> = {},
  ): Promise<IssuedKey<Key> & { readonly replaced: Key }> {
    const secret = this.generate();
    const [replaced, key] = await this.write([id], options, (found, own, nowMs) => {
      const rotated = mustFind(found, id).rotate(secret, graceMs, nowMs);
      own?.assertWithinScopes(rotated.successor);
      return [rotated.replaced, rotated.successor];
    });
    return { key: key!, text: secret.text, replaced: replaced! };
  }

  /**
   * Revokes a key for ever. It may be repeated, also with the key itself: that changes nothing.
   * @throws ApiKeyNotFound
   * @throws InactiveApiKey when an acting key for another one is expired or revoked
   */
  async revoke(id: string, options: ChangeOptions<Within> = {}): Promise<Key> {
    const [revoked] = await this.write([id], options, (found, _own, nowMs) => [
      mustFind(found, id).revoke(nowMs),
    ]);
    return revoked!;
  }

  /**
   * Changes a key by a verb of your own. A verb that returns the same object changes nothing.
   * @throws ApiKeyNotFound
   * @throws InactiveApiKey when the acting key is expired or revoked
   * @throws ExceedsOwnKey when the changed key may do more than the acting one
   */
  async change(
    id: string,
    verb: (key: Key, nowMs: number) => Key,
    options: ChangeOptions<Within> = {},
  ): Promise<Key> {
    const [changed] = await this.write([id], options, (found, own, nowMs) => {
      own?.mustBeActive(nowMs);
      const before = mustFind(found, id);
      const after = verb(before, nowMs);
      if (after === before) return [before];
      own?.assertWithinScopes(after);
      return [after.with({ changedAtMs: nowMs })];
    });
    return changed!;
  }

  private async write(
    ids: readonly string[],
    { actor, by = actor?.keyId, within }: ChangeOptions<Within>,
    work: (found: ReadonlyMap<string, Key>, own: Key | null, nowMs: number) => Key[],
  ): Promise<readonly Key[]> {
    const { store, onChange } = this.options;
    if (!(store instanceof ManagedKeyStore))
      throw new TypeError('Keys are issued into a ManagedKeyStore, which the store of this module is not.');
    const nowMs = this.now();
    let before: ReadonlyMap<string, Key> = new Map();
    const locked = actor ? [...new Set([actor.keyId, ...ids])] : ids;
    const written = await store.change(
      locked,
      (found) => {
        before = found;
        if (!actor) return work(found, null, nowMs);
        const own = mustFind(found, actor.keyId);
        // A key that is over may be told again to revoke itself, which changes nothing.
        if (!ids.includes(own.id)) own.mustBeActive(nowMs);
        // To others, keys of further accounts do not exist.
        for (const id of ids) if (mustFind(found, id).account !== own.account) throw new ApiKeyNotFound(id);
        return work(found, own, nowMs);
      },
      within,
    );
    for (const after of written) {
      const former = before.get(after.id) ?? null;
      if (after !== former) await onChange?.({ before: former, after, by, atMs: nowMs }, within);
    }
    return written;
  }
}

function mustFind<Key>(found: ReadonlyMap<string, Key>, id: string): Key {
  const key = found.get(id);
  if (key === undefined) throw new ApiKeyNotFound(id);
  return key;
}

/** A new id, and a new text that begins with the prefix. */
export function newKeySecret(prefix: string): KeySecret {
  const text = generateApiKey(prefix);
  return { id: `key_${randomBytes(8).toString('hex')}`, text, hash: hashApiKey(text) };
}
