import { FakeClock } from '@animal-store/kernel/testing';
import { InactiveApiKey } from '@animal-store/api-keys/issuing';
import { AccountSuspended } from '../domain/api-key.errors.js';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { keyStorage } from '../testing/key-storage.js';
import type { ApiKey } from '../domain/api-key.js';
import { ChangeAccount } from './change-account.use-case.js';
import { FirstKey } from './first-key.use-case.js';
import { scopes } from '../../contexts.js';
import { StoreKeyIssuer } from './key-issuer.service.js';

const NOON_MS = Date.UTC(2026, 2, 14, 12);

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

async function countKeys(): Promise<number> {
  let count = 0;
  for await (const batch of storage.keys.batches({})) count += batch.length;
  return count;
}

describe('FirstKey', () => {
  let firstKey: FirstKey;

  beforeEach(() => {
    firstKey = new FirstKey(storage.keys, newIssuer(), storage.unitOfWork);
  });

  it('issues the first key, a Free one, when there is no key', async () => {
    expect(await firstKey.execute(false)).toBe('missing');
    expect(await firstKey.execute(true)).toMatchObject({
      key: { id: 'key_1', plan: { name: 'free' }, expiresAtMs: null },
      text: 'text of key_1',
    });
    expect(await countKeys()).toBe(1);
  });

  it('issues the first key only once when many processes request it at the same time', async () => {
    const issued = await Promise.all([1, 2, 3].map(() => firstKey.execute(true)));
    expect(issued.filter((key) => key !== null)).toHaveLength(1);
  });

  it('issues no first key when there is one, even a revoked or expired one', async () => {
    await storage.put(anApiKey({ expiresAtMs: 1_000 }));
    for (const isIssued of [true, false]) expect(await firstKey.execute(isIssued)).toBeNull();
    expect(await countKeys()).toBe(1);
  });
});

describe('The history of a key', () => {
  let issuer: StoreKeyIssuer;

  beforeEach(() => {
    issuer = newIssuer();
  });

  it('has nothing of what changed nothing, or was refused', async () => {
    await issuer.issue({ name: 'shop', account: 'zoo', plan: 'free' });
    await issuer.setPlan('key_1', 'free');
    await issuer.revoke('key_1');
    await issuer.revoke('key_1');
    await expect(issuer.setPlan('key_1', 'pro')).rejects.toThrow(InactiveApiKey);
    expect(await storage.history.of('key_1')).toHaveLength(2);
  });

  it('is stored with the change or not at all', async () => {
    await issuer.issue({ name: 'shop', account: 'zoo', plan: 'free' });
    jest.spyOn(storage.history, 'add').mockRejectedValue(new Error('disk full'));
    await expect(issuer.revoke('key_1')).rejects.toThrow('disk full');
    await expect(issuer.issue({ name: 'shop', account: 'zoo', plan: 'free' })).rejects.toThrow('disk full');
    jest.restoreAllMocks();
    expect(await storage.keys.findById('key_1')).toMatchObject({ revokedAtMs: null });
    expect(await countKeys()).toBe(1);
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
      anApiKey({ id: 'key_ended', expiresAtMs: NOON_MS - 7 * DAY_MS }),
      anApiKey({ id: 'key_other', account: 'ark' }),
    );
  });

  const actor = { keyId: 'key_anna', account: 'zoo' };
  const works = async (id: string) => (await storage.keys.findByHash(`hash of ${id}`))!.revokedAtMs === null;
  const ids = (keys: readonly ApiKey[]) => keys.map(({ id }) => id);

  it('suspends an account: no key of it works, and none is made, until it resumes', async () => {
    expect(ids(await changeAccount.execute('zoo', 'suspend'))).toEqual(['key_anna', 'key_bert']);
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
    expect(await changeAccount.execute('zoo', 'suspend')).toEqual([]);

    expect(ids(await changeAccount.execute('zoo', 'resume'))).toEqual(['key_anna', 'key_bert']);
    expect([await works('key_anna'), await works('key_bert')]).toEqual([true, true]);
    expect(await changeAccount.execute('zoo', 'resume')).toEqual([]);
  });

  it.each([
    ['are all revoked', () => changeAccount.execute('zoo', 'revoke')],
    ['have all expired', () => storage.put(anApiKey({ id: 'key_late', account: 'sea', expiresAtMs: 1 }))],
  ])('suspends an account whose keys %s: none is made until it resumes', async (_, end) => {
    await end();
    const account = (await storage.keys.oneOf('sea')) ? 'sea' : 'zoo';
    const make = () => issuer.issue({ name: 'Till', account, plan: 'free' });
    expect(await changeAccount.execute(account, 'suspend')).toHaveLength(1);
    expect(await changeAccount.execute(account, 'suspend')).toEqual([]);
    await expect(make()).rejects.toThrow(AccountSuspended);
    await changeAccount.execute(account, 'resume');
    await make();
  });

  it('revokes descendants that other hosts take for active while the clock of this one is ahead', async () => {
    const { key } = await issuer.issue({ name: 'Till', expiresAtMs: NOON_MS + DAY_MS }, { actor });
    clock.advance(25 * 3_600_000);
    const shown = await issuer.revoke('key_anna');
    const { descendants } = await issuer.revoke('key_anna', { withDescendants: true });
    clock.advance(-25 * 3_600_000);
    expect(ids(shown.descendants)).toEqual(['key_bert']);
    expect(ids(descendants).sort()).toEqual([key.id, 'key_bert']);
  });

  it('reaches keys that other hosts take for active while the clock of this one is ahead', async () => {
    await storage.put(anApiKey({ id: 'key_day', account: 'sea', expiresAtMs: NOON_MS + DAY_MS }));
    clock.advance(25 * 3_600_000);
    const suspended = await changeAccount.execute('sea', 'suspend');
    const revoked = await changeAccount.execute('sea', 'revoke');
    clock.advance(-25 * 3_600_000);
    expect([ids(suspended), ids(revoked)]).toEqual([['key_day'], ['key_day']]);
  });

  it('revokes every key that works or is suspended, and no other', async () => {
    await changeAccount.execute('zoo', 'suspend');
    expect(ids(await changeAccount.execute('zoo', 'revoke'))).toEqual(['key_anna', 'key_bert']);
    expect((await storage.keys.findById('key_other'))!.revokedAtMs).toBeNull();
    await changeAccount.execute('zoo', 'resume');
    expect(await works('key_anna')).toBe(false);
    await expect(issuer.issue({ name: 'Till', account: 'zoo', plan: 'free' })).resolves.toBeDefined();
  });

  it('revokes what a key has made, also while the account is suspended', async () => {
    const made = await issuer.issue({ name: 'Till' }, { actor });
    await changeAccount.execute('zoo', 'suspend');
    const { descendants } = await issuer.revoke('key_anna', { withDescendants: true });
    await changeAccount.execute('zoo', 'resume');

    expect(ids(descendants)).toContain(made.key.id);
    expect((await storage.keys.findById(made.key.id))!.revokedAtMs).not.toBeNull();
  });

  it('reaches a key that is made meanwhile', async () => {
    const { activeOf } = storage.keys;
    jest.spyOn(storage.keys, 'activeOf').mockImplementationOnce(async (...page) => {
      const found = await activeOf.apply(storage.keys, page);
      await issuer.issue({ name: 'Till' }, { actor });
      return found;
    });
    expect(ids(await changeAccount.execute('zoo', 'revoke'))).toEqual(['key_anna', 'key_bert', 'key_1']);
    jest.restoreAllMocks();
  });
});
