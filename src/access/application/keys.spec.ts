import { FakeClock } from '@animal-store/kernel/testing';
import { ApiKeyNotFound, InactiveApiKey } from '@animal-store/api-keys/issuing';
import { AccountNotFound, AccountSuspended, UsageUnavailable } from '../domain/api-key.errors.js';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { FixedUsage } from '../testing/fixed-usage.reader.js';
import { keyStorage } from '../testing/key-storage.js';
import type { ApiKey } from '../domain/api-key.js';
import { ChangeAccount } from './change-account.use-case.js';
import { FirstKey } from './first-key.use-case.js';
import { scopes } from '../../contexts.js';
import { StoreKeyIssuer } from './key-issuer.use-case.js';
import { ReadUsage } from './usage/read-usage.js';
import { ListKeys, type ListKeysInput } from './list-keys.use-case.js';

const NOON_MS = Date.UTC(2026, 2, 14, 12);
const BAN = { sinceMs: NOON_MS - 1_000, untilMs: NOON_MS + 59_000 };
const DAY = { resetsAtMs: Date.UTC(2026, 2, 15) };

const storage = keyStorage();
const clock = new FakeClock(NOON_MS);

const operator = { name: 'anna@db1' };

/** Its keys are key_1, key_2 and so on. */
function newIssuer(): StoreKeyIssuer {
  const { keys, history, unitOfWork } = storage;
  const settings = { prefix: 'ask_test_', maxKeys: 10, scopes };
  const issuer = new StoreKeyIssuer(keys, plans, clock, history, operator, unitOfWork, settings);
  let count = 0;
  issuer.newSecret = () => {
    const id = `key_${++count}`;
    return { id, text: `text of ${id}`, hash: `hash of ${id}` };
  };
  return issuer;
}

describe('FirstKey', () => {
  let firstKey: FirstKey;

  beforeEach(() => {
    firstKey = new FirstKey(storage.keys, newIssuer(), storage.unitOfWork);
  });

  it('issues the first key, a Free one, when there is no key', async () => {
    expect(await firstKey.isMissing()).toBe(true);
    expect(await firstKey.execute()).toMatchObject({
      key: { id: 'key_1', plan: { name: 'free' }, expiresAtMs: null },
      text: 'text of key_1',
    });
    expect(await storage.keys.count({})).toBe(1);
  });

  it('issues the first key only once when many processes ask at the same time', async () => {
    const issued = await Promise.all([1, 2, 3].map(() => firstKey.execute()));
    expect(issued.filter((key) => key !== null)).toHaveLength(1);
  });

  it('issues no first key when there is one, even a revoked or expired one', async () => {
    await storage.put(anApiKey({ expiresAtMs: 1_000 }));
    expect(await firstKey.isMissing()).toBe(false);
    expect(await firstKey.execute()).toBeNull();
    expect(await storage.keys.count({})).toBe(1);
  });
});

describe('StoreKeyIssuer', () => {
  let issuer: StoreKeyIssuer;

  beforeEach(() => {
    issuer = newIssuer();
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['setPlan', (id) => issuer.setPlan(id, 'pro')],
    ['revoke', (id) => issuer.revoke(id)],
    ['rotate', (id) => issuer.rotate(id, 0)],
  ])('%s refuses an id that no key has, and issues nothing', async (_, change) => {
    await expect(change('key_nobody')).rejects.toThrow(ApiKeyNotFound);
    expect(await storage.keys.count({})).toBe(0);
  });

  it('lets only one of two concurrent rotations of a key succeed', async () => {
    await storage.put(anApiKey());
    const rotate = () => issuer.rotate('key_anna', 3_600_000);
    const outcomes = await Promise.allSettled([rotate(), rotate()]);
    expect(outcomes).toEqual([
      expect.objectContaining({ status: 'fulfilled' }),
      { status: 'rejected', reason: expect.any(InactiveApiKey) },
    ]);
    expect(await storage.keys.count({})).toBe(2);
  });
});

describe('The history of a key', () => {
  let issuer: StoreKeyIssuer;

  beforeEach(() => {
    issuer = newIssuer();
  });

  const NEW = { name: 'shop', account: 'zoo', plan: 'free', perMinute: 60, perDay: 1_000 };
  const LASTING = { scopes: null, expiresAt: null, revokedAt: null, suspendedAt: null, replacedBy: null };

  it('has who issued, changed, rotated and revoked it, and the facts that changed, never a hash', async () => {
    await issuer.issue({ name: 'shop', account: 'zoo', plan: 'free', scopes: ['pets:read'] });
    await issuer.setPlan('key_1', 'enterprise', { perMinute: 7, perDay: 8 });
    await storage.put(
      anApiKey({ id: 'key_9', account: 'zoo', plan: plans.of('enterprise', { perMinute: 7, perDay: 8 }) }),
    );
    const actor = { keyId: 'key_9', account: 'zoo' };
    await issuer.rotate('key_1', 60_000, { actor });
    await issuer.revoke('key_1', { actor });

    const ofKey = { subject: 'key_1', atMs: NOON_MS, by: 'anna@db1' };
    expect(await storage.history.of(['key_1'])).toEqual([
      { ...ofKey, before: null, after: { ...NEW, ...LASTING, scopes: ['pets:read'] } },
      {
        ...ofKey,
        before: { plan: 'free', perMinute: 60, perDay: 1_000 },
        after: { plan: 'enterprise', perMinute: 7, perDay: 8 },
      },
      {
        ...ofKey,
        by: 'key_9',
        before: { expiresAt: null, replacedBy: null },
        after: { expiresAt: '2026-03-14T12:01:00.000Z', replacedBy: 'key_2' },
      },
      {
        ...ofKey,
        by: 'key_9',
        before: { revokedAt: null },
        after: { revokedAt: '2026-03-14T12:00:00.000Z' },
      },
    ]);
    expect(await storage.history.of(['key_2'])).toMatchObject([{ by: 'key_9', before: null }]);
    expect(JSON.stringify(await storage.history.of(['key_1', 'key_2']))).not.toMatch(/hash|text of/);
  });

  it('has nothing of what changed nothing, or was refused', async () => {
    await issuer.issue({ name: 'shop', account: 'zoo', plan: 'free' });
    await issuer.setPlan('key_1', 'free');
    await issuer.revoke('key_1');
    await issuer.revoke('key_1');
    await expect(issuer.setPlan('key_1', 'pro')).rejects.toThrow(InactiveApiKey);
    expect(await storage.history.of(['key_1'])).toHaveLength(2);
  });

  it('is stored with the change or not at all', async () => {
    await issuer.issue({ name: 'shop', account: 'zoo', plan: 'free' });
    jest.spyOn(storage.history, 'add').mockRejectedValue(new Error('disk full'));
    await expect(issuer.revoke('key_1')).rejects.toThrow('disk full');
    await expect(issuer.issue({ name: 'shop', account: 'zoo', plan: 'free' })).rejects.toThrow('disk full');
    jest.restoreAllMocks();
    expect(await storage.keys.findById('key_1')).toMatchObject({ revokedAtMs: null });
    expect(await storage.keys.count({})).toBe(1);
  });
});

describe('ChangeAccount', () => {
  const DAY_MS = 86_400_000;
  let issuer: StoreKeyIssuer;
  let changeAccount: ChangeAccount;

  beforeEach(async () => {
    issuer = newIssuer();
    changeAccount = new ChangeAccount(storage.keys, issuer, clock);
    await storage.put(
      anApiKey({ id: 'key_anna' }),
      anApiKey({ id: 'key_bert', createdBy: 'key_anna' }),
      anApiKey({ id: 'key_ended', expiresAtMs: NOON_MS - 1 }),
      anApiKey({ id: 'key_other', account: 'ark' }),
    );
  });

  const actor = { keyId: 'key_anna', account: 'zoo' };
  const works = async (id: string) => (await storage.keys.findByHash(`hash of ${id}`))!.revokedAtMs === null;
  const ids = (keys: readonly ApiKey[]) => keys.map(({ id }) => id);

  it('suspends an account: no key of it works, and none is made, until it resumes', async () => {
    expect(ids(await changeAccount.suspend('zoo'))).toEqual(['key_anna', 'key_bert']);
    expect([await works('key_anna'), await works('key_bert'), await works('key_other')]).toEqual([
      false,
      false,
      true,
    ]);
    await expect(issuer.issue({ name: 'Till' }, { actor })).rejects.toThrow('Key key_anna is suspended.');
    await expect(issuer.rotate('key_bert', DAY_MS)).rejects.toThrow(InactiveApiKey);
    await expect(issuer.issue({ name: 'Till', account: 'zoo', plan: 'free' })).rejects.toThrow(
      AccountSuspended,
    );
    expect(await changeAccount.suspend('zoo')).toEqual([]);

    expect(ids(await changeAccount.resume('zoo'))).toEqual(['key_anna', 'key_bert']);
    expect([await works('key_anna'), await works('key_bert')]).toEqual([true, true]);
    expect(await changeAccount.resume('zoo')).toEqual([]);
  });

  it('revokes every key that works or is suspended, and no other', async () => {
    await changeAccount.suspend('zoo');
    expect(ids(await changeAccount.revoke('zoo'))).toEqual(['key_anna', 'key_bert']);
    expect((await storage.keys.findById('key_other'))!.revokedAtMs).toBeNull();
    await changeAccount.resume('zoo');
    expect(await works('key_anna')).toBe(false);
  });

  it('has the changes of all keys of the account in one history', async () => {
    await changeAccount.suspend('zoo');
    await changeAccount.resume('zoo');
    expect(
      (await storage.history.ofAccount('zoo')).map(({ subject, after }) => [subject, after['suspendedAt']]),
    ).toEqual([
      ['key_anna', '2026-03-14T12:00:00.000Z'],
      ['key_bert', '2026-03-14T12:00:00.000Z'],
      ['key_anna', null],
      ['key_bert', null],
    ]);
  });

  it('reaches a key that is made meanwhile', async () => {
    const { activeOf } = storage.keys;
    jest.spyOn(storage.keys, 'activeOf').mockImplementationOnce(async (...page) => {
      const found = await activeOf.apply(storage.keys, page);
      await issuer.issue({ name: 'Till' }, { actor });
      return found;
    });
    expect(ids(await changeAccount.revoke('zoo'))).toEqual(['key_anna', 'key_bert', 'key_1']);
    jest.restoreAllMocks();
  });

  it('refuses an account that no key has', async () => {
    await expect(changeAccount.suspend('nobody')).rejects.toThrow(AccountNotFound);
  });
});

describe('ListKeys', () => {
  let usage: FixedUsage;
  let listKeys: ListKeys;

  beforeEach(() => {
    usage = new FixedUsage();
    listKeys = new ListKeys(storage.keys, new ReadUsage(usage, storage.lifts), clock);
  });

  async function list(input: ListKeysInput = {}) {
    const listed = [];
    for await (const batch of listKeys.execute(input)) listed.push(...batch);
    return listed;
  }

  it('yields the first batch of all keys before it reads the next one', async () => {
    await storage.put(anApiKey({ id: 'key_1' }), anApiKey({ id: 'key_2' }));
    const [one, two] = await list();
    let read = 0;
    jest.spyOn(storage.keys, 'batches').mockImplementation(async function* () {
      for (const { key } of [one!, two!]) {
        read++;
        yield [key];
      }
    });
    for await (const batch of listKeys.execute()) {
      expect(batch.map(({ key }) => key.id)).toEqual([`key_${read}`]);
    }
    expect(read).toBe(2);
    jest.restoreAllMocks();
  });

  it('lists all keys, also revoked and expired ones, and reads no usage', async () => {
    usage.fail(new UsageUnavailable(new Error('connect refused')));
    const first = anApiKey({ id: 'key_1', createdAtMs: 1_000, expiresAtMs: 2_000 });
    const second = anApiKey({ id: 'key_2', createdAtMs: 3_000 });
    await storage.put(first, second);
    expect(await list()).toEqual([
      { key: first, usage: null },
      { key: second, usage: null },
    ]);
  });

  describe('with three keys', () => {
    beforeEach(() =>
      storage.put(
        anApiKey({
          id: 'key_1',
          createdAtMs: 1_000,
          name: 'Corner shop',
          account: 'zoo',
          expiresAtMs: 2_000,
        }),
        anApiKey({ id: 'key_2', createdAtMs: 2_000, name: 'app', account: 'ark', plan: plans.of('pro') }),
        anApiKey({
          id: 'key_3',
          createdAtMs: 3_000,
          name: 'Shopping app',
          account: 'zoo',
          expiresAtMs: NOON_MS + 1,
        }),
      ),
    );

    it.each<[string, ListKeysInput, string[]]>([
      ['the active keys', { active: true }, ['key_2', 'key_3']],
      ['the keys of a plan', { plan: 'pro' }, ['key_2']],
      ['the keys of an account', { account: 'zoo' }, ['key_1', 'key_3']],
      ['the keys that match all filters', { active: true, account: 'zoo' }, ['key_3']],
      ['no key when none matches', { plan: 'pro', account: 'zoo' }, []],
    ])('lists %s', async (_, filter, expected) => {
      expect((await list(filter)).map(({ key }) => key.id)).toEqual(expected);
    });

    it('shows no ban that is already lifted', async () => {
      usage.give('account ark\nkey_2', { ban: BAN });
      usage.give('account zoo\nkey_1', { ban: BAN });
      await storage.unitOfWork.run((transaction) =>
        storage.lifts.add('account zoo\nkey_1', NOON_MS, transaction),
      );
      const banned = (await list({ usage: true })).filter((one) => one.usage!.ban);
      expect(banned.map(({ key }) => key.id)).toEqual(['key_2']);
    });

    it('adds the usage of the day and the ban when asked to', async () => {
      usage.give('account ark\nkey_2', { day: { ...DAY, used: 7 }, ban: BAN });
      const listed = await list({ usage: true });
      expect(listed.map((one) => [one.usage!.day.used, one.usage!.ban])).toEqual([
        [0, null],
        [7, BAN],
        [0, null],
      ]);
    });
  });
});
