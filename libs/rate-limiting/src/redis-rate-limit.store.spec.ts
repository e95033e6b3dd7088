import { Redis } from 'ioredis';
import { describeRateLimitStore } from '../testing/rate-limit-store.contract.js';
import { hasRedisServer, RedisServer } from '../testing/redis-server.js';
import { traffic } from '../testing/traffic.js';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { RedisRateLimitStore, type RedisRateLimitStoreOptions } from './redis-rate-limit.store.js';

const NOON = Date.UTC(2030, 2, 1, 12);
const DAY = 86_400_000;
const HOUR = 3_600_000;
const free = { perMinute: 60, perDay: 1_000 };

const title = 'RedisRateLimitStore';
if (hasRedisServer()) describe(title, describeWithRedis);
else
  describe.skip(
    `${title}: skipped, as this system has no redis-server (Debian: apt-get install redis-server)`,
    describeWithRedis,
  );

function describeWithRedis(): void {
  let server: RedisServer;
  let client: Redis;
  let stores: RedisRateLimitStore[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    client = new Redis(server.url);
  });
  afterEach(async () => {
    await client.flushall();
  });
  afterAll(async () => {
    for (const store of stores) store.close();
    client.disconnect();
    await server.stop();
  });

  let prefixes = 0;
  /** A new store on the shared connection. */
  function makeStore(options: RedisRateLimitStoreOptions = {}): RedisRateLimitStore {
    return new RedisRateLimitStore(client, { time: 'caller', keyPrefix: `rl${prefixes++}:`, ...options });
  }

  async function connectedStore(options: RedisRateLimitStoreOptions = {}): Promise<RedisRateLimitStore> {
    const store = await RedisRateLimitStore.at(server.url, options);
    stores = [...stores, store];
    await store.probe(5_000);
    return store;
  }

  describeRateLimitStore('RedisRateLimitStore', (bans, monotonicMs) => makeStore({ bans, monotonicMs }), {
    traffic,
    runs: 40,
  });

  it('calls Redis once for each request, whatever the decision', async () => {
    const store = await connectedStore();
    await store.consume({ id: 'key-3', plan: free }, NOON);
    await client.config('RESETSTAT');

    const requests = Array.from({ length: 70 }, () => store.consume({ id: 'key-3', plan: free }, NOON));
    expect((await Promise.all(requests)).filter(({ allowed }) => allowed)).toHaveLength(59);

    const calls = [...(await client.info('commandstats')).matchAll(/^cmdstat_(\S+):calls=(\d+)/gm)]
      .map(([, command, count]) => `${command} ${count}`)
      // Leaves out the commands of the script itself and of this test.
      .filter((line) => /^(eval|script|multi|exec)/.test(line));
    expect(calls).toEqual(['evalsha 70']);
  });

  it('lets replicas with skewed clocks share one count by the clock of Redis', async () => {
    const one = await connectedStore();
    const other = await connectedStore();
    await one.consume({ id: 'key-7', plan: free }, NOON);
    const decision = await other.consume({ id: 'key-7', plan: free }, NOON + 5 * HOUR);
    expect(decision).toMatchObject({ minuteRemaining: 58, dayRemaining: 998 });
    const [serverSeconds = 0] = (await client.time()).map(Number);
    expect(decision.resetAtSeconds - serverSeconds).toBeGreaterThanOrEqual(59);
    expect(decision.resetAtSeconds - serverSeconds).toBeLessThanOrEqual(61);
  });

  it('lets through exactly the limit of many requests at once to several replicas', async () => {
    const replicas = [await connectedStore(), await connectedStore(), await connectedStore()];
    const requests = Array.from({ length: 150 }, (_, i) =>
      replicas[i % 3]!.consume({ id: 'key-7', plan: free }, NOON),
    );
    const decisions = await Promise.all(requests);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(60);
  });

  describe('when the clock of Redis is set', () => {
    const plan = { perMinute: 2, perDay: 5 };
    let passedMs: number;

    beforeEach(() => (passedMs = 0));

    function replica(): RedisRateLimitStore {
      return makeStore({ keyPrefix: 'shop:', monotonicMs: () => passedMs });
    }

    it('running and newly started replicas still count together until the clock is right again', async () => {
      const [one, other] = [replica(), replica()];
      const ask = (store: RedisRateLimitStore, clockMs: number) =>
        store.consume({ id: 'key-7', plan }, clockMs);
      await ask(one, NOON);
      await ask(other, NOON);
      passedMs = 10_000;
      const wrong = NOON - 3 * DAY;
      expect(await ask(one, wrong)).toMatchObject({ allowed: false, retryAfterSeconds: 50, dayRemaining: 3 });

      const late = replica();
      for (const store of [late, other, one, late]) {
        expect(await ask(store, wrong)).toMatchObject({ allowed: false, retryAfterSeconds: 50 });
      }
      for (const store of [other, late, one]) {
        expect(await ask(store, NOON + passedMs)).toMatchObject({ allowed: false, retryAfterSeconds: 50 });
      }
      expect(await client.keys('*')).toEqual(['shop:{key-7}']);
      passedMs = 60_000;
      expect(await ask(late, NOON + passedMs)).toMatchObject({ allowed: true, dayRemaining: 2 });
    });

    it('the new clock counts after a day without replicas', async () => {
      await replica().consume({ id: 'key-7', plan }, NOON);
      const store = replica();
      await store.consume({ id: 'key-8', plan }, NOON);
      await store.consume({ id: 'key-7', plan }, NOON - HOUR);
      expect(await client.pttl('shop:ahead')).toBeCloseTo(DAY, -4);
    });
  });

  it('stores everything about a subject in one key with a hash tag', async () => {
    const store = makeStore({ keyPrefix: 'shop:' });
    for (let i = 0; i < 60 + 30; i++) await store.consume({ id: 'key-7', plan: free }, NOON);
    expect(await client.keys('*')).toEqual(['shop:{key-7}']);
  });

  it('lets a counter expire an hour after its day', async () => {
    const store = makeStore({ keyPrefix: 'shop:' });
    await store.consume({ id: 'key-7', plan: free }, NOON);
    expect(await client.pttl('shop:{key-7}')).toBeCloseTo(13 * HOUR, -4);
  });

  it('lets the counter of an address expire after a minute, and with its ban after a day', async () => {
    const store = makeStore({ keyPrefix: 'shop:' });
    const address = { perMinute: 60, perDay: null };
    await store.consume({ id: '203.0.113.7', plan: address }, NOON);
    expect(await client.pttl('shop:{203.0.113.7}')).toBeCloseTo(60_000, -4);
    for (let i = 0; i < 59 + 30; i++) await store.consume({ id: '203.0.113.7', plan: address }, NOON);
    expect(await client.pttl('shop:{203.0.113.7}')).toBeCloseTo(DAY, -4);
  });

  it('continues after the scripts were flushed', async () => {
    const store = makeStore();
    await store.consume({ id: 'key-7', plan: free }, NOON);
    await client.script('FLUSH');
    expect(await store.consume({ id: 'key-7', plan: free }, NOON)).toMatchObject({ minuteRemaining: 58 });
  });

  it('passes its counts to its mirror', async () => {
    const mirror = new MemoryRateLimitStore();
    const store = makeStore({ mirror });
    for (let i = 0; i < 60 + 30; i++) await store.consume({ id: 'key-7', plan: free }, NOON);
    expect(mirror.usage('key-7', NOON)).toEqual({
      minuteUsed: 60,
      minuteEndsAtMs: NOON + 60_000,
      dayUsed: 60,
      bannedSinceMs: NOON,
      bannedUntilMs: NOON + 60_000,
    });
  });

  it('rejects at once while there is no connection', async () => {
    const store = await RedisRateLimitStore.at('redis://127.0.0.1:1');
    await expect(store.consume({ id: 'key-7', plan: free }, NOON)).rejects.toThrow();
    store.close();
  });
}
