import { databases, emptyBeforeEach, type TemporaryDatabase } from '@animal-store/database/testing';
import type { ManagedKey } from '@animal-store/api-keys/issuing';
import { managedKeyStoreChecks } from '@animal-store/api-keys/contract';
import type { ApiKey } from '../../domain/api-key.js';
import type { StoredKeyFilter } from '../../domain/api-key.repository.js';
import { anApiKey, plans } from '../../testing/api-key.builder.js';
import { accessTables } from '../access.tables.js';
import { TypeOrmApiKeyRepository } from './typeorm-api-key.repository.js';

/** More than are read at a time, and many issued at the same instant. */
const MANY = `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 20100)
  INSERT INTO api_keys (id, hash, name, account, plan, created_at)
  SELECT 'key_' || number, 'hash of ' || number, 'Anna', 'zoo', 'free', number % 7 FROM numbers`;

describe.each(databases)('TypeOrmApiKeyRepository on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, accessTables);
  let keys: TypeOrmApiKeyRepository;

  beforeEach(() => (keys = new TypeOrmApiKeyRepository(temporary.database, plans)));

  const add = (...added: ApiKey[]) => keys.change([], () => added);
  const change = async (id: string, verb: (key: ApiKey) => ApiKey) =>
    (await keys.change([id], (found) => [verb(found.get(id)!)]))[0];

  async function list(filter: StoredKeyFilter): Promise<ApiKey[]> {
    const listed: ApiKey[] = [];
    for await (const batch of keys.batches(filter)) listed.push(...batch);
    return listed;
  }

  for (const { name, check } of managedKeyStoreChecks((key: ManagedKey) => anApiKey({ ...key })))
    it(name, () => check(keys));

  it('stores the limits of an enterprise key', async () => {
    await add(anApiKey({ plan: plans.of('enterprise', { perMinute: 7, perDay: 1_000_000_000 }) }));
    expect((await keys.findById('key_anna'))?.plan).toEqual({
      name: 'enterprise',
      perMinute: 7,
      perDay: 1_000_000_000,
    });
  });

  it('applies the current limits of the other plans, not those at the time of issue', async () => {
    await add(anApiKey({ plan: { name: 'free', perMinute: 1, perDay: 2 } }));
    expect((await keys.findById('key_anna'))?.plan).toEqual({ name: 'free', perMinute: 60, perDay: 1_000 });
  });

  describe('a list', () => {
    beforeEach(() =>
      add(
        anApiKey({ id: 'key_late', createdAtMs: 3_000, plan: plans.of('pro') }),
        anApiKey({ id: 'key_early', createdAtMs: 1_000, account: 'ark' }),
        anApiKey({ id: 'key_over', createdAtMs: 2_000, expiresAtMs: 2_500 }),
        anApiKey({ id: 'key_gone', createdAtMs: 2_000, account: 'ark', revokedAtMs: 2_100 }),
      ),
    );

    it.each([
      [{ plan: 'pro' as const }, ['key_late']],
      [{ account: 'ark' }, ['key_early', 'key_gone']],
      [{ activeAtMs: 2_499 }, ['key_early', 'key_over', 'key_late']],
      [{ activeAtMs: 2_500 }, ['key_early', 'key_late']],
      [{ plan: 'free' as const, account: 'ark', activeAtMs: 2_500 }, ['key_early']],
      [{ plan: 'business' as const }, []],
      [{}, ['key_early', 'key_gone', 'key_over', 'key_late']],
    ])('has the keys that match %j in the order of their issue', async (filter, expected) => {
      expect((await list(filter)).map(({ id }) => id)).toEqual(expected);
    });

    it.each([
      ['ark', true],
      ['nobody', false],
    ])('says whether %s has ever had a key: %s', async (account, expected) => {
      expect((await keys.oneOf(account)) !== null).toBe(expected);
    });

    it('has whole keys', async () => {
      const [, gone] = await list({});
      expect(gone).toEqual(await keys.findById('key_gone'));
    });
  });

  it('is empty until the first key is added, also within the same transaction', async () => {
    const seen = await temporary.database.run(async (transaction) => {
      const before = await keys.isEmpty(transaction);
      await keys.change([], () => [anApiKey()], transaction);
      return [before, await keys.isEmpty(transaction)];
    });
    expect(seen).toEqual([true, false]);
  });

  describe('the last use of a key', () => {
    const DAY_MS = 86_400_000;
    const dayOf = async (id: string) => (await keys.findById(id))!.lastUsedDay;

    beforeEach(() =>
      add(
        anApiKey({ id: 'key_anna', createdAtMs: 10 * DAY_MS }),
        anApiKey({ id: 'key_bert', createdAtMs: 10 * DAY_MS }),
        anApiKey({ id: 'key_carl', createdAtMs: 10 * DAY_MS }),
      ),
    );

    it('is unknown before the first, and then the latest day, in whatever order they are stored', async () => {
      expect(await dayOf('key_anna')).toBeNull();
      await keys.noteUses(['key_anna', 'key_bert', 'key_nobody'], 20);
      await keys.noteUses(['key_anna'], 21);
      await keys.noteUses(['key_anna', 'key_bert'], 19);
      expect([await dayOf('key_anna'), await dayOf('key_bert'), await dayOf('key_carl')]).toEqual([
        21,
        20,
        null,
      ]);
    });

    it('is no change that servers read, and is not lost by one', async () => {
      await keys.noteUses(['key_anna'], 20);
      expect(await keys.latestChangeMs()).toBeNull();
      const [revoked] = await Promise.all([
        change('key_bert', (key) => key.revoke(1_000)),
        keys.noteUses(['key_anna', 'key_bert'], 22),
        change('key_anna', (key) => key.changePlan(plans.of('pro'), 1_000)),
      ]);
      expect(revoked).toMatchObject({ revokedAtMs: 1_000 });
      expect([await dayOf('key_anna'), await dayOf('key_bert')]).toEqual([22, 22]);
      expect(await keys.findById('key_anna')).toMatchObject({ plan: { name: 'pro' } });
    });

    it('narrows a list to keys unused since a day, unused ones by the day of their issue', async () => {
      await keys.noteUses(['key_anna'], 20);
      await keys.noteUses(['key_bert'], 21);
      const unusedSince = async (day: number) => (await list({ unusedSinceDay: day })).map(({ id }) => id);
      expect(await unusedSince(10)).toEqual([]);
      expect(await unusedSince(11)).toEqual(['key_carl']);
      expect(await unusedSince(21)).toEqual(['key_anna', 'key_carl']);
      expect(await unusedSince(22)).toEqual(['key_anna', 'key_bert', 'key_carl']);
    });

    it('is stored by many servers at the same time', async () => {
      const ids = ['key_anna', 'key_bert', 'key_carl'];
      await Promise.all(
        Array.from({ length: 40 }, (_, day) => keys.noteUses(day % 2 ? ids : ids.toReversed(), day)),
      );
      expect(await Promise.all(ids.map(dayOf))).toEqual([39, 39, 39]);
    });
  });

  describe('with more keys than it reads at a time', () => {
    let temporary: TemporaryDatabase;
    let keys: TypeOrmApiKeyRepository;

    beforeAll(async () => {
      temporary = await open(accessTables);
      keys = new TypeOrmApiKeyRepository(temporary.database, plans);
      await temporary.database.run((transaction) => temporary.database.session(transaction).query(MANY));
    });

    afterAll(() => temporary.remove());

    it('finds what a key has made, however long the line of makers is', async () => {
      await temporary.database.run((transaction) =>
        temporary.database.session(transaction)
          .query(`UPDATE api_keys SET created_by = 'key_' || (CAST(substr(id, 5) AS INTEGER) - 1),
            revoked_at = CASE WHEN id = 'key_20100' THEN NULL ELSE 1 END WHERE id <> 'key_1'`),
      );
      expect((await keys.descendantsOf('key_1', 0)).map(({ id }) => id)).toEqual(['key_20100']);
    });

    it('reads no expired keys of an account for its active ones', async () => {
      const { database, statements } = temporary;
      const run = (sql: string) => database.run((transaction) => database.session(transaction).query(sql));
      await run('UPDATE api_keys SET expires_at = 1');
      await run('ANALYZE');
      const sql = statements.all.find((text) => text.startsWith('WITH active'))!;
      const values = ["'zoo'", "'zoo'", '5', "''", '10'];
      const read = sql.replace(/\?|\$\d/g, () => values.shift()!);
      const explain = database.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN ANALYZE';
      const steps = (await database.query<object>(`${explain} ${read}`)).flatMap(Object.values).join('\n');
      expect(steps.match(/api_keys_[a-z]\w+/g)).toEqual(Array(2).fill('api_keys_ends_of_account'));
      expect(steps).not.toContain('Removed');
      expect(await keys.activeOf('zoo', 5, '', 10)).toEqual([]);
    });

    it('lists each of them once', async () => {
      const lengths: number[] = [];
      const ids = new Set<string>();
      for await (const batch of keys.batches({})) {
        lengths.push(batch.length);
        for (const { id } of batch) ids.add(id);
      }
      expect(lengths).toEqual([...Array<number>(20).fill(1_000), 100]);
      expect(ids.size).toBe(20_100);
    });
  });
});
