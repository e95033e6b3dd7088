import { FakeClock } from '@animal-store/kernel/testing';
import { UsageUnknown } from '../domain/api-key.errors.js';
import type { AddressLift } from '../domain/ban.js';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { FixedUsage } from '../testing/fixed-usage.reader.js';
import { keyStorage } from '../testing/key-storage.js';
import { NumberedKeyGenerator } from '../testing/numbered-key.generator.js';
import { ChangeKey } from './change-key.use-case.js';
import { FindKey } from './find-key.use-case.js';
import { LiftBan } from './lift-ban.use-case.js';
import { ListBans } from './list-bans.use-case.js';

const NOON_MS = Date.UTC(2026, 2, 14, 12);
const ban = (sinceMs: number) => ({ ban: { sinceMs, untilMs: sinceMs + 60_000 } });

const storage = keyStorage();
let usage: FixedUsage;
let listBans: ListBans;
let liftBan: LiftBan;

beforeEach(async () => {
  const { keys, lifts, unitOfWork } = storage;
  const clock = new FakeClock(NOON_MS);
  usage = new FixedUsage();
  listBans = new ListBans(usage, keys, lifts);
  const changeKey = new ChangeKey(keys, unitOfWork, clock, plans, new NumberedKeyGenerator());
  liftBan = new LiftBan(listBans, changeKey, lifts, unitOfWork, clock);
  await storage.put(anApiKey());
});

describe('FindKey with usage', () => {
  it.each([
    ['does not show a ban that is lifted, even before the servers know of the lift', NOON_MS, null],
    ['shows a ban that began after the last one was lifted', NOON_MS - 1, ban(NOON_MS).ban],
  ])('%s', async (_, liftedAtMs, shown) => {
    usage.give('key_anna', ban(NOON_MS));
    await storage.unitOfWork.run((transaction) =>
      storage.keys.change('key_anna', (key) => key.liftBan(liftedAtMs), transaction),
    );
    expect((await new FindKey(storage.keys, usage).withUsage('key_anna')).usage?.ban).toEqual(shown);
  });
});

describe('ListBans', () => {
  it('lists keys and addresses, the latest ban first', async () => {
    usage.give('key_anna', ban(NOON_MS));
    usage.give('key_of_another_database', ban(NOON_MS + 1));
    usage.give('2001:db8:1:2::/64', ban(NOON_MS + 2));
    usage.give('key_free', {});
    expect(await listBans.execute()).toEqual([
      { keyId: null, address: '2001:db8:1:2::/64', key: null, ...ban(NOON_MS + 2).ban },
      { keyId: 'key_of_another_database', address: null, key: null, ...ban(NOON_MS + 1).ban },
      { keyId: 'key_anna', address: null, key: anApiKey(), ...ban(NOON_MS).ban },
    ]);
  });

  it('lists an address once, with the ban that ends last', async () => {
    usage.give('203.0.113.7', ban(NOON_MS));
    usage.give('preflight 203.0.113.7', ban(NOON_MS + 1));
    expect(await listBans.execute()).toMatchObject([{ address: '203.0.113.7', sinceMs: NOON_MS + 1 }]);
  });

  it('leaves out what is lifted already, even before the servers know of it', async () => {
    await storage.unitOfWork.run(async (transaction) => {
      await storage.keys.change('key_anna', (key) => key.liftBan(NOON_MS), transaction);
      await storage.lifts.add('203.0.113.7', NOON_MS, transaction);
    });
    for (const subject of ['key_anna', '203.0.113.7', 'preflight 203.0.113.7'])
      usage.give(subject, ban(NOON_MS));
    expect(await listBans.execute()).toEqual([]);
    usage.give('203.0.113.7', ban(NOON_MS + 1));
    expect(await listBans.execute()).toHaveLength(1);
  });
});

describe('LiftBan', () => {
  it('stores the time of the lift, which the servers poll', async () => {
    const { key } = await liftBan.execute('key_anna');
    expect(key?.banLiftedAtMs).toBe(NOON_MS);
    expect(await storage.keys.changedAfter(0, 10)).toEqual([key]);
  });

  it('says whether there was a ban to lift', async () => {
    expect((await liftBan.execute('key_anna')).wasBanned).toBe(false);
    usage.give('key_anna', ban(NOON_MS + 1));
    expect((await liftBan.execute('key_anna')).wasBanned).toBe(true);
  });

  it('says that there was no ban when it was already lifted', async () => {
    usage.give('key_anna', ban(NOON_MS - 1_000));
    await liftBan.execute('key_anna');
    expect((await liftBan.execute('key_anna')).wasBanned).toBe(false);
  });

  it('lifts the ban without saying whether there was one when the counts cannot be read', async () => {
    usage.fail(new UsageUnknown(new Error('connect refused')));
    expect(await liftBan.execute('key_anna')).toMatchObject({
      wasBanned: null,
      key: { banLiftedAtMs: NOON_MS },
    });
  });

  describe('of an address', () => {
    const lifts = async () => {
      const lifted: AddressLift[] = [];
      for await (const some of storage.lifts.after(0)) lifted.push(...some);
      return lifted;
    };

    it('stores the time of the lift, which the servers poll, and no key', async () => {
      expect((await liftBan.execute('203.0.113.7')).key).toBeNull();
      expect(await lifts()).toEqual([{ address: '203.0.113.7', liftedAtMs: NOON_MS, changedAtMs: NOON_MS }]);
    });

    it('says whether there was a ban to lift, be it only of its preflights', async () => {
      expect((await liftBan.execute('203.0.113.7')).wasBanned).toBe(false);
      usage.give('203.0.113.8', ban(NOON_MS - 1_000));
      usage.give('preflight 203.0.113.9', ban(NOON_MS - 1_000));
      for (const address of ['203.0.113.8', '203.0.113.9']) {
        expect((await liftBan.execute(address)).wasBanned).toBe(true);
        expect((await liftBan.execute(address)).wasBanned).toBe(false);
      }
    });

    it('lifts the ban without saying whether there was one when the counts cannot be read', async () => {
      usage.fail(new UsageUnknown(new Error('connect refused')));
      expect((await liftBan.execute('203.0.113.7')).wasBanned).toBeNull();
      expect(await lifts()).toHaveLength(1);
    });
  });
});
