import { ApiKeyStore } from '../api-key.store.js';
import type { ManagedKey } from './managed-key.js';

/**
 * Where an application stores keys that it issues and changes: what authentication reads (`findByHash`,
 * `findByHashes`), and the five below. A suite for it is in `@animal-store/api-keys/contract`.
 *
 * @typeParam Within a transaction of the application, in which a change can be made
 */
export abstract class ManagedKeyStore<
  Key extends ManagedKey = ManagedKey,
  Facts extends object = object,
  Within = unknown,
> extends ApiKeyStore<Facts> {
  /**
   * Finds the keys with these ids, locks them, and stores what `work` returns: new keys, and changed ones in place of
   * those that were found. All or nothing; no other change of these keys comes in between. A key that is returned as it
   * was found is not written.
   *
   * A changed key gets a `changedAtMs` later than that of every change committed before, even if the clocks of the
   * hosts differ (`writesOf` does that). So a reader that has read up to one change finds every later change after it.
   *
   * @param work without other effects, as it may be called again
   * @param within a transaction that is open; without it the change is one
   * @returns the keys that `work` returned, as they are stored
   */
  abstract change(
    ids: readonly string[],
    work: (found: ReadonlyMap<string, Key>) => readonly Key[],
    within?: Within,
  ): Promise<readonly Key[]>;

  /** The keys of an account that are neither revoked nor expired at `nowMs`, by id, after one of them. */
  abstract activeOf(account: string, nowMs: number, after: string, limit: number): Promise<readonly Key[]>;

  /**
   * The keys that a key has made, directly or by one of those, in any order, but those that are revoked or have expired
   * at `nowMs`.
   */
  abstract descendantsOf(id: string, nowMs: number, within?: Within): Promise<readonly Key[]>;

  /** The latest `changedAtMs` of all keys, or null when none was ever changed. */
  abstract latestChangeMs(): Promise<number | null>;

  /**
   * The keys whose `changedAtMs` is later than `afterMs`, in the order of their changes. Keys that never changed are
   * not included. At most `limit` of them: the rest is later than the last one, as no two changes have the same time.
   */
  abstract changedAfter(afterMs: number, limit: number): Promise<readonly Key[]>;
}

/**
 * For stores: what there is to write of the keys that `work` has returned to `change`.
 * @param latestMs the latest `changedAtMs` that is stored; nobody else may commit a change before this one
 */
export function writesOf<Key extends ManagedKey>(
  found: ReadonlyMap<string, Key>,
  returned: readonly Key[],
  latestMs: number | null,
): { readonly added: readonly Key[]; readonly changed: readonly Key[]; readonly all: readonly Key[] } {
  let next = (latestMs ?? -Infinity) + 1;
  const all = returned.map((key) => {
    if (!found.has(key.id) || found.get(key.id) === key) return key;
    const changedAtMs = Math.max(key.changedAtMs ?? -Infinity, next);
    if (changedAtMs === -Infinity)
      throw new TypeError('A changed key needs changedAtMs: servers would miss it.');
    next = changedAtMs + 1;
    return key.with({ changedAtMs });
  });
  return {
    all,
    added: all.filter(({ id }) => !found.has(id)),
    changed: all.filter((key) => found.has(key.id) && found.get(key.id) !== key),
  };
}
