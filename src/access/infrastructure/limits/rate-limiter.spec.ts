import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { perMinute } from '@animal-store/rate-limiting';
import { describeOnRedis, RedisCluster, RedisServer } from '@animal-store/rate-limiting/testing';
import { SystemClock } from '@animal-store/kernel';
import { loadSettings } from '../../../settings/settings.js';
import { openRateLimiter, type RateLimiter } from './rate-limiter.js';
import type { TypeOrmCounterStore } from './typeorm-counter.store.js';

describeOnRedis('A rate limiter in Redis', () => {
  const clock = new SystemClock();
  let server: RedisServer;
  let operator: Redis;
  let limiter: RateLimiter | undefined;
  let warnings: string[];

  beforeEach(async () => {
    warnings = [];
    Logger.overrideLogger({ log: () => {}, error: () => {}, warn: (text: string) => warnings.push(text) });
    server = await RedisServer.start();
    // Lazy, because most tests need no connection.
    operator = new Redis(server.url, { lazyConnect: true });
  });

  afterEach(async () => {
    await limiter?.beforeApplicationShutdown();
    limiter = undefined;
    operator.disconnect();
    await server.stop();
    Logger.overrideLogger(false);
  });

  /** Only counters in memory are saved in the database. */
  const notUsed = null as unknown as TypeOrmCounterStore;

  const openAt = (url: string, timeoutMs = 50) =>
    openRateLimiter(loadSettings({ REDIS_URL: url, REDIS_TIMEOUT_MS: `${timeoutMs}` }), notUsed, clock);

  // What else a server may be is in the suite of the package.
  it('are not opened in a cluster by the URL of one server', async () => {
    await server.stop();
    server = await RedisServer.start('cluster');
    await expect(openAt(server.url)).rejects.toMatchObject({
      name: 'InvalidSettings',
      message:
        'REDIS_URL must begin with redis+cluster: or rediss+cluster:, as it names a node of a Redis Cluster.',
    });
  });

  it('in a Redis Cluster names the node that is lost, and what to do when all others refuse with it', async () => {
    const cluster = await RedisCluster.start();
    try {
      limiter = await openAt(cluster.url, 500);
      expect(await limiter.redisState()).toBe('up');
      expect([...limiter.redisNodes()]).toHaveLength(3);
      const [victim, other, third] = cluster.servers;
      for (const node of [other!, third!])
        await node.call('CONFIG', 'SET', 'cluster-require-full-coverage', 'yes');
      await victim!.kill();
      const endMs = performance.now() + 20_000;
      while ((await limiter.redisState()) === 'up' && performance.now() < endMs) await setTimeout(20);
      expect(limiter.redisNodes().get(victim!.name)).toBe(false);
      expect(limiter.redisNodes().get(other!.name)).toBe(true);
      expect(warnings).toEqual([
        expect.stringMatching(
          `^Redis ${victim!.name} cannot be reached: .*\\. Callers of this node are limited by local counts\\.$`,
        ),
      ]);
      while (warnings.length < 3 && performance.now() < endMs) {
        await limiter.redisState();
        await setTimeout(20);
      }
      expect(warnings).toContain(
        `Redis ${other!.name} refuses to count: CLUSTERDOWN The cluster is down. Callers of this node are limited by local counts. ` +
          'Set cluster-require-full-coverage no, so that other nodes continue counting.',
      );
    } finally {
      await cluster.stop();
    }
  });

  it('says that Sentinels do not know the primary', async () => {
    await server.stop();
    server = await RedisServer.start('sentinel');
    limiter = await openAt(`redis+sentinel://${server.name}/zoo`);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Redis cannot be reached: .*No such master with that name\. Limiting by local counts\. Correct the name of the primary in REDIS_URL and restart\.$/,
      ),
    ]);
  });

  it('is degraded on a read-only replica, and not any more when it is the primary', async () => {
    // A primary that nobody can reach.
    await operator.replicaof('127.0.0.1', 1);
    limiter = await openAt(server.url);
    expect(await limiter.redisState()).toBe('degraded');

    await operator.replicaof('NO', 'ONE');
    while ((await limiter.redisState()) !== 'up') await new Promise(setImmediate);
  });

  it.each([
    ['no password', '', 'NOAUTH Authentication required.'],
    ['a wrong password', 'nobody:wrong@', 'WRONGPASS invalid username-password pair or user is disabled.'],
    ['a user who may not count', 'reader:secret@', 'NOPERM '],
  ])('says with %s what Redis said and what to do', async (_, credentials, said) => {
    await operator.acl('SETUSER', 'reader', 'on', '>secret', '~*', '+@read', '+info');
    await operator.config('SET', 'requirepass', 'hunter2');
    limiter = await openAt(server.url.replace('//', `//${credentials}`));
    expect(await limiter.redisState()).toBe('degraded');
    expect(warnings).toEqual([
      expect.stringMatching(/^Redis refuses to count: .* Limiting by local counts\. .*REDIS_URL/),
    ]);
    expect(warnings[0]).toContain(said);
  });

  it('says what Redis said when it wants a password only later', async () => {
    limiter = await openAt(server.url);
    await operator.config('SET', 'requirepass', 'hunter2');
    await operator.call('CLIENT', 'KILL', 'TYPE', 'normal');
    await limiter.store.consume({ id: 'key_anna', plan: [perMinute(60)] }, clock.now());
    const endMs = performance.now() + 10_000;
    while (!warnings.some((text) => text.includes('NOAUTH')) && performance.now() < endMs)
      await setTimeout(20);
    expect(warnings.at(-1)).toBe(
      'Redis refuses to count: NOAUTH Authentication required. Limiting by local counts. ' +
        'It needs a password: put it into REDIS_URL and restart.',
    );
  });

  it('notices without a request that the password was changed', async () => {
    const url = server.url.replace('//', '//:hunter2@');
    await operator.config('SET', 'requirepass', 'hunter2');
    limiter = await openAt(url);
    expect(await limiter.redisState()).toBe('up');
    await operator.config('SET', 'requirepass', 'hunter3');
    await operator.call('CLIENT', 'KILL', 'TYPE', 'normal');
    const endMs = performance.now() + 10_000;
    while (performance.now() < endMs && !warnings.some((text) => text.includes('WRONGPASS'))) {
      await limiter.redisState();
      await setTimeout(20);
    }
    expect(await limiter.redisState()).toBe('degraded');
    expect(warnings.at(-1)).toBe(
      'Redis refuses to count: WRONGPASS invalid username-password pair or user is disabled. Limiting by local counts. ' +
        'Correct the user and the password in REDIS_URL and restart.',
    );
  });

  it('says which subject Redis does not count, and limits that one by local counts', async () => {
    await operator.set('rl:{key_anna}', 'Rex');
    limiter = await openAt(server.url);
    const plan = [perMinute(60)];
    await limiter.store.consume({ id: 'key_anna', plan }, clock.now());
    await limiter.store.consume({ id: 'key_bert', plan }, clock.now());
    while (warnings.length === 0) await new Promise(setImmediate);
    expect(await limiter.redisState()).toBe('up');
    expect(warnings).toEqual([
      'Redis counts others, but not key_anna, which is limited by local counts. Delete its key, which has another Redis type: rl:{key_anna}',
    ]);
    expect(await operator.exists('rl:{key_bert}')).toBe(1);
  });

  describe('says why Redis is unavailable', () => {
    const consume = ({ store }: RateLimiter) =>
      store.consume({ id: 'key_anna', plan: [perMinute(60)] }, clock.now());

    it.each(['127.0.0.1', 'localhost'])('at the start: %s refuses connections', async (host) => {
      await server.stop();
      limiter = await openAt(server.url.replace('127.0.0.1', host));
      expect(await limiter.redisState()).toBe('degraded');
      expect(warnings).toEqual([
        expect.stringMatching(/^Redis cannot be reached: .*ECONNREFUSED.*\. Limiting by local counts\.$/),
      ]);
    });

    it.each([
      ['during a request', async () => {}],
      ['before a request', () => setTimeout(200)],
    ])('%s: it was stopped', async (_, pass) => {
      limiter = await openAt(server.url, 10_000);
      await consume(limiter);
      const stopped = server.stop();
      await pass();
      while ((await limiter.redisState()) === 'up') await consume(limiter);
      await stopped;
      // Which one it is depends on what the system has noticed by then.
      expect(warnings).toEqual([
        expect.stringMatching(/^Redis cannot be reached: (The connection is closed|.*(ECONN|EPIPE))/),
      ]);
    });

    it('it hangs', async () => {
      limiter = await openAt(server.url);
      server.pause();
      await consume(limiter);
      server.resume();
      expect(warnings).toEqual(['Redis does not respond in time. Limiting by local counts.']);
    });
  });
});
