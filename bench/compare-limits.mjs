/**
 * What one decision costs here and elsewhere, whether limits hold under concurrency, and what happens without Redis. After
 * `npm run build` and `npm ci --prefix bench`, with redis-server installed:
 *
 *   node bench/compare-limits.mjs
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { ThrottlerStorageService } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import {
  FallbackRateLimitStore,
  MemoryRateLimitStore,
  RedisRateLimitStore,
} from '@animal-store/rate-limiting';

const CALLERS = 1_000;
const CONCURRENT = 64;
const ROUNDS = 5;
const MINUTE = 60_000;
const DAY = 86_400_000;

/** Two windows a request everywhere, as that is what is compared: a minute and a day. */
const WINDOWS = [
  ['minute', MINUTE],
  ['day', DAY],
];

function ours(store) {
  return (id, perMinute) => {
    const decided = store.consume({ id, plan: { perMinute, perDay: 1e9 } }, Date.now());
    return decided instanceof Promise ? decided.then(({ allowed }) => allowed) : decided.allowed;
  };
}

/** As ThrottlerGuard does it: one window after the other. */
function throttler(storage) {
  return async (id, perMinute) => {
    for (const [name, ms] of WINDOWS) {
      const limit = name === 'minute' ? perMinute : 1e9;
      const { isBlocked } = await storage.increment(`${id}-${name}`, ms, limit, ms, name);
      if (isBlocked) return false;
    }
    return true;
  };
}

function flexible(make) {
  const limiters = new Map();
  return async (id, perMinute) => {
    if (!limiters.has(perMinute)) {
      limiters.set(perMinute, [make('minute', perMinute, 60), make('day', 1e9, 86_400)]);
    }
    try {
      for (const limiter of limiters.get(perMinute)) await limiter.consume(id);
      return true;
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      return false;
    }
  };
}

/** @param redisMicroseconds the CPU time of Redis so far */
async function cpuMicroseconds(allows, requests, redisMicroseconds) {
  const redisBefore = await redisMicroseconds();
  const before = process.cpuUsage();
  let next = 0;
  const worker = async () => {
    while (next < requests) {
      const allowed = allows(`caller-${next++ % CALLERS}`, 1e9);
      if (allowed instanceof Promise) await allowed;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  const { user, system } = process.cpuUsage(before);
  const redis = (await redisMicroseconds()) - redisBefore;
  return { client: (user + system) / requests, redis: redis / requests };
}

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];

/** Rounds by turns, so that a busy machine is as busy for each. */
async function costs(limiters, requests, redisMicroseconds = () => 0) {
  const figures = new Map(limiters.map(([name]) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, allows] of limiters) {
      const cost = await cpuMicroseconds(allows, requests, redisMicroseconds);
      // The first round warms up.
      if (round > 0) figures.get(name).push(cost);
    }
  }
  return figures;
}

/** Of 300 requests at once, through two clients: how many of a limit of 100 are allowed. */
async function allowedOfHundred(one, other) {
  const asked = Array.from({ length: 300 }, (_, i) => (i % 2 ? one : other)('everybody', 100));
  return (await Promise.all(asked)).filter(Boolean).length;
}

/** What 50 requests against a limit of 10 get while Redis is stopped, and how long the slowest waits. */
async function withoutRedis(allows) {
  const outcome = { allowed: 0, refused: 0, failed: 0, waiting: 0, 'slowest ms': 0 };
  for (let i = 0; i < 50; i++) {
    const startedMs = performance.now();
    const waited = delay(1_000, 'waiting', { ref: false });
    const decided = (async () => ((await allows('outage', 10)) ? 'allowed' : 'refused'))().catch(
      () => 'failed',
    );
    const got = await Promise.race([decided, waited]);
    outcome[got]++;
    outcome['slowest ms'] = Math.max(outcome['slowest ms'], Math.round(performance.now() - startedMs));
    if (got === 'waiting') break;
  }
  return outcome;
}

async function startRedis() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', words, { stdio: 'ignore' });
  await delay(500);
  return { server, port };
}

const { server, port } = await startRedis();
const clients = [];
async function client(options = {}) {
  const redis = new Redis(port, '127.0.0.1', { enableAutoPipelining: true, ...options });
  redis.on('error', () => {});
  await once(redis, 'ready');
  clients.push(redis);
  return redis;
}
const stores = [];
async function ourRedis() {
  const local = new MemoryRateLimitStore();
  const remote = await RedisRateLimitStore.at(`redis://127.0.0.1:${port}`, { mirror: local });
  // Else a machine that is busy with measuring would measure the local store.
  const store = new FallbackRateLimitStore(remote, local, { timeoutMs: 5_000 });
  await store.start();
  stores.push(store);
  return ours(store);
}
async function flexibleRedis(insurance) {
  // As its documentation recommends.
  const storeClient = await client({ enableOfflineQueue: false });
  return flexible((name, points, duration) => {
    const options = { points, duration, keyPrefix: `${insurance}-${name}-${points}` };
    const insuranceLimiter = insurance ? new RateLimiterMemory(options) : undefined;
    return new RateLimiterRedis({ ...options, storeClient, insuranceLimiter });
  });
}

const memory = await costs(
  [
    ['this library', ours(new MemoryRateLimitStore())],
    ['@nestjs/throttler', throttler(new ThrottlerStorageService())],
    [
      'rate-limiter-flexible',
      flexible((name, points, duration) => new RateLimiterMemory({ points, duration, keyPrefix: name })),
    ],
  ],
  20_000,
);
const inRedis = [
  ['this library', await ourRedis(), await ourRedis()],
  [
    '@nest-lab/throttler-storage-redis',
    throttler(new ThrottlerStorageRedisService(await client())),
    throttler(new ThrottlerStorageRedisService(await client())),
  ],
  ['rate-limiter-flexible', await flexibleRedis(false), await flexibleRedis(false)],
  ['rate-limiter-flexible, insured', await flexibleRedis(true), await flexibleRedis(true)],
];
const observer = await client();
async function redisMicroseconds() {
  const usage = await observer.info('cpu');
  const [user, system] = ['user', 'sys'].map(
    (kind) => new RegExp(`^used_cpu_${kind}:([0-9.]+)`, 'm').exec(usage)[1],
  );
  return (Number(user) + Number(system)) * 1e6;
}
const redis = await costs(inRedis.slice(0, 3), 5_000, redisMicroseconds);

const row = (process, name, figures) => {
  const values = figures.map((cost) => cost[process]);
  return [
    name,
    {
      'CPU µs a request': median(values).toFixed(1),
      least: Math.min(...values).toFixed(1),
      most: Math.max(...values).toFixed(1),
    },
  ];
};
function print(title, process, figures) {
  console.log(title);
  console.table(Object.fromEntries([...figures].map(([name, values]) => row(process, name, values))));
}
print('In memory, two windows', 'client', memory);
print('In Redis, two windows: CPU of the client process', 'client', redis);
print('In Redis, two windows: CPU of Redis', 'redis', redis);

console.log('300 requests at once through two clients, limit 100');
const exact = {};
for (const [name, one, other] of inRedis) exact[name] = { allowed: await allowedOfHundred(one, other) };
console.table(exact);

server.kill('SIGKILL');
await once(server, 'exit');
await delay(100);
console.log('50 requests, one after the other, limit 10, after Redis was killed');
const outage = {};
for (const [name, one] of inRedis) outage[name] = await withoutRedis(one);
console.table(outage);

for (const redisClient of clients) redisClient.disconnect();
for (const store of stores) await store.close();
process.exit();
