import { FakeClock } from '@animal-store/kernel/testing';
import { ApiKeyNotFound } from '@animal-store/api-keys/issuing';
import { UsageUnavailable } from '../../domain/api-key.errors.js';
import { anApiKey } from '../../testing/api-key.builder.js';
import { FixedUsage } from '../../testing/fixed-usage.reader.js';
import { keyStorage } from '../../testing/key-storage.js';
import { ListKeyChanges } from '../list-key-changes.use-case.js';
import { LiftBan } from './lift-ban.use-case.js';
import { ListBans } from './list-bans.use-case.js';
import { ReadUsage } from './read-usage.js';

/** Keys of the account zoo. */
const ANNA = 'account zoo\nkey_anna';
const BERT = 'account zoo\nkey_bert';
const NOON_MS = Date.UTC(2026, 2, 14, 12);
const ban = (sinceMs: number) => ({ ban: { sinceMs, untilMs: sinceMs + 60_000 } });

const storage = keyStorage();
let usage: FixedUsage;
let readUsage: ReadUsage;
let listChanges: ListKeyChanges;
let listBans: ListBans;
let liftBan: LiftBan;

beforeEach(async () => {
  const { keys, lifts, unitOfWork, history } = storage;
  const clock = new FakeClock(NOON_MS);
  usage = new FixedUsage();
  readUsage = new ReadUsage(usage, lifts);
  listChanges = new ListKeyChanges(keys, history);
  listBans = new ListBans(readUsage);
  liftBan = new LiftBan(readUsage, keys, lifts, unitOfWork, clock, history, { name: 'anna@db1' });
  await storage.put(
    anApiKey(),
    anApiKey({ id: 'key_bert' }),
    anApiKey({ id: 'key_own', account: 'key_own' }),
  );
});

const liftedAt = (subject: string, atMs: number) =>
  storage.unitOfWork.run((transaction) => storage.lifts.add(subject, atMs, transaction));

const lifts = () => storage.lifts.changedAfter(0, 100);

describe('ReadUsage', () => {
  it.each([
    ['does not show a ban that is lifted, even before the servers know of the lift', NOON_MS, null],
    ['shows a ban that began after the last one was lifted', NOON_MS - 1, ban(NOON_MS).ban],
  ])('%s', async (_, liftedAtMs, shown) => {
    usage.give(ANNA, ban(NOON_MS));
    await liftedAt(ANNA, liftedAtMs);
    expect(await readUsage.of([anApiKey({ id: 'key_anna' })])).toMatchObject([{ usage: { ban: shown } }]);
  });
});

describe('ListBans', () => {
  it('lists keys with their account and addresses, the latest ban first', async () => {
    usage.give(ANNA, ban(NOON_MS));
    usage.give('key_of_another_database', ban(NOON_MS + 1));
    usage.give('2001:db8:1:2::/64', ban(NOON_MS + 2));
    usage.give('key_own', {});
    expect(await listBans.execute()).toEqual([
      { keyId: null, account: null, address: '2001:db8:1:2::/64', ...ban(NOON_MS + 2).ban },
      {
        keyId: 'key_of_another_database',
        account: 'key_of_another_database',
        address: null,
        ...ban(NOON_MS + 1).ban,
      },
      { keyId: 'key_anna', account: 'zoo', address: null, ...ban(NOON_MS).ban },
    ]);
  });

  it('lists an address once, with the ban that ends last', async () => {
    usage.give('203.0.113.7', ban(NOON_MS));
    usage.give('203.0.113.7\npreflight 203.0.113.7', ban(NOON_MS + 1));
    expect(await listBans.execute()).toMatchObject([{ address: '203.0.113.7', sinceMs: NOON_MS + 1 }]);
  });

  it('takes no account for an address', async () => {
    usage.give('account 203.0.113.7\nkey_anna', ban(NOON_MS));
    usage.give('account preflight 203.0.113.7\nkey_anna', ban(NOON_MS - 1));
    expect(await listBans.execute()).toMatchObject([
      { account: '203.0.113.7', address: null },
      { account: 'preflight 203.0.113.7', address: null },
    ]);
  });

  it('leaves out what is lifted already, even before the servers know of it', async () => {
    await liftedAt(ANNA, NOON_MS);
    await liftedAt('203.0.113.7', NOON_MS);
    for (const caller of [ANNA, '203.0.113.7', '203.0.113.7\npreflight 203.0.113.7'])
      usage.give(caller, ban(NOON_MS));
    expect(await listBans.execute()).toEqual([]);
    usage.give('203.0.113.7', ban(NOON_MS + 1));
    expect(await listBans.execute()).toHaveLength(1);
  });
});

describe('LiftBan', () => {
  it.each([
    ['a key', { keyId: 'key_anna' }, ANNA],
    ['a key that is an account of its own', { keyId: 'key_own' }, 'key_own'],
    ['an address', { address: '203.0.113.7' }, '203.0.113.7'],
  ])('of %s stores the time of the lift, which the servers poll', async (_, who, caller) => {
    await liftBan.execute(who);
    expect(await lifts()).toEqual([{ subject: caller, liftedAtMs: NOON_MS, changedAtMs: NOON_MS }]);
  });

  it.each([
    [BERT, { keyId: 'key_bert' }],
    ['account zoo\nusage key_bert', { keyId: 'key_bert' }],
    ['203.0.113.8', { address: '203.0.113.8' }],
    ['203.0.113.9\npreflight 203.0.113.9', { address: '203.0.113.9' }],
  ])('says whether there was a ban of %j to lift', async (caller, who) => {
    usage.give(ANNA, ban(NOON_MS + 1));
    expect((await liftBan.execute(who)).wasBanned).toBe(false);
    usage.give(caller, ban(NOON_MS + 1));
    expect((await liftBan.execute(who)).wasBanned).toBe(true);
  });

  it('lifts the ban without saying whether there was one when the counts cannot be read', async () => {
    usage.fail(new UsageUnavailable(new Error('connect refused')));
    expect((await liftBan.execute({ keyId: 'key_anna' })).wasBanned).toBeNull();
    expect(await lifts()).toHaveLength(1);
  });

  it('is in the history of the key, with the end of the ban that it lifted', async () => {
    usage.give(BERT, ban(NOON_MS - 1_000));
    await liftBan.execute({ keyId: 'key_bert' });
    await liftBan.execute({ keyId: 'key_bert' });
    usage.fail(new UsageUnavailable(new Error('connect refused')));
    await liftBan.execute({ keyId: 'key_bert' });
    const lift = { subject: 'key_bert', atMs: NOON_MS, by: 'anna@db1', after: { bannedUntil: null } };
    const until = new Date(ban(NOON_MS - 1_000).ban.untilMs).toISOString();
    expect(await listChanges.execute({ id: 'key_bert' })).toEqual([
      { ...lift, before: { bannedUntil: until } },
      { ...lift, before: { bannedUntil: null } },
      { ...lift, before: { bannedUntil: 'unknown' } },
    ]);
    expect(await listChanges.execute({ id: 'key_anna' })).toEqual([]);
    await expect(listChanges.execute({ id: 'key_nobody' })).rejects.toThrow(ApiKeyNotFound);
  });

  it('is not stored without its row in the history', async () => {
    jest.spyOn(storage.history, 'add').mockRejectedValue(new Error('disk full'));
    await expect(liftBan.execute({ keyId: 'key_anna' })).rejects.toThrow('disk full');
    jest.restoreAllMocks();
    expect(await lifts()).toEqual([]);
  });
});
