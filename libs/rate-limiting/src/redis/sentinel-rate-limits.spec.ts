import { FallbackRateLimitStore } from '../stores/fallback-rate-limit.store.js';
import { MemoryRateLimitStore } from '../stores/memory-rate-limit.store.js';
import { aCaller, free } from '../testing/callers.js';
import { describeOnRedis } from '../testing/describe-on-redis.js';
import { until } from '../testing/redis-cluster.js';
import { RedisSentinels } from '../testing/redis-sentinels.js';
import { RedisServer } from '../testing/redis-server.js';
import { RedisRateLimitStore } from './redis-rate-limit.store.js';

describeOnRedis('FallbackRateLimitStore on the primary that Sentinels know', () => {
  let sentinels: RedisSentinels;
  let store: FallbackRateLimitStore;

  beforeAll(async () => {
    sentinels = await RedisSentinels.start();
    const local = new MemoryRateLimitStore();
    const remote = await RedisRateLimitStore.at(sentinels.url, { mirror: local });
    // Long, so that a busy machine does not pass for a lost primary.
    store = new FallbackRateLimitStore(remote, local, { timeoutMs: 500, probeEveryMs: 50 });
    await store.start();
  });
  afterAll(async () => {
    await store?.close();
    await sentinels?.stop();
  });

  const untilRestored = () => until(() => Promise.resolve(!store.degraded));

  it('counts on the primary, as one store', async () => {
    expect(store.degraded).toBe(false);
    expect(store.nodes.size).toBe(0);
    await aCaller(store).consumeTimes(10, Date.now());
    const primary = await sentinels.primary();
    expect(await primary.call('HGET', 'rl:{key-7}', '60')).toBe('10');
  });

  it('leaves a primary that Sentinels have replaced, although that still responds', async () => {
    const { consume } = aCaller(store, free, 'replaced');
    const former = await sentinels.primary();
    await sentinels.failOver();
    const primary = await sentinels.untilReplaced(former);
    await until(async () => {
      await consume(Date.now());
      return Number(await primary.call('HGET', 'rl:{replaced}', '60')) > 0;
    });
    await untilRestored();
  });

  it('limits locally when the primary is killed, and continues from the counts of the replica that takes over', async () => {
    const { consume, consumeTimes } = aCaller(store, free, 'killed');
    await consumeTimes(10, Date.now());
    const former = await sentinels.primary();
    const replica = sentinels.servers.find((server) => server !== former)!;
    await until(async () => (await replica.call('HGET', 'rl:{killed}', '60')) === '10');
    await former.kill();
    expect(await consume(Date.now())).toMatchObject({ minute: 49 });
    expect(store.degraded).toBe(true);

    await sentinels.untilReplaced(former);
    await untilRestored();
    expect(await consume(Date.now())).toMatchObject({ minute: 49 });
  });
});

describeOnRedis('RedisRateLimitStore at a server of another kind than its URL says', () => {
  it.each([
    ['redis://', 'cluster', '', 'a node of a Redis Cluster', 'redis+cluster'],
    ['redis://', 'sentinel', '', 'a Redis Sentinel', 'redis+sentinel'],
    ['redis+cluster://', 'standalone', '', 'a single Redis server', 'redis'],
    ['redis+cluster://', 'sentinel', '', 'a Redis Sentinel', 'redis+sentinel'],
    ['redis+sentinel://', 'standalone', '/store', 'a single Redis server', 'redis'],
  ] as const)('says with %s of a %s how the URL begins', async (scheme, kind, path, name, right) => {
    const server = await RedisServer.start(kind);
    const store = await RedisRateLimitStore.at(`${scheme}${server.name}${path}`);
    await expect(store.probe(1_000)).rejects.toMatchObject({
      name: 'UnusableStore',
      message: `The store is ${name}, so its URL must begin with ${right}:.`,
    });
    store.close();
    await server.stop();
  });
});
