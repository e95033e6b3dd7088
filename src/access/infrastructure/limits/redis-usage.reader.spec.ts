import { RedisRateLimitStore } from '@animal-store/rate-limiting';
import { describeOnRedis, RedisServer } from '@animal-store/rate-limiting/testing';
import { SystemClock } from '@animal-store/kernel';
import { UsageUnknown } from '../../domain/api-key.errors.js';
import { RedisUsageReader } from './redis-usage.reader.js';

const HOUR_MS = 3_600_000;
const clock = new SystemClock();
const plan = { perMinute: 60, perDay: 1_000 };

describeOnRedis('RedisUsageReader', () => {
  let server: RedisServer;
  let store: RedisRateLimitStore;
  let reader: RedisUsageReader;

  beforeAll(async () => {
    server = await RedisServer.start();
    store = await RedisRateLimitStore.at(server.url);
    await store.probe(5_000);
    reader = new RedisUsageReader(await RedisRateLimitStore.at(server.url), clock);
  });

  afterAll(async () => {
    reader.onApplicationShutdown();
    store.close();
    await server.stop();
  });

  const usageOf = async (id: string) => (await reader.usageOfAll([id])).get(id)!;

  it('shows the requests of a key that any replica has counted', async () => {
    for (let count = 0; count < 3; count++) await store.consume({ id: 'key_anna', plan }, clock.now());
    const { minute, day, ban } = await usageOf('key_anna');
    expect([minute?.used, day.used, ban]).toEqual([3, 3, null]);
    expect(minute!.resetsAtMs - clock.now()).toBeGreaterThan(50_000);
    expect(day.resetsAtMs % (24 * HOUR_MS)).toBe(0);
  });

  it('shows the ban of a key and when it began', async () => {
    for (let count = 0; count < 60 + 30; count++) await store.consume({ id: 'key_bert', plan }, clock.now());
    const { ban } = await usageOf('key_bert');
    expect(ban!.untilMs - ban!.sinceMs).toBe(60_000);
  });

  it('lists the bans in force of keys and of addresses', async () => {
    const address = { id: '2001:db8:1:2::/64', plan: { perMinute: 1, perDay: null }, isAddress: true };
    for (let count = 0; count < 1 + 20; count++) await store.consume(address, clock.now());
    const bans = await reader.bans();
    expect([...bans.keys()].sort()).toEqual(['2001:db8:1:2::/64', 'key_bert']);
    await store.liftBan(address.id, clock.now());
    expect([...(await reader.bans()).keys()]).toEqual(['key_bert']);
  });

  it('shows zero usage for a key that was never used', async () => {
    expect(await usageOf('key_nobody')).toMatchObject({ minute: null, day: { used: 0 }, ban: null });
  });

  it('throws UsageUnknown when Redis does not respond', async () => {
    const lonely = new RedisUsageReader(await RedisRateLimitStore.at('redis://127.0.0.1:1'), clock);
    await expect(lonely.usageOfAll(['key_anna'])).rejects.toBeInstanceOf(UsageUnknown);
    await expect(lonely.bans()).rejects.toBeInstanceOf(UsageUnknown);
    lonely.onApplicationShutdown();
  });
});
