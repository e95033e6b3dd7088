import fc from 'fast-check';
import { Redis } from 'ioredis';
import { DAY_MS as DAY } from '@animal-store/kernel';
import type { RateSubject } from '../rate-subject.js';
import type { RatePlan } from '../rate-plan.js';
import {
  aCaller,
  address,
  free,
  HOUR,
  MIDNIGHT,
  MINUTE,
  NOON,
  planOf,
  UNTIL_BANNED,
} from '../testing/callers.js';
import { NaiveLimiter } from '../testing/naive-limiter.js';
import { describeRateLimitStore } from '../testing/rate-limit-store.contract.js';
import { describeOnRedis, describeOnRedisWithClock } from '../testing/describe-on-redis.js';
import { RedisServer } from '../testing/redis-server.js';
import { play, traffic } from '../testing/traffic.js';
import { RedisRateLimitStore, type RedisRateLimitStoreOptions } from './redis-rate-limit.store.js';
import { SteadyTime } from '../stores/steady-time.js';

describeOnRedis('RedisRateLimitStore', () => {
  let server: RedisServer;
  let client: Redis;
  const stores: RedisRateLimitStore[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    client = new Redis(server.url);
    // Random traffic makes many stores.
    client.setMaxListeners(100);
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) store.close();
    await client.flushall();
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  let prefixes = 0;
  /** A new store on the shared connection. */
  function makeStore(options: RedisRateLimitStoreOptions = {}): RedisRateLimitStore {
    const given = { time: 'caller', keyPrefix: `rl${prefixes++}:`, ...options } as const;
    const store = new RedisRateLimitStore(client, given);
    stores.push(store);
    return store;
  }

  it('leaves a client that it was given open, and without its listeners', async () => {
    await client.ping();
    const counts = () => client.eventNames().map((event) => [event, client.listenerCount(event)]);
    const before = counts();
    makeStore().close();
    expect(counts()).toEqual(before);
    expect(client.status).toBe('ready');
  });

  it('resolves without Redis, and says what is wrong when it is to count', async () => {
    const store = await RedisRateLimitStore.at('redis://127.0.0.1:1');
    stores.push(store);
    await expect(store.consume({ id: 'key-7', plan: free }, NOON)).rejects.toThrow('ECONNREFUSED');
  });

  async function connectedStore(options: RedisRateLimitStoreOptions = {}): Promise<RedisRateLimitStore> {
    const store = await RedisRateLimitStore.at(server.url, options);
    stores.push(store);
    await store.probe(5_000);
    return store;
  }

  describeRateLimitStore('RedisRateLimitStore', (bans, monotonicMs) => makeStore({ bans, monotonicMs }), {
    traffic,
    runs: 20,
  });

  it('counts what a replica whose clock is before midnight lets through in the day that has begun for others', async () => {
    const plan = planOf(60, 3);
    const [right, late] = [1, 2].map(() => aCaller(makeStore({ keyPrefix: 'late:' }), plan));
    await right!.consume(MIDNIGHT - 2_000);
    await right!.consume(MIDNIGHT);

    for (const allowed of [true, true, false])
      expect(await late!.consume(MIDNIGHT - 1_000)).toMatchObject({ allowed });
    expect(await right!.consume(MIDNIGHT)).toMatchObject({ allowed: false });
    expect(await client.hget('late:{key-7}', 'day')).toBe('3');
  });

  it('remembers the windows of a list as long as the longest, whatever plan requests in between', async () => {
    const plan = [{ name: 'week', limit: 10, seconds: 7 * 86_400 }];
    const { consume, on } = aCaller(makeStore({ keyPrefix: 'list:' }), plan);
    await consume(NOON);
    await on(address).consume(NOON + MINUTE);
    expect(await client.pttl('list:{key-7}')).toBeCloseTo(7 * DAY, -4);
  });

  describe('in one turn of the event loop', () => {
    interface Request {
      subject: RateSubject;
      nowMs: number;
      cost: number;
    }

    /** The script calls that a number of requests of one key in one turn takes, and how many requests are allowed. */
    async function requestsAtOnce(
      count: number,
      plan: RatePlan,
    ): Promise<{ calls: string[]; allowed: number }> {
      const { consumeAtOnce } = aCaller(await connectedStore(), plan);
      await client.config('RESETSTAT');
      const allowed = (await consumeAtOnce(count)).filter((decision) => decision.allowed).length;
      const calls = [...(await client.info('commandstats')).matchAll(/^cmdstat_(\S+):calls=(\d+)/gm)]
        .map(([, command, calledTimes]) => `${command} ${calledTimes}`)
        // Leaves out the commands of the script itself and of this test.
        .filter((line) => /^(eval|script|multi|exec)/.test(line));
      return { calls, allowed };
    }

    function consumeAll(store: RedisRateLimitStore, requests: Request[]) {
      return Promise.all(requests.map(({ subject, nowMs, cost }) => store.consume(subject, nowMs, cost)));
    }

    async function consumeEach(store: RedisRateLimitStore, requests: Request[]) {
      const decisions = [];
      for (const { subject, nowMs, cost } of requests) {
        decisions.push(await store.consume(subject, nowMs, cost));
      }
      return decisions;
    }

    /** What is stored about all subjects under a prefix, and when it expires. */
    async function stored(prefix: string) {
      const fields = new Map<string, Record<string, string>>();
      const expiresInMs = new Map<string, number>();
      for (const key of await client.keys(`${prefix}{*`)) {
        const subject = key.slice(prefix.length);
        fields.set(subject, await client.hgetall(key));
        expiresInMs.set(subject, await client.pttl(key));
      }
      return { fields, expiresInMs };
    }

    /** Expects the same about every subject under two prefixes, which were written and are read one after the other. */
    async function expectSameStored(prefix: string, otherPrefix: string) {
      const [one, other] = [await stored(prefix), await stored(otherPrefix)];
      expect(one.fields).toEqual(other.fields);
      for (const [subject, expiresInMs] of one.expiresInMs) {
        expect(Math.abs(expiresInMs - other.expiresInMs.get(subject)!)).toBeLessThan(30_000);
      }
    }

    it.each<[string, number, number, RatePlan]>([
      ['once, whatever the decisions', 70, 1, free],
      ['once, however many windows there are', 70, 1, [...free, { name: 'hour', limit: 90, seconds: 3_600 }]],
      ['once for every 100 requests, so that others need not wait for long', 201, 3, free],
    ])('calls Redis %s', async (_, count, calls, plan) => {
      expect(await requestsAtOnce(count, plan)).toEqual({ calls: [`evalsha ${calls}`], allowed: 60 });
    });

    it('decides as if one request came after the other, and stores the same', async () => {
      await fc.assert(
        fc.asyncProperty(traffic, async ({ plan, bans, ...given }) => {
          await client.flushall();
          let passedMs = 0;
          const options = { bans, monotonicMs: () => passedMs };
          const together = makeStore({ ...options, keyPrefix: 'together:' });
          const single = makeStore({ ...options, keyPrefix: 'single:' });
          const subjects = ['key-7', 'key-8', 'key-9'].map((id) => ({ id, plan }));
          const naive = new Map(subjects.map((subject) => [subject, new NaiveLimiter(plan, bans)]));
          const time = new SteadyTime(() => passedMs);
          let turn: Request[] = [];

          const endTurn = async () => {
            const decisions = await consumeAll(together, turn);
            expect(decisions).toEqual(await consumeEach(single, turn));
            for (const [index, { subject, nowMs, cost }] of turn.entries()) {
              const { code, states } = decisions[index]!;
              const expected = naive.get(subject)!.request(time.at(nowMs), cost);
              expect(expected).toMatchObject({ code, left: states.filter((_, at) => at % 2 === 0) });
            }
            turn = [];
          };
          await play(
            { plan, bans, ...given },
            async (nowMs, elapsedMs, cost) => {
              if (turn.length > 0 && (turn[0]!.nowMs !== nowMs || passedMs !== elapsedMs)) await endTurn();
              passedMs = elapsedMs;
              turn.push({ subject: subjects[turn.length % 3]!, nowMs, cost });
            },
            async (nowMs, elapsedMs) => {
              await endTurn();
              passedMs = elapsedMs;
              // A store reads the time from a request.
              turn = [{ subject: subjects[0]!, nowMs, cost: 1 }];
              await endTurn();
              for (const store of [together, single]) await store.liftBan('key-7', nowMs);
              naive.get(subjects[0]!)!.liftBan(time.at(nowMs));
            },
          );
          await endTurn();
          await expectSameStored('together:', 'single:');
        }),
        { numRuns: 20 },
      );
    });

    it.each([
      ['has no hash', (key: string) => client.set(key, 'Rex'), 'WRONGTYPE'],
      [
        'has no numbers',
        (key: string) => client.hset(key, '60', 'Rex', '60 end', `${NOON + MINUTE}`),
        'arithmetic',
      ],
    ])('rejects the requests of a subject whose key %s, and no others', async (_, spoil, message) => {
      const store = makeStore({ keyPrefix: 'shop:' });
      await spoil('shop:{key-8}');
      const requests = ['key-7', 'key-8', 'key-9', 'key-8', 'key-7'].map((id) =>
        aCaller(store, free, id).consume(),
      );
      // What a SubjectNotCounted says.
      const sentence = expect.stringMatching(`^The store cannot count key-8: .*${message}`) as string;
      expect(await Promise.allSettled(requests)).toMatchObject([
        { value: { minute: 59 } },
        { reason: { message: sentence } },
        { value: { minute: 59 } },
        { reason: { message: sentence } },
        { value: { minute: 58 } },
      ]);
    });

    it('counts nothing when Redis has no room', async () => {
      const { consume } = aCaller(makeStore());
      await consume();
      await client.config('SET', 'maxmemory', '1');
      const results = await Promise.allSettled([consume(), consume()]);
      await client.config('SET', 'maxmemory', '0');
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(await consume()).toMatchObject({ minute: 58 });
    });
  });

  it('says when it is probed why Redis writes nothing, in the words of Redis', async () => {
    const store = await connectedStore();
    await client.config('SET', 'min-replicas-to-write', '1');
    const probed = await store.probe(5_000).catch(String);
    await client.config('SET', 'min-replicas-to-write', '0');
    expect(probed).toMatch(/^Error: NOREPLICAS/);
  });

  it('lets replicas with skewed clocks share one count by the clock of Redis', async () => {
    await aCaller(await connectedStore()).consume(NOON);
    const decision = await aCaller(await connectedStore()).consume(NOON + 5 * HOUR);
    expect(decision).toMatchObject({ minute: 58, day: 998 });
    const [serverSeconds = 0] = (await client.time()).map(Number);
    expect(Math.abs(decision.resetAtSeconds - serverSeconds - 60)).toBeLessThanOrEqual(1);
  });

  describe('when the clock of Redis is set', () => {
    const plan = planOf(2, 5);
    let passedMs: number;

    beforeEach(() => (passedMs = 0));

    const replica = () => makeStore({ keyPrefix: 'shop:', monotonicMs: () => passedMs });

    it('running and newly started replicas still count together until the clock is right again', async () => {
      const [one, other] = [aCaller(replica(), plan), aCaller(replica(), plan)];
      await one.consume();
      await other.consume();
      passedMs = 10_000;
      const wrong = NOON - 3 * DAY;
      const refused = { allowed: false, retryAfterSeconds: 50 };
      expect(await one.consume(wrong)).toMatchObject({ ...refused, day: 3 });

      // It reads the time from what is counted.
      const late = aCaller(replica(), plan);
      expect(await late.consume(wrong)).toMatchObject({ allowed: false, retryAfterSeconds: 60 });
      for (const each of [other, one]) expect(await each.consume(wrong)).toMatchObject(refused);
      for (const each of [other, late, one])
        expect(await each.consume(NOON + passedMs)).toMatchObject(refused);
      passedMs = MINUTE;
      expect(await late.consume(NOON + passedMs)).toMatchObject({ allowed: true, day: 2 });
    });

    it('by less than a second, a ban from before is lifted all the same', async () => {
      const store = makeStore({ monotonicMs: () => 0, bans: { minRefusals: 1 } });
      const { consume, consumeTimes } = aCaller(store, plan);
      await consumeTimes(3);
      expect(await consume(NOON - 1)).toMatchObject({ code: 'api_key_banned' });
      await store.liftBan('key-7', NOON - 1);
      expect(await store.usage('key-7', NOON - 1)).toMatchObject({ ban: null });
    });

    it('a counter that begins meanwhile lives until its day has ended by the clock that is right again', async () => {
      const store = replica();
      await aCaller(store, plan, 'key-8').consume();
      await aCaller(store, plan).consume(NOON - 3 * DAY);
      expect(await client.pttl('shop:{key-7}')).toBeCloseTo(12 * HOUR + 3 * DAY, -4);
    });

    it('a counter of an address, of which there may be any number, lives a day longer at most', async () => {
      const caller = aCaller(replica(), address);
      await caller.consume();
      passedMs = MINUTE;
      await caller.consume(NOON - 3 * DAY + passedMs);
      expect(await client.pttl('shop:{key-7}')).toBeCloseTo(DAY + MINUTE, -4);
    });

    it('the new clock counts when no replica is left that knows better', async () => {
      await aCaller(replica(), plan).consume();
      await aCaller(replica(), plan, 'key-8').consume(NOON - HOUR);
      expect(await client.hget('shop:{key-8}', '60 end')).toBe(`${NOON - HOUR + MINUTE}`);
    });
  });

  it.each([
    ['of a key expire after its day', free, 1, 12 * HOUR],
    ['of an address expire after a minute', address, 1, MINUTE],
    ['of an address expire with its ban after a day', address, UNTIL_BANNED, DAY],
  ])('lets a counter %s', async (_, plan, times, ms) => {
    await aCaller(makeStore({ keyPrefix: 'shop:' }), plan).consumeTimes(times);
    expect(await client.pttl('shop:{key-7}')).toBeCloseTo(ms, -4);
  });

  it('finds the bans in force among any number of counters, and those of no other service', async () => {
    const store = makeStore({ keyPrefix: 'shop[1]:', monotonicMs: () => 0 });
    const strict = planOf(1, null);
    const counters = Array.from({ length: 3_000 }, (_, index) =>
      aCaller(store, free, `key_${index}`).consume(),
    );
    await Promise.all(counters);
    await client.set('shop[1]:{key-4}', 'something else');
    await aCaller(store, strict, 'key-3', 'till').consumeTimes(1 + 20);
    await aCaller(store, strict, '2001:db8:0:1::/64').consumeTimes(1 + 20);
    await aCaller(makeStore({ keyPrefix: 'shop1:' }), strict, 'key-5').consumeTimes(1 + 20);

    const found = async (nowMs: number) =>
      (await store.findBans(nowMs)).sort((a, b) => (a.subject < b.subject ? -1 : 1));
    const ban = { sinceMs: NOON, untilMs: NOON + MINUTE, refusals: 20 };
    expect(await found(NOON + 2_000)).toEqual([
      { subject: '2001:db8:0:1::/64', caller: '2001:db8:0:1::/64', ...ban },
      { subject: 'key-3', caller: 'till', ...ban },
    ]);
    await store.liftBan('2001:db8:0:1::/64', NOON + 2_000);
    expect(await found(NOON + 59_999)).toMatchObject([{ subject: 'key-3' }]);
    expect(await found(NOON + MINUTE)).toEqual([]);
  });

  it('continues after the scripts were flushed', async () => {
    const { consume } = aCaller(makeStore());
    await consume();
    await client.script('FLUSH');
    expect(await consume()).toMatchObject({ minute: 58 });
  });
});

describeOnRedisWithClock('RedisRateLimitStore on a server whose clock is set', () => {
  let server: RedisServer;
  let store: RedisRateLimitStore;
  let passedMs = 0;

  beforeEach(async () => {
    server = await RedisServer.start('with a clock');
    store = await RedisRateLimitStore.at(server.url, { monotonicMs: () => performance.now() + passedMs });
    await store.probe(5_000);
  });
  afterEach(async () => {
    store.close();
    await server.stop();
  });

  it.each([
    ['a day', DAY],
    ['three days', 3 * DAY],
  ])('lets through no more than the limit of a day when it is %s behind and right again', async (_, ms) => {
    const caller = aCaller(store, planOf(1_000, 100));
    const allowedOf = async (times: number) =>
      (await caller.consumeAtOnce(times, 0)).filter(({ allowed }) => allowed).length;
    const before = await allowedOf(30);
    // The next minute begins while the clock is wrong.
    passedMs = 2 * MINUTE;
    server.setClock(passedMs - ms);
    const meanwhile = await allowedOf(40);
    server.setClock(passedMs);
    const after = await allowedOf(100);
    expect([before, meanwhile, after]).toEqual([30, 40, 30]);
  });
});
