/** The cost of a decision here and elsewhere, whether limits hold under concurrency, and what happens without Redis. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { type ThrottlerStorage, ThrottlerStorageService } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import * as library from '@animal-store/rate-limiting';
import { RedisServer } from '../libs/rate-limiting/src/testing/redis-server.js';
import { median } from './measure.js';
import { databaseCpuMs } from './servers.js';

/** Whether a request is allowed by a minute and a day. */
type Allows = (id: string) => boolean | Promise<boolean>;
/** With a limit a minute. */
type Limiter = (perMinute: number) => Allows | Promise<Allows>;
type Limiters = Readonly<Record<string, Limiter>>;

const CALLERS = 1_000;
const CONCURRENT = 64;
const ROUNDS = 5;
const ENDLESS = 1e9;

const ours =
  (store: library.RateLimitStore, others: library.RatePlan = [], isAlone = false): Limiter =>
  (perMinute) => {
    const plan = isAlone ? others : [library.perMinute(perMinute), library.perDay(ENDLESS), ...others];
    return (id) => {
      const decided = store.consume({ id, plan }, Date.now());
      return decided instanceof Promise ? decided.then(({ allowed }) => allowed) : decided.allowed;
    };
  };

const HOUR = { name: 'hour', limit: ENDLESS, seconds: 3_600 };
const LIST: library.RatePlan = [
  HOUR,
  { name: 'burst', limit: ENDLESS, seconds: 10 },
  { name: 'today', limit: ENDLESS, seconds: 'day' },
];

/** As ThrottlerGuard does it: one window after the other. */
const throttler =
  (storage: ThrottlerStorage): Limiter =>
  (perMinute) =>
  async (id) => {
    const minute = await storage.increment(`${id}-minute`, 60_000, perMinute, 60_000, 'minute');
    if (minute.isBlocked) return false;
    return !(await storage.increment(`${id}-day`, 86_400_000, ENDLESS, 86_400_000, 'day')).isBlocked;
  };

type Options = { points: number; duration: number; keyPrefix: string };
const flexible =
  (make: (options: Options) => RateLimiterAbstract): Limiter =>
  (perMinute) => {
    const minute = make({ points: perMinute, duration: 60, keyPrefix: `minute-${perMinute}` });
    const day = make({ points: ENDLESS, duration: 86_400, keyPrefix: `day-${perMinute}` });
    return async (id) => {
      try {
        await minute.consume(id);
        await day.consume(id);
        return true;
      } catch (refusal) {
        if (refusal instanceof Error) throw refusal;
        return false;
      }
    };
  };

/** Rounds by turns, so that a busy machine is as busy for each. */
async function showCosts(where: string, limiters: Limiters, requests: number): Promise<void> {
  const figures = new Map(Object.keys(limiters).map((name) => [name, { own: [] as number[], redisMs: 0 }]));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, limiter] of Object.entries(limiters)) {
      const allows = await limiter(ENDLESS);
      const before = process.cpuUsage();
      const redisBeforeMs = databaseCpuMs('redis-server');
      let next = 0;
      const worker = async () => {
        while (next < requests) {
          const allowed = allows(`caller-${next++ % CALLERS}`);
          if (allowed instanceof Promise) await allowed;
        }
      };
      await Promise.all(Array.from({ length: CONCURRENT }, worker));
      const { user, system } = process.cpuUsage(before);
      if (round === 0) continue;
      const figure = figures.get(name)!;
      figure.own.push((user + system) / requests);
      figure.redisMs += databaseCpuMs('redis-server') - redisBeforeMs;
    }
  }
  console.log(`In ${where}, two windows by default: CPU µs a request of this process, and of Redis`);
  const rows = [...figures].map(([name, { own, redisMs }]) => {
    const redisUs = ((redisMs * 1_000) / requests / ROUNDS).toFixed(1);
    return [name, { own: median(own)!.toFixed(2), redis: redisUs }];
  });
  console.table(Object.fromEntries(rows));
}

async function withoutRedis(allows: Allows): Promise<Record<string, number>> {
  const outcome: Record<string, number> = { allowed: 0, refused: 0, failed: 0, waiting: 0 };
  for (let i = 0; i < 50 && outcome['waiting'] === 0; i++) {
    const decided = (async () => ((await allows('outage')) ? 'allowed' : 'refused'))();
    outcome[await Promise.race([decided.catch(() => 'failed'), delay(1_000, 'waiting')])]!++;
  }
  return outcome;
}

export async function main(): Promise<void> {
  const server = await RedisServer.start();
  const client = async (enableOfflineQueue = true) => {
    const redis = new Redis(server.port, '127.0.0.1', { enableAutoPipelining: true, enableOfflineQueue });
    redis.on('error', () => undefined);
    await once(redis, 'ready');
    return redis;
  };
  const inRedis = async (): Promise<Limiters> => {
    const local = new library.MemoryRateLimitStore();
    const remote = await library.RedisRateLimitStore.at(server.url, { mirror: local });
    // Else a machine that is busy with measuring would measure the local store.
    const store = new library.FallbackRateLimitStore(remote, local, { timeoutMs: 5_000 });
    await store.start();
    // As its documentation recommends.
    const storeClient = await client(false);
    return {
      'this library': ours(store),
      '@nest-lab/throttler-storage-redis': throttler(new ThrottlerStorageRedisService(await client())),
      'rate-limiter-flexible': flexible((options) => new RateLimiterRedis({ ...options, storeClient })),
      'rate-limiter-flexible, insured': flexible((options) => {
        const keyPrefix = `insured-${options.keyPrefix}`;
        const insuranceLimiter = new RateLimiterMemory(options);
        return new RateLimiterRedis({ ...options, keyPrefix, storeClient, insuranceLimiter });
      }),
    };
  };
  const [one, other] = [await inRedis(), await inRedis()];
  const inMemory = {
    'this library': ours(new library.MemoryRateLimitStore()),
    'this library, with an hour as well': ours(new library.MemoryRateLimitStore(), [HOUR]),
    'this library, three other windows instead': ours(new library.MemoryRateLimitStore(), LIST, true),
    '@nestjs/throttler': throttler(new ThrottlerStorageService()),
    'rate-limiter-flexible': flexible((options) => new RateLimiterMemory(options)),
  };
  await showCosts('memory', inMemory, 20_000);
  await showCosts('Redis', one, 5_000);

  console.log('300 requests at once through two clients, limit 100: how many are allowed');
  const exact: Record<string, number> = {};
  for (const name of Object.keys(one)) {
    const clients = [await one[name]!(100), await other[name]!(100)];
    const requests = Array.from({ length: 300 }, async (_, index) => clients[index % 2]!('everybody'));
    exact[name] = (await Promise.all(requests)).filter(Boolean).length;
  }
  console.table(exact);

  await server.stop();
  await delay(100);
  console.log('50 requests, one after the other, limit 10, after Redis was killed');
  const outage: Record<string, unknown> = {};
  for (const [name, limiter] of Object.entries(one)) outage[name] = await withoutRedis(await limiter(10));
  console.table(outage);
}
