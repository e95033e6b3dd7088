import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { aCaller, free, MINUTE, NOON, UNTIL_BANNED, usageOf } from '../testing/callers.js';
import { describeRateLimitStore } from '../testing/rate-limit-store.contract.js';
import { describeOnRedis } from '../testing/describe-on-redis.js';
import { until } from '../testing/redis-cluster.js';
import { RedisServer } from '../testing/redis-server.js';
import { traffic } from '../testing/traffic.js';
import type { RateLimitDecision } from '../rate-limit-decision.js';
import type { Usage } from './counter.js';
import { FallbackRateLimitStore, type RemoteRateLimitStore } from './fallback-rate-limit.store.js';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { RateLimitStore, SubjectNotCounted } from '../rate-limit.store.js';
import type { RateSubject } from '../rate-subject.js';
import { RedisRateLimitStore } from '../redis/redis-rate-limit.store.js';

function notCounted(subject: string): Promise<never> {
  return Promise.reject(new SubjectNotCounted(subject, new Error('WRONGTYPE')));
}

/** A remote store whose failures and delays the test controls. */
class FakeRemoteStore extends RateLimitStore implements RemoteRateLimitStore {
  network: 'fine' | 'down' | 'silent' = 'fine';
  /** The subject that it cannot count. */
  spoilt: string | null = null;
  calls = 0;
  probed = 0;
  readonly lifted: string[] = [];
  /** Sends the responses that were delayed while the store was silent. */
  speak: () => void = () => {};
  readonly counts: MemoryRateLimitStore;

  constructor(bans?: ConstructorParameters<typeof MemoryRateLimitStore>[0]) {
    super();
    this.counts = new MemoryRateLimitStore(bans);
  }

  consume(subject: RateSubject, nowMs: number, cost?: number): Promise<RateLimitDecision> {
    this.calls++;
    if (subject.id === this.spoilt) return notCounted(subject.id);
    return this.respond(this.counts.consume(subject, nowMs, cost));
  }

  peek(subject: RateSubject, nowMs: number): RateLimitDecision {
    return this.counts.peek(subject, nowMs);
  }

  usage(subject: string, nowMs: number, caller?: string): Promise<Usage> {
    return this.respond(this.counts.usage(subject, nowMs, caller));
  }

  liftBan(subject: string, liftedAtMs: number, caller?: string): Promise<void> {
    if (subject === this.spoilt) return notCounted(subject);
    if (this.network === 'fine') {
      this.lifted.push(subject);
      this.counts.liftBan(subject, liftedAtMs, caller);
    }
    return this.respond(undefined);
  }

  async probe(): Promise<void> {
    this.probed++;
    if (this.network !== 'fine') throw new Error('no connection');
  }

  private respond<T>(value: T): Promise<T> {
    if (this.network === 'down') return Promise.reject(new Error('connection lost'));
    if (this.network === 'fine') return Promise.resolve(value);
    return new Promise((resolve) => {
      const before = this.speak;
      this.speak = () => {
        before();
        resolve(value);
      };
    });
  }
}

describe('FallbackRateLimitStore', () => {
  let remote: FakeRemoteStore;
  let local: MemoryRateLimitStore;
  let store: FallbackRateLimitStore;
  let events: string[];
  let key: ReturnType<typeof aCaller>;
  let other: typeof key;

  beforeEach(() => {
    jest.useFakeTimers();
    remote = new FakeRemoteStore();
    local = new MemoryRateLimitStore();
    events = [];
    store = new FallbackRateLimitStore(remote, local, {
      onLost: (cause) => events.push(`lost: ${(cause as Error).message}`),
      onRestored: () => events.push('restored'),
      onNotCounted: ({ message }) => events.push(message),
    });
    key = aCaller(store);
    other = aCaller(store, free, 'key-8');
  });
  afterEach(async () => {
    await store.close();
    jest.useRealTimers();
  });

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('shows the usage that the remote store has counted, and the local one while that is unavailable', async () => {
    await key.consume();
    expect(await usageOf(store)).toMatchObject({ day: 1 });
    remote.network = 'down';
    expect(await usageOf(store)).toMatchObject({ day: 0 });
    await key.consume();
    expect(await usageOf(store)).toMatchObject({ day: 1 });
    expect(store.degraded).toBe(true);
  });

  it('decides locally when the remote store takes longer than 50 ms', async () => {
    remote.network = 'silent';
    const decision = key.consume();
    await pass(49);
    expect(store.degraded).toBe(false);
    await pass(2);
    expect(store.degraded).toBe(true);
    expect(await decision).toMatchObject({ minute: 59 });
    expect(events).toEqual(['lost: No response within 50 ms.']);
  });

  describe('when the remote store cannot count one subject', () => {
    beforeEach(() => (remote.spoilt = 'key-7'));

    it('decides only about that one locally', async () => {
      const decisions = await key.consumeAtOnce(61);
      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(60);
      expect(await other.consume()).toMatchObject({ minute: 59 });
      expect(remote.calls).toBe(62);
      expect(local.size).toBe(1);
      expect(store.degraded).toBe(false);
    });

    it('says so, at most once a minute', async () => {
      await key.consumeAtOnce(3);
      await pass(0);
      await key.consume(NOON + MINUTE - 1);
      await pass(0);
      expect(events).toEqual(['The store cannot count key-7: WRONGTYPE']);
      await key.consume(NOON + MINUTE);
      await pass(0);
      expect(events).toHaveLength(2);
    });

    it('lifts its ban locally, and the bans of others in both stores', async () => {
      expect(await key.consumeTimes(UNTIL_BANNED)).toMatchObject({ code: 'api_key_banned' });
      await store.liftBan('key-7', NOON);
      expect(local.usage('key-7', NOON)).toMatchObject({ ban: null });
      await store.liftBan('key-8', NOON);
      expect(remote.lifted).toEqual(['key-8']);
      expect(store.degraded).toBe(false);
    });

    it('is lost when it counts no other subject either', async () => {
      jest.spyOn(remote, 'probe').mockRejectedValue(new Error('READONLY'));
      await key.consume();
      await pass(0);
      expect(events).toEqual(['lost: READONLY']);
    });
  });

  it('notices without a request that the remote store is lost', async () => {
    await store.check();
    expect(store.degraded).toBe(false);
    remote.network = 'down';
    await pass(250);
    await store.check();
    expect(events).toEqual(['lost: no connection']);
  });

  it('logs once that the store is lost and once that it is back', async () => {
    remote.network = 'down';
    await Promise.all([key.consume(), other.consume()]);
    await pass(5_000);
    expect(events).toEqual(['lost: connection lost']);
    remote.network = 'fine';
    await pass(1_000);
    expect(events).toEqual(['lost: connection lost', 'restored']);
    expect(store.degraded).toBe(false);
    await key.consume();
    expect(remote.calls).toBe(3);
  });

  it('ignores responses that come too late', async () => {
    remote.network = 'silent';
    const decision = key.consume();
    await pass(60);
    remote.speak();
    remote.network = 'fine';
    await pass(1_000);
    expect((await decision).allowed).toBe(true);
    expect(await key.consume()).toMatchObject({ minute: 58 });
  });

  it('lifts a ban in both stores, and says when the remote one could not', async () => {
    await key.consumeTimes(UNTIL_BANNED);
    remote.network = 'down';
    await key.consumeTimes(UNTIL_BANNED);
    await expect(store.liftBan('key-7', NOON)).rejects.toThrow('connection lost');
    expect(local.usage('key-7', NOON)).toMatchObject({ ban: null });
    remote.network = 'fine';
    await store.liftBan('key-7', NOON);
    expect(remote.counts.usage('key-7', NOON)).toMatchObject({ ban: null });
  });

  it('does not probe after it was closed', async () => {
    remote.network = 'down';
    await key.consume();
    await store.close();
    await pass(5_000);
    expect(remote.probed).toBe(0);
  });
});

describeRateLimitStore(
  'FallbackRateLimitStore',
  (bans, monotonicMs) => {
    const remote = new FakeRemoteStore({ bans, monotonicMs });
    const store = new FallbackRateLimitStore(remote, new MemoryRateLimitStore({ bans, monotonicMs }));
    return Object.assign(store, {
      usage: remote.counts.usage.bind(remote.counts),
    });
  },
  { traffic, runs: 20 },
);

describeOnRedis('FallbackRateLimitStore with a real Redis', () => {
  let server: RedisServer;
  let store: FallbackRateLimitStore;
  let events: string[];

  beforeEach(async () => {
    server = await RedisServer.start();
    const local = new MemoryRateLimitStore();
    const remote = await RedisRateLimitStore.at(server.url, { mirror: local });
    events = [];
    store = new FallbackRateLimitStore(remote, local, {
      probeEveryMs: 100,
      onLost: () => events.push('lost'),
      onRestored: () => events.push('restored'),
    });
    await store.start();
  });
  afterEach(async () => {
    await store.close();
    await server.stop();
  });

  const untilRestored = () => until(() => Promise.resolve(!store.degraded));

  async function decideAtOnce(): Promise<RateLimitDecision> {
    const startedAtMs = Date.now();
    const decision = await store.consume({ id: 'key-7', plan: free }, Date.now());
    expect(Date.now() - startedAtMs).toBeLessThan(5_000);
    return decision;
  }

  it('continues from the counts it saw when Redis is killed, and uses Redis again within 5 s of its return', async () => {
    await aCaller(store).consumeTimes(60, Date.now());
    await server.stop();
    expect(await decideAtOnce()).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(await decideAtOnce()).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(store.degraded).toBe(true);
    await server.restart();
    await untilRestored();
    expect(await decideAtOnce()).toMatchObject({ remaining: 59 });
    expect(events).toEqual(['lost', 'restored']);
  });

  it('makes a new connection when the old one is dead', async () => {
    await store.close();
    const proxied: Socket[] = [];
    const proxy = createServer((socket) => {
      const upstream = connect(server.port, '127.0.0.1');
      // Either end may close during a write to the other.
      for (const end of [socket, upstream]) end.on('error', () => undefined);
      socket.pipe(upstream).pipe(socket);
      proxied.push(socket, upstream);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const remote = await RedisRateLimitStore.at(`redis://127.0.0.1:${port}`);
    store = new FallbackRateLimitStore(remote, new MemoryRateLimitStore(), { probeEveryMs: 100 });
    await store.start();

    for (const socket of proxied) socket.unpipe().pause();
    expect(await decideAtOnce()).toMatchObject({ allowed: true });
    expect(store.degraded).toBe(true);
    await untilRestored();

    await store.close();
    for (const socket of proxied) socket.destroy();
    proxy.close();
    await once(proxy, 'close');
  });
});
