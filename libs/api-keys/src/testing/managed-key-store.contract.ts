import { deepStrictEqual, equal, rejects } from 'node:assert/strict';
import { issueKey, type ManagedKey } from '../issuing/managed-key.js';
import type { ManagedKeyStore } from '../issuing/managed-key.store.js';

/** One promise of every store, for any runner of tests. */
export interface StoreCheck<Key extends ManagedKey> {
  readonly name: string;
  /** @param store an empty one */
  readonly check: (store: ManagedKeyStore<Key>) => Promise<void>;
}

/** Under Jest, arrays of drivers are of another realm. */
function deepEqual(actual: unknown, expected: unknown): void {
  deepStrictEqual(Array.isArray(actual) ? [...(actual as unknown[])] : actual, expected);
}

const START_MS = Date.UTC(2026, 2, 14);

/**
 * What every `ManagedKeyStore` does. `make` adds the facts of your application to a key; without it keys have none.
 */
export function managedKeyStoreChecks<Key extends ManagedKey = ManagedKey>(
  make: (key: ManagedKey) => Key = (key) => key as Key,
): readonly StoreCheck<Key>[] {
  const aKey = (id: string, facts: object = {}): Key => {
    const secret = { id, text: '', hash: `hash, {of} "${id}" \\` };
    const issued = issueKey(secret, { name: 'Žoo "1" 🦜', account: 'zoo' }, START_MS);
    return make(issued.with(facts));
  };
  const add = (store: ManagedKeyStore<Key>, ...keys: Key[]) => store.change([], () => keys);
  const changeOne = (store: ManagedKeyStore<Key>, id: string, verb: (key: Key) => Key) =>
    store.change([id], (found) => [verb(found.get(id)!)]);
  const idsChangedAfter = async (store: ManagedKeyStore<Key>, ms: number, limit = 10) =>
    (await store.changedAfter(ms, limit)).map(({ id }) => id);
  const only = async (store: ManagedKeyStore<Key>, id: string): Promise<Key> => {
    let key: Key | undefined;
    await store.change([id], (found) => {
      key = found.get(id);
      return [];
    });
    if (key === undefined) throw new Error(`There is no key ${id}.`);
    return key;
  };

  return [
    {
      name: 'finds a key as it was added, by its id and by its hash',
      check: async (store) => {
        const facts = { scopes: ['pets:read', 'orders:write'], expiresAtMs: Date.UTC(2030, 0, 1) };
        const key = aKey('key_anna', facts);
        await add(store, key, aKey('key_bert'));
        deepEqual(await only(store, 'key_anna'), key);
        const found = await store.findByHash(key.hash);
        deepEqual(
          [found?.keyId, found?.hash, found?.scopes, found?.expiresAtMs, found?.revokedAtMs],
          ['key_anna', key.hash, key.scopes, key.expiresAtMs, null],
        );
      },
    },
    {
      name: 'finds the keys for a list of hashes, some of which no key has, and null for a hash that none has',
      check: async (store) => {
        const [anna, bert] = [aKey('key_anna'), aKey('key_bert')];
        await add(store, anna, bert, aKey('key_carl'));
        const found = await store.findByHashes([bert.hash, 'no such hash', anna.hash]);
        deepEqual(found.map(({ keyId }) => keyId).sort(), ['key_anna', 'key_bert']);
        deepEqual(await store.findByHashes([]), []);
        equal(await store.findByHash('key_anna'), null);
      },
    },
    {
      name: 'refuses a second key with the same id or hash, and stores nothing of that change',
      check: async (store) => {
        const anna = aKey('key_anna');
        await add(store, anna);
        await rejects(add(store, aKey('key_bert'), aKey('key_carl', { hash: anna.hash })));
        await rejects(add(store, aKey('key_anna', { hash: 'another' })));
        equal(await store.findByHash(aKey('key_bert').hash), null);
        deepEqual(await only(store, 'key_anna'), anna);
      },
    },
    {
      name: 'stores changed keys and new ones together, and returns them',
      check: async (store) => {
        await add(store, aKey('key_anna'));
        const secret = { id: 'key_bert', text: '', hash: 'hash of bert' };
        const [replaced, successor] = await store.change(['key_anna'], (found) => {
          const rotated = found.get('key_anna')!.rotate(secret, 1_000, START_MS + 5);
          return [rotated.replaced, rotated.successor];
        });
        equal(replaced!.replacedBy, 'key_bert');
        equal(replaced!.expiresAtMs, START_MS + 1_005);
        deepEqual(await only(store, 'key_anna'), replaced);
        deepEqual(await only(store, 'key_bert'), successor);
      },
    },
    {
      name: 'stores nothing when the work fails, and its error is that of the change',
      check: async (store) => {
        await add(store, aKey('key_anna'));
        const failing = store.change(['key_anna'], () => {
          throw new Error('the owner objects');
        });
        await rejects(failing, { message: 'the owner objects' });
        deepEqual(await only(store, 'key_anna'), aKey('key_anna'));
      },
    },
    {
      name: 'does not find keys that are not there, and does not write one that is returned as it was found',
      check: async (store) => {
        await add(store, aKey('key_anna'));
        const seen: string[] = [];
        await store.change(['key_anna', 'key_nobody'], (found) => {
          seen.push(...found.keys());
          return [found.get('key_anna')!];
        });
        deepEqual(seen, ['key_anna']);
        equal(await store.latestChangeMs(), null);
      },
    },
    {
      name: 'lets no concurrent change be lost',
      check: async (store) => {
        await add(store, aKey('key_anna'));
        await Promise.all(
          Array.from({ length: 12 }, (_, count) =>
            changeOne(store, 'key_anna', (key) =>
              key.with({ replacedBy: `${key.replacedBy ?? ''}x`, changedAtMs: START_MS + count }),
            ),
          ),
        );
        equal((await only(store, 'key_anna')).replacedBy, 'x'.repeat(12));
      },
    },
    {
      name: 'lets changes of the same keys in another order wait for each other',
      check: async (store) => {
        const ids = ['key_anna', 'key_bert', 'key_carl'];
        await add(store, ...ids.map((id) => aKey(id)));
        await Promise.all(
          Array.from({ length: 12 }, (_, count) =>
            store.change(count % 2 ? ids : ids.toReversed(), (found) =>
              [...found.values()].map((key) =>
                key.with({ replacedBy: `${key.replacedBy ?? ''}x`, changedAtMs: START_MS }),
              ),
            ),
          ),
        );
        for (const id of ids) equal((await only(store, id)).replacedBy, 'x'.repeat(12));
      },
    },
    {
      name: 'has the changed keys in the order of their changes, from the one after a time on, and no new ones',
      check: async (store) => {
        equal(await store.latestChangeMs(), null);
        await add(store, aKey('key_anna'), aKey('key_bert'), aKey('key_carl'));
        deepEqual(await idsChangedAfter(store, -1), []);
        await changeOne(store, 'key_bert', (key) => key.revoke(START_MS + 1_000));
        await changeOne(store, 'key_carl', (key) => key.revoke(START_MS + 2_000));
        await changeOne(store, 'key_anna', (key) => key.revoke(START_MS + 3_000));
        equal(await store.latestChangeMs(), START_MS + 3_000);
        deepEqual(await idsChangedAfter(store, START_MS + 999), ['key_bert', 'key_carl', 'key_anna']);
        deepEqual(await idsChangedAfter(store, START_MS + 999, 2), ['key_bert', 'key_carl']);
        deepEqual(await idsChangedAfter(store, START_MS + 1_000), ['key_carl', 'key_anna']);
        deepEqual(await idsChangedAfter(store, START_MS + 3_000), []);
      },
    },
    {
      name: 'gives every change a later time, also one from a host whose clock is behind',
      check: async (store) => {
        await add(store, aKey('key_anna'), aKey('key_bert'), aKey('key_carl'));
        await changeOne(store, 'key_anna', (key) => key.revoke(START_MS + 3_600_000));
        await store.change(['key_bert', 'key_carl'], (found) =>
          [...found.values()].map((key) => key.revoke(START_MS)),
        );
        const later = await store.changedAfter(START_MS + 3_600_000, 10);
        deepEqual(later.map(({ id }) => id).sort(), ['key_bert', 'key_carl']);
        deepEqual(
          later.flatMap(({ changedAtMs, revokedAtMs }) => [changedAtMs, revokedAtMs]),
          [START_MS + 3_600_001, START_MS, START_MS + 3_600_002, START_MS],
        );
      },
    },
    {
      name: 'gives changes that are made at once as many times, in which a reader finds each',
      check: async (store) => {
        const ids = Array.from({ length: 20 }, (_, place) => `key_${place}`);
        await add(store, ...ids.map((id) => aKey(id)));
        await Promise.all(ids.map((id) => changeOne(store, id, (key) => key.revoke(START_MS))));
        const read: string[] = [];
        let afterMs = 0;
        for (let some; (some = await store.changedAfter(afterMs, 3)).length > 0;) {
          read.push(...some.map(({ id }) => id));
          afterMs = some.at(-1)!.changedAtMs!;
        }
        deepEqual(read.sort(), ids.sort());
      },
    },
    {
      name: 'has the keys that a key has made, directly or by others, and that are neither revoked nor expired',
      check: async (store) => {
        await add(
          store,
          aKey('key_anna'),
          aKey('key_bert', { createdBy: 'key_anna' }),
          aKey('key_carl', { createdBy: 'key_bert', expiresAtMs: START_MS + 1_000 }),
          aKey('key_dora', { createdBy: 'key_carl' }),
          aKey('key_eric', { createdBy: 'key_anna' }),
          aKey('key_fred'),
        );
        await changeOne(store, 'key_bert', (key) => key.revoke(START_MS));
        const idsOf = async (id: string, nowMs: number) =>
          (await store.descendantsOf(id, nowMs)).map((key) => key.id).sort();
        deepEqual(await idsOf('key_anna', START_MS), ['key_carl', 'key_dora', 'key_eric']);
        deepEqual(await idsOf('key_bert', START_MS + 1_000), ['key_dora']);
        deepEqual(await idsOf('key_dora', START_MS), []);
        const [dora] = await store.descendantsOf('key_carl', START_MS);
        deepEqual(dora, await only(store, 'key_dora'));
      },
    },
    {
      name: 'has the active keys of an account in the order of their ids, a page at a time',
      check: async (store) => {
        await add(
          store,
          aKey('key_d'),
          aKey('key_b', { expiresAtMs: START_MS + 1_000 }),
          aKey('key_c', { account: 'ark' }),
          aKey('key_a'),
          aKey('key_e'),
        );
        await changeOne(store, 'key_e', (key) => key.revoke(START_MS));
        const active = async (nowMs: number, after = '', limit = 10) =>
          (await store.activeOf('zoo', nowMs, after, limit)).map(({ id }) => id);
        deepEqual(await active(START_MS + 999), ['key_a', 'key_b', 'key_d']);
        deepEqual(await active(START_MS + 1_000), ['key_a', 'key_d']);
        deepEqual(await active(START_MS, '', 2), ['key_a', 'key_b']);
        deepEqual(await active(START_MS, 'key_b', 2), ['key_d']);
        deepEqual(await store.activeOf('nobody', START_MS, '', 10), []);
      },
    },
  ];
}
