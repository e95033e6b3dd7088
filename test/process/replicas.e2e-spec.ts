import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { hasRedisServer, RedisServer } from '@animal-store/rate-limiting/testing';
import { hasPostgres, PostgresServer } from '@animal-store/database/testing';
import { freePort } from '@animal-store/kernel/testing';
import { insertKey } from '../support/insert-key.js';
import { keysCommand } from '../support/keys-command.js';
import { ServerProcess, within } from '../support/server-process.js';

const NO_WAIT_MS = 1_000;
/** The rest of a caller after a response. Callers without any would only take the cores from the replicas. */
const CALL_EVERY_MS = 20;
const GIVEN_BACK_WITHIN_MS = 60_000;
const describeHere = hasPostgres() && hasRedisServer() ? describe : describe.skip;

describeHere('Two replicas on PostgreSQL and Redis', () => {
  let folder: string;
  let postgres: PostgresServer;
  let redis: RedisServer;
  let environment: NodeJS.ProcessEnv;
  let metricsPort: number;
  let replicas: ServerProcess[];
  /** How much each had logged when the test began. */
  let logged: number[];
  /** A key with limits that no test reaches. */
  let key: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'replicas-'));
    [postgres, redis, metricsPort] = await Promise.all([
      PostgresServer.start(),
      RedisServer.start(),
      freePort(),
    ]);
    environment = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      // A machine that also runs other suites may need longer than the default of 50 ms.
      REDIS_TIMEOUT_MS: '250',
      // A write that waits for a lock is given up after this time.
      DATABASE_STATEMENT_TIMEOUT_MS: '1000',
      // So that the limits of an address can be tested with one that no other test has.
      TRUST_PROXY: '1',
      NODE_ENV: 'production',
    };
    // Both start at the same time on an empty database.
    replicas = await Promise.all([
      ServerProcess.start({ folder, environment: { ...environment, METRICS_PORT: String(metricsPort) } }),
      ServerProcess.start({ folder, environment }),
    ]);
    ({ key } = await newKey(1_000_000_000));
  });

  beforeEach(() => {
    logged = replicas.map(({ stdout }) => stdout.length);
  });

  /** What a test that failed has stopped. */
  afterEach(async () => {
    await everyReplicaWithin(5_000, isWhole).catch(async () => {
      await Promise.all([postgres.restart(), redis.restart()]);
      await everyReplicaWithin(GIVEN_BACK_WITHIN_MS, isWhole);
    });
  });

  afterAll(async () => {
    const ended = await Promise.all((replicas ?? []).map((replica) => replica.stop()));
    await Promise.all([postgres?.stop(), redis?.stop()]);
    rmSync(folder, { recursive: true });
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  });

  async function newKey(perMinute: number, account?: string): Promise<{ id: string; key: string }> {
    return onDatabase((client) => insertKey((sql) => client.query(sql), perMinute, account));
  }

  async function onDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client(postgres.url);
    await client.connect();
    return work(client).finally(() => client.end());
  }

  function add(replica: ServerProcess): Promise<Response> {
    return replica.post('/v1/pets', key, '{"name":"Rex","categoryId":9223372036854775807}');
  }

  /** Sends `count` requests at once to both replicas. Returns how often each status came back. */
  async function statuses(key: string, count: number): Promise<Record<number, number>> {
    const tally: Record<number, number> = {};
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const { status } = await replicas[index % 2]!.get('/v1/pets', key);
        tally[status] = (tally[status] ?? 0) + 1;
      }),
    );
    return tally;
  }

  async function readiness(replica: ServerProcess): Promise<unknown> {
    return (await replica.get('/health/ready')).json();
  }

  async function readinessStatus(replica: ServerProcess): Promise<number> {
    return (await replica.get('/health/ready')).status;
  }

  function everyReplica<T>(work: (replica: ServerProcess) => T | Promise<T>): Promise<T[]> {
    return Promise.all(replicas.map(async (replica) => work(replica)));
  }

  async function everyReplicaWithin(limitMs: number, work: (replica: ServerProcess) => Promise<boolean>) {
    await everyReplica((replica) => within(limitMs, () => work(replica)));
  }

  const isWhole = async (replica: ServerProcess) =>
    ((await readiness(replica)) as { status: string }).status === 'ok';
  const isUnready = async (replica: ServerProcess) => (await readinessStatus(replica)) === 503;
  const isDegraded = async (replica: ServerProcess) =>
    ((await readiness(replica)) as { status: string }).status === 'degraded';

  /** What each replica has logged since the test began. */
  const logs = () => replicas.map(({ stdout }, index) => stdout.slice(logged[index]));

  /** Waits for the line, because the service buffers its log for a moment. */
  async function everyReplicaSaysOnce(text: string): Promise<void> {
    await within(5_000, () => logs().every((log) => log.includes(text)));
    expect(logs().map((log) => log.split(text).length - 1)).toEqual([1, 1]);
  }

  /**
   * Sends requests to both replicas while `work` runs.
   * @returns every status, and how much longer a request took at most than one that waits only for a core
   */
  async function underLoad(work: () => Promise<void>) {
    const seen = new Set<number>();
    let longestMs = 0;
    let isOver = false;
    const callers = Array.from({ length: 6 }, async (_, index) => {
      const timed = async (path: string, ...keys: [string?]) => {
        const sentAtMs = performance.now();
        const response = await replicas[index % 2]!.get(path, ...keys);
        await response.arrayBuffer();
        return { status: response.status, tookMs: performance.now() - sentAtMs };
      };
      for (; !isOver; await delay(CALL_EVERY_MS)) {
        const [pets, live] = await Promise.all([timed('/v1/pets', key), timed('/health/live')]);
        seen.add(pets.status);
        longestMs = Math.max(longestMs, pets.tookMs - live.tookMs);
      }
    });
    await work().finally(() => (isOver = true));
    await Promise.all(callers);
    return { statuses: [...seen], longestMs };
  }

  it('refuse a revoked key within 5 s', async () => {
    const revoked = await newKey(1_000);
    expect(await statuses(revoked.key, 10)).toEqual({ 200: 10 });
    await keysCommand(environment, 'revoke', revoked.id);
    await everyReplicaWithin(
      5_000,
      async (replica) => (await replica.get('/v1/pets', revoked.key)).status === 401,
    );
  });

  it('refuse every key of an account within 5 s of its suspension, serve them after it, and end them for ever', async () => {
    const [till, shop] = [await newKey(1_000, 'farm'), await newKey(1_000, 'farm')];
    // Each from another address: one that repeats a refused key is limited, and then gets a 429.
    let sent = 0;
    const keys = (...words: string[]) => keysCommand(environment, ...words, '--account', 'farm');
    const statusOf = async (replica: ServerProcess, text: string) => {
      const from = `192.0.2.${(sent % 200) + 10}`;
      sent += 1;
      return (await replica.get('/v1/pets', text, { 'X-Forwarded-For': from })).status;
    };
    const everywhere = (status: number) =>
      Promise.all(
        [till, shop].map(({ key: text }) =>
          everyReplicaWithin(5_000, async (replica) => (await statusOf(replica, text)) === status),
        ),
      );
    await everywhere(200);
    await keys('suspend');
    await everywhere(401);
    await expect(keys('create', '--name', 'more', '--plan', 'free')).rejects.toThrow('ended with 1');
    await keys('resume');
    await everywhere(200);
    await keys('revoke');
    await everywhere(401);
    await keys('resume');
    expect(await statuses(till.key, 2)).toEqual({ 401: 2 });
  });

  it('give 32 keys of an account exactly one budget', async () => {
    const keys = await Promise.all(Array.from({ length: 32 }, () => newKey(100, 'zoo')));
    // Those that wait longer for Redis than a busy machine needs never limit on their own.
    const patient = { ...environment, REDIS_TIMEOUT_MS: '10000' };
    const others = await Promise.all([0, 1].map(() => ServerProcess.start({ folder, environment: patient })));
    const statuses = await Promise.all(
      Array.from({ length: 140 }, async (_, index) => {
        const response = await others[index % 2]!.get('/v1/pets', keys[(index >> 1) % 32]!.key);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    await Promise.all(others.map((replica) => replica.stop()));

    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    const used = await Promise.all(
      [0, 31].map(
        async (index) => JSON.parse(await keysCommand(environment, 'show', keys[index]!.id)).usage.day.used,
      ),
    );
    expect(used).toEqual([100, 100]);
  });

  it('ban a key together, which `keys show` shows and `keys unban` lifts within 5 s', async () => {
    const { id, key: greedy } = await newKey(10);
    expect(await statuses(greedy, 30)).toEqual({ 200: 10, 429: 20 });
    const banned = await everyReplica(async (replica) => (await replica.get('/v1/pets', greedy)).json());
    expect(banned).toEqual([
      expect.objectContaining({ code: 'api_key_banned' }),
      expect.objectContaining({ code: 'api_key_banned' }),
    ]);
    const shown = JSON.parse(await keysCommand(environment, 'show', id));
    expect(shown).toMatchObject({ usage: { minute: { used: 10 }, day: { used: 10 } } });
    expect(Date.parse(shown.ban.until) - Date.now()).toBeGreaterThan(30_000);

    await keysCommand(environment, 'unban', id);

    await everyReplicaWithin(5_000, async (replica) => {
      const { code } = (await (await replica.get('/v1/pets', greedy)).json()) as { code: string };
      return code === 'rate_limit_exceeded';
    });
  });

  it('ban an address together, which is in the log once and in `keys bans`, and `keys unban` lifts within 5 s', async () => {
    const address = '192.0.2.7';
    const codeOf = async (replica: ServerProcess) => {
      const response = await replica.get('/v1/pets', undefined, { 'X-Forwarded-For': address });
      return ((await response.json()) as { code: string }).code;
    };
    await Promise.all(Array.from({ length: 60 + 30 }, (_, index) => codeOf(replicas[index % 2]!)));
    expect(await everyReplica(codeOf)).toEqual(['api_key_banned', 'api_key_banned']);
    const [ban] = JSON.parse(await keysCommand(environment, 'bans'));
    expect(ban).toMatchObject({ keyId: null, account: null, address });
    await within(5_000, () => logs().some((log) => log.includes(`"address":"${address}"`)));
    expect(logs().join('').split(`"address":"${address}"`)).toHaveLength(2);

    expect(JSON.parse(await keysCommand(environment, 'unban', address))).toEqual({
      address,
      wasBanned: true,
    });

    expect(JSON.parse(await keysCommand(environment, 'bans'))).toEqual([]);
    // Not together: one that refuses the address again while the other has not heard would soon ban it again.
    await everyReplicaWithin(5_000, async (replica) => (await codeOf(replica)) !== 'api_key_banned');
  });

  it('each limit on their own when Redis is killed under load, and together again within 5 s of its return', async () => {
    const { key: limited } = await newKey(30);
    expect(await statuses(limited, 10)).toEqual({ 200: 10 });

    const load = await underLoad(async () => {
      await redis.stop();
      await everyReplicaWithin(5_000, isDegraded);
    });

    expect(load.statuses).toEqual([200]);
    expect(load.longestMs).toBeLessThan(NO_WAIT_MS);
    expect(await everyReplica(readiness)).toMatchObject([
      { status: 'degraded', database: 'up', redis: 'degraded' },
      { status: 'degraded', database: 'up', redis: 'degraded' },
    ]);
    expect(await everyReplica(readinessStatus)).toEqual([200, 200]);
    await everyReplicaSaysOnce(' Limiting by local counts.');
    expect(await metrics()).toContain('animal_store_dependency_up{dependency="redis"} 0');
    // Each replica knows 5 to 10 of the ten requests, so it lets 20 to 25 more through.
    const alone = await statuses(limited, 100);
    expect(alone[200]).toBeGreaterThanOrEqual(40);
    expect(alone[200]).toBeLessThanOrEqual(50);

    await redis.restart();
    await everyReplicaWithin(5_000, isWhole);
    await everyReplicaSaysOnce('Redis responds again. Limiting by shared counts.');
    const { key: shared } = await newKey(20);
    expect(await statuses(shared, 30)).toEqual({ 200: 20, 429: 10 });
  });

  it('each limit on their own while Redis is a read-only replica, and together again within 5 s of its promotion', async () => {
    const operator = new Redis(redis.url);
    const load = await underLoad(async () => {
      // Its primary cannot be reached.
      await operator.replicaof('127.0.0.1', 1);
      await everyReplicaWithin(5_000, isDegraded);
    });

    expect(load.statuses).toEqual([200]);
    expect(await everyReplica(readinessStatus)).toEqual([200, 200]);
    const { key: limited } = await newKey(10);
    expect(await statuses(limited, 30)).toEqual({ 200: 20, 429: 10 });

    await operator.replicaof('NO', 'ONE');
    operator.disconnect();
    await everyReplicaWithin(5_000, isWhole);
    const { key: shared } = await newKey(10);
    expect(await statuses(shared, 20)).toEqual({ 200: 10, 429: 10 });
  });

  it('let no request wait for Redis when it has stopped responding', async () => {
    const load = await underLoad(async () => {
      redis.pause();
      await everyReplicaWithin(5_000, isDegraded);
    });

    expect(load.statuses).toEqual([200]);
    expect(load.longestMs).toBeLessThan(NO_WAIT_MS);
    redis.resume();
    await everyReplicaWithin(5_000, isWhole);
  });

  it('respond with 503 while PostgreSQL is down, and recover without a restart when it is back', async () => {
    const load = await underLoad(async () => {
      await postgres.kill();
      await everyReplicaWithin(5_000, isUnready);
    });

    expect([200, 503]).toEqual(expect.arrayContaining(load.statuses));
    expect(load.longestMs).toBeLessThan(NO_WAIT_MS);
    for (const response of await everyReplica((replica) => replica.get('/v1/pets', key))) {
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(response.headers.get('x-ratelimit-limit')).toBe('1000000000');
      expect(await response.json()).toEqual({
        code: 'service_unavailable',
        message: 'The database of the service cannot be used. Try again shortly.',
        status: 503,
      });
    }
    expect(await everyReplica(async (replica) => (await replica.get('/health/live')).status)).toEqual([
      200, 200,
    ]);
    await everyReplica((replica) => replica.get('/v1/pets', key, { 'X-Request-Id': 'during-the-outage' }));
    await everyReplicaWithin(5_000, async ({ stdout }) =>
      /"level":"error",[^\n]*"requestId":"during-the-outage"/.test(stdout),
    );
    await everyReplicaSaysOnce('"context":"Readiness"');
    await everyReplicaSaysOnce(
      '"Changes of API keys or lifts of bans cannot be applied. Trying again every second."',
    );

    await postgres.start();
    await everyReplicaWithin(3_000, isWhole);
    expect(await statuses(key, 10)).toEqual({ 200: 10 });
  });

  it('continue reading, and stay ready, while animals are locked; writes wait, then are 503', async () => {
    await onDatabase(async (client) => {
      await client.query('BEGIN; LOCK TABLE pets IN SHARE MODE');
      const sentAtMs = performance.now();
      const writes = everyReplica(add);
      expect(await statuses(key, 10)).toEqual({ 200: 10 });
      expect(await everyReplica(readinessStatus)).toEqual([200, 200]);

      expect((await writes).map(({ status }) => status)).toEqual([503, 503]);
      expect(performance.now() - sentAtMs).toBeGreaterThan(900);
      expect(await statuses(key, 10)).toEqual({ 200: 10 });
      expect(await everyReplica(readinessStatus)).toEqual([200, 200]);
    });
    expect((await everyReplica(add)).map(({ status }) => status)).toEqual([201, 201]);
  });

  it('count a key that they have never seen against nobody while PostgreSQL is unavailable', async () => {
    const { key: unseen } = await newKey(1_000);
    await postgres.kill();
    await everyReplicaWithin(5_000, isUnready);
    expect(await statuses(unseen, 200)).toEqual({ 503: 200 });

    await postgres.start();
    await everyReplicaWithin(5_000, isWhole);
    expect(await statuses(unseen, 10)).toEqual({ 200: 10 });
    // The address has not used up its minute either.
    expect((await replicas[0]!.get('/v1/pets')).status).toBe(401);
  });

  it('are not ready, and serve no old rows, while PostgreSQL is a hot standby', async () => {
    const { key: unseen } = await newKey(1_000);
    await postgres.demote();
    await everyReplicaWithin(5_000, isUnready);
    expect(await statuses(key, 10)).toEqual({ 503: 10 });
    expect(await statuses(unseen, 10)).toEqual({ 503: 10 });

    await postgres.promote();
    await everyReplicaWithin(5_000, isWhole);
    expect(await statuses(key, 10)).toEqual({ 200: 10 });
  });

  it('lose no request of a load balancer that polls readiness when one of them is replaced', async () => {
    const settings = { ...environment, SHUTDOWN_DELAY_MS: '1000' };
    const leaving = await ServerProcess.start({ folder, environment: settings });
    const targets = new Set([leaving, replicas[0]!]);
    const seen = new Set<number>();
    let isOver = false;
    const polls = (async () => {
      while (!isOver) {
        const { status } = await leaving.get('/health/ready').catch(() => ({ status: 0 }));
        if (status !== 200) targets.delete(leaving);
        await delay(100);
      }
    })();
    const callers = Array.from({ length: 2 }, async () => {
      for (; !isOver; await delay(CALL_EVERY_MS)) {
        for (const target of targets) {
          // A connection of its own, as a load balancer opens when it has none at hand.
          const response = await target.get('/v1/pets', key, { Connection: 'close' });
          await response.arrayBuffer();
          seen.add(response.status);
        }
      }
    });
    const { code } = await leaving.stop();
    isOver = true;
    await Promise.all([polls, ...callers]);

    expect([...seen]).toEqual([200]);
    expect(code).toBe(0);
  });

  async function metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  }
});
