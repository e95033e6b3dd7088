import { anApiKey } from '../testing/api-key.builder.js';
import { FixedUsage } from '../testing/fixed-usage.reader.js';
import { keyStorage } from '../testing/key-storage.js';
import { ListBans } from './list-bans.use-case.js';

const NOON_MS = Date.UTC(2026, 2, 14, 12);
const ban = (sinceMs: number) => ({ ban: { sinceMs, untilMs: sinceMs + 60_000 } });

describe('ListBans', () => {
  const storage = keyStorage();
  let usage: FixedUsage;
  let listBans: ListBans;

  beforeEach(() => {
    usage = new FixedUsage();
    listBans = new ListBans(usage, storage.keys, storage.lifts);
  });

  it('lists keys and addresses, the latest ban first', async () => {
    await storage.put(anApiKey());
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
    await storage.put(anApiKey());
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
