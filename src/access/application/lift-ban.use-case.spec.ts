import { FakeClock } from '@animal-store/kernel/testing';
import { UsageUnknown } from '../domain/api-key.errors.js';
import type { AddressLift } from '../domain/ban.js';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { FixedUsage } from '../testing/fixed-usage.reader.js';
import { keyStorage } from '../testing/key-storage.js';
import { NumberedKeyGenerator } from '../testing/numbered-key.generator.js';
import { ChangeKey } from './change-key.use-case.js';
import { LiftBan } from './lift-ban.use-case.js';
import { ListBans } from './list-bans.use-case.js';

const NOON_MS = Date.UTC(2026, 2, 14, 12);
const BAN = { sinceMs: NOON_MS - 1_000, untilMs: NOON_MS + 59_000 };

describe('LiftBan', () => {
  const storage = keyStorage();
  let usage: FixedUsage;
  let liftBan: LiftBan;

  beforeEach(() => {
    usage = new FixedUsage();
    const clock = new FakeClock('2026-03-14T12:00:00.000Z');
    const { keys, lifts, unitOfWork } = storage;
    const changeKey = new ChangeKey(keys, unitOfWork, clock, plans, new NumberedKeyGenerator());
    liftBan = new LiftBan(new ListBans(usage, keys, lifts), changeKey, lifts, unitOfWork, clock);
  });

  it('stores the time of the lift, which the servers poll', async () => {
    await storage.put(anApiKey());
    const { key } = await liftBan.execute('key_anna');
    expect(key?.banLiftedAtMs).toBe(NOON_MS);
    expect(await storage.keys.changedAfter(0, 10)).toEqual([key]);
  });

  it('says whether there was a ban to lift', async () => {
    await storage.put(anApiKey());
    expect((await liftBan.execute('key_anna')).wasBanned).toBe(false);
    usage.give('key_anna', { ban: { ...BAN, sinceMs: NOON_MS + 1 } });
    expect((await liftBan.execute('key_anna')).wasBanned).toBe(true);
  });

  it('says that there was no ban when it was already lifted', async () => {
    await storage.put(anApiKey());
    usage.give('key_anna', { ban: BAN });
    await liftBan.execute('key_anna');
    expect((await liftBan.execute('key_anna')).wasBanned).toBe(false);
  });

  it('lifts the ban without saying whether there was one when the counts cannot be read', async () => {
    await storage.put(anApiKey());
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
      usage.give('203.0.113.8', { ban: BAN });
      usage.give('preflight 203.0.113.9', { ban: BAN });
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
