import { perDay, perMinute, RedisRateLimitStore, type RateSubject } from '@animal-store/rate-limiting';
import { describeOnRedis, RedisServer } from '@animal-store/rate-limiting/testing';
import { SystemClock } from '@animal-store/kernel';
import { UsageUnavailable } from '../../domain/api-key.errors.js';
import { RedisUsageReader } from './redis-usage.reader.js';

const HOUR_MS = 3_600_000;
const clock = new SystemClock();
const plan = [perMinute(60), perDay(1_000)];

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

  async function ban(subject: RateSubject, requests: number): Promise<void> {
    for (let count = 0; count < requests; count++) await store.consume(subject, clock.now());
  }

  const usageOf = async (id: string) => (await reader.usageOfAll([id])).get(id)!;

  it('shows the requests of a key that any replica has counted', async () => {
    for (let count = 0; count < 3; count++) await store.consume({ id: 'key_anna', plan }, clock.now());
    const { minute, day, ban } = await usageOf('key_anna');
    expect([minute?.used, day.used, ban]).toEqual([3, 3, null]);
    expect(minute!.resetsAtMs - clock.now()).toBeGreaterThan(50_000);
    expect(day.resetsAtMs % (24 * HOUR_MS)).toBe(0);
  });

  it('shows the ban of a key and when it began', async () => {
    await ban({ id: 'key_bert', plan }, 60 + 30);
    const shown = (await usageOf('key_bert')).ban!;
    expect(shown.untilMs - shown.sinceMs).toBe(60_000);
  });

  it('lists the bans in force of keys and of addresses', async () => {
    const address = { id: '2001:db8:1:2::/64', plan: [perMinute(1)], isAddress: true };
    await ban({ id: 'key_carl', plan }, 60 + 30);
    await ban(address, 1 + 20);
    const banned = async () => [...(await reader.bans()).keys()];
    expect(await banned()).toEqual(expect.arrayContaining([address.id, 'key_carl']));
    await store.liftBan(address.id, clock.now());
    expect(await banned()).not.toContain(address.id);
    expect(await banned()).toContain('key_carl');
  });

  it('throws UsageUnavailable when Redis does not respond', async () => {
    const lonely = new RedisUsageReader(await RedisRateLimitStore.at('redis://127.0.0.1:1'), clock);
    await expect(lonely.usageOfAll(['key_anna'])).rejects.toBeInstanceOf(UsageUnavailable);
    await expect(lonely.bans()).rejects.toBeInstanceOf(UsageUnavailable);
    lonely.onApplicationShutdown();
  });
});
