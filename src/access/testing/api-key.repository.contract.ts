import type { Transaction, UnitOfWork } from '@animal-store/kernel';
import type { ApiKey } from '../domain/api-key.js';
import type { ApiKeyRepository, StoredKeyFilter } from '../domain/api-key.repository.js';
import { anApiKey, plans } from './api-key.builder.js';

export interface ApiKeyRepositoryUnderTest {
  readonly keys: ApiKeyRepository;
  readonly unitOfWork: UnitOfWork;
}

/** What every ApiKeyRepository does, over plans with the limits of the contract. */
export function apiKeyRepositoryContract(open: () => ApiKeyRepositoryUnderTest): void {
  let keys: ApiKeyRepository;
  let unitOfWork: UnitOfWork;

  beforeEach(() => ({ keys, unitOfWork } = open()));

  async function add(...added: ApiKey[]): Promise<void> {
    for (const key of added) await unitOfWork.run((transaction) => keys.change([], () => [key], transaction));
  }

  async function list(filter: StoredKeyFilter): Promise<ApiKey[]> {
    const listed: ApiKey[] = [];
    for await (const batch of keys.batches(filter)) listed.push(...batch);
    return listed;
  }

  function change(id: string, verb: (key: ApiKey) => ApiKey): Promise<ApiKey | null> {
    return unitOfWork.run((transaction) => changeWithin(id, verb, transaction));
  }

  async function changeWithin(
    id: string,
    verb: (key: ApiKey) => ApiKey,
    transaction: Transaction,
  ): Promise<ApiKey | null> {
    const one = (key: ApiKey | undefined) => (key ? [verb(key)] : []);
    const [changed] = await keys.change([id], (found) => one(found.get(id)), transaction);
    return changed ?? null;
  }

  it('finds a key as it was added, by its id and by its hash', async () => {
    const key = anApiKey({ account: 'Žoo "1"', plan: plans.of('pro'), expiresAtMs: Date.UTC(2030, 0, 1) });
    await add(key);
    expect(await keys.findById('key_anna')).toEqual(key);
    expect(await keys.findByHash('hash of key_anna')).toMatchObject({
      keyId: 'key_anna',
      account: key.account,
    });
  });

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
        anApiKey({ id: 'key_gone', createdAtMs: 2_000, account: 'ark' }),
      ).then(() => change('key_gone', (key) => key.revoke(2_100))),
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
    const seen = await unitOfWork.run(async (transaction) => {
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
}
