import { Batcher, DAY_MS } from '@animal-store/kernel';
import { oncePer } from '@animal-store/kernel/http';
import { MemoryRateLimitStore } from '../stores/memory-rate-limit.store.js';
import {
  type Ban,
  banOf,
  Counter,
  decisionOf,
  Penalty,
  type RateLimitDecision,
  type Usage,
  usageOf,
} from '../stores/plan-window.js';
import { type BanRules, DEFAULT_BAN_RULES, perMinuteOf, type RatePlan } from '../rate-plan.js';
import { RateLimitStore, type RateSubject, SubjectNotCounted, UnusableStore } from '../rate-limit.store.js';
import { ClusterNodes } from './cluster-nodes.js';
import { clientFor, type RedisClient, type RedisClusterClient } from './redis-client.js';
import {
  type AskedOfRedis,
  type ConsumeReply,
  consumeScript,
  type CountedInRedis,
  liftBanScript,
} from './redis-scripts.js';
import { TOLERANCE_MS } from '../stores/steady-time.js';
import { TimeLimit, TookTooLong } from '../stores/time-limit.js';
import { listedWindows, type WindowCount } from '../stores/window-list.js';

export interface RedisRateLimitStoreOptions {
  bans?: Partial<BanRules>;
  /** The prefix of all keys. Default: `rl:`. Services that share a Redis need different ones. */
  keyPrefix?: string;
  /**
   * The clock that counts. `server` (default): that of Redis, so that replicas with skewed clocks agree. `caller`: the
   * `now` of the first call in a turn of the event loop, for tests that move the clock.
   */
  time?: 'server' | 'caller';
  /** Milliseconds of a clock that is never set. Default: `performance.now`. */
  monotonicMs?: () => number;
  /** Follows every count, so that it can continue from there when Redis is lost. Default: a new store. */
  mirror?: MemoryRateLimitStore;
}

/** The client with the scripts that the constructor defines on it. In a cluster, none of them has the key of the skew. */
type Scripted<Connection> = Connection & {
  rateLimitConsume(numberOfKeys: number, ...keysAndAsked: (readonly string[] | string)[]): Promise<string>;
  rateLimitLiftBan(...keysAndTime: (string | number)[]): Promise<number>;
};

/** A request that waits for its decision. */
interface ConsumeRequest {
  readonly subject: RateSubject;
  readonly cost: number;
  /** What the clock shows; false to go by the clock of the server. */
  readonly wallClock: number | false;
}

type Outcome = RateLimitDecision | Promise<RateLimitDecision>;

/** Redis does nothing else during a script: as many requests of different subjects take it about a millisecond. */
const REQUESTS_A_BATCH = 100;

/** Bounds the time that one read of many counters takes Redis. */
const KEYS_A_SCAN = 1_000;

/** A kind of server in words, and the scheme of its URL. */
type Kind = readonly [name: string, scheme: string];
const SERVER: Kind = ['a single Redis server', 'redis'];
const CLUSTER: Kind = ['a node of a Redis Cluster', 'redis+cluster'];
const SENTINEL: Kind = ['a Redis Sentinel', 'redis+sentinel'];

/** What else `redis_mode` may say. Scripts over several keys fail on both. */
const MODES: Readonly<Record<string, Kind>> = { cluster: CLUSTER, sentinel: SENTINEL };

/** What a server of another kind than the URL says responds when the client connects. */
const OTHER_KIND: readonly (readonly [RegExp, Kind])[] = [
  [/cluster support disabled/, SERVER],
  [/unknown command .sentinel/i, SERVER],
  [/unknown command .cluster/i, SENTINEL],
];

const PROBE: ConsumeRequest = {
  subject: { id: 'probe', plan: { perMinute: 1_000_000, perDay: null } },
  cost: 1,
  wallClock: false,
};

/**
 * Counts in Redis (5 or later), so that replicas share their counts: one Lua call does both windows and the ban of all
 * requests of a turn of the event loop, one after the other. Everything about a subject is one hash, `rl:{subject}`,
 * which expires when it no longer matters. A clock of the Redis server that steps back opens no window again, for as
 * long as one replica runs.
 *
 * In a Redis Cluster, each subject of a turn has a call of its own, and the calls to a node are written together. Nodes
 * whose clocks differ share one time, that of the one that is ahead.
 *
 * It rejects when Redis does not respond. RateLimitingModule puts a FallbackRateLimitStore in front of it.
 *
 * @example
 * ```ts
 * const store = await RedisRateLimitStore.at('redis://cache:6379', { keyPrefix: 'shop:' });
 * ```
 */
export class RedisRateLimitStore extends RateLimitStore {
  private readonly redis: Scripted<RedisClient | RedisClusterClient>;
  /** Null when there is one server, or one primary that Sentinels know. */
  private readonly cluster: ClusterNodes | null;
  private readonly bans: BanRules;
  private readonly keyPrefix: string;
  private readonly byServerTime: boolean;
  /** Follows every count. */
  readonly mirror: MemoryRateLimitStore;
  private readonly monotonicMs: () => number;
  /** The time of the last decision that this process received, and when that was by `monotonicMs`. */
  private latest: number | null = null;
  private latestAtMs = 0;
  /** How far that time was ahead of the clock. */
  private skew = 0;
  /** What Redis has counted for the request that is decided now. */
  private readonly seen = Object.assign(new Counter('seen'), { penalty: new Penalty() });
  private readonly requests = new Batcher<ConsumeRequest, RateLimitDecision>(
    (requests) => this.call(requests),
    { max: REQUESTS_A_BATCH, atOnce: Infinity },
  );
  /** Whether nothing waits for a connection: an application may want that of a client of its own. */
  private failsAtOnce = false;
  /** Why there is no connection; null when there is one, or when it was only closed. */
  private connectionError: Error | null = null;

  /**
   * Creates a client that fails at once while there is no connection, sends nothing twice, and never stops trying to
   * connect. It does not connect yet.
   *
   * @param url `redis://host:port/db`, `redis+sentinel://host:port,host:port/primary/db` or
   *   `redis+cluster://host:port,host:port`; with `rediss` it uses TLS
   * @throws InvalidRedisUrl
   */
  static async at(url: string, options: RedisRateLimitStoreOptions = {}): Promise<RedisRateLimitStore> {
    const store = new RedisRateLimitStore(await clientFor(url), options);
    store.failsAtOnce = true;
    return store;
  }

  /** @param redis a `Redis` or a `Cluster` of ioredis */
  constructor(redis: RedisClient | RedisClusterClient, options: RedisRateLimitStoreOptions = {}) {
    super();
    this.bans = { ...DEFAULT_BAN_RULES, ...options.bans };
    this.keyPrefix = options.keyPrefix ?? 'rl:';
    this.byServerTime = options.time !== 'caller';
    this.monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.mirror = options.mirror ?? new MemoryRateLimitStore({ bans: options.bans });
    this.cluster = 'slots' in redis ? new ClusterNodes(redis, (subject) => this.keyOf(subject)) : null;
    const place = this.cluster ? 'hash' : 'key';
    redis.defineCommand('rateLimitConsume', { lua: consumeScript(this.bans, place) });
    redis.defineCommand('rateLimitLiftBan', {
      numberOfKeys: this.cluster ? 1 : 2,
      lua: liftBanScript(place),
    });
    this.redis = redis as Scripted<typeof redis>;
    // Without a listener ioredis prints every failed attempt.
    redis.on('error', (error: Error) => (this.connectionError = this.cluster?.reasonIn(error) ?? error));
    redis.on('sentinelError', (error) => (this.connectionError = error));
    redis.on('ready', () => (this.connectionError = null));
  }

  /** The primary of a Redis Cluster that counts this subject; empty when it is not known, or when there is one server. */
  nodeOf(subject: string): string {
    return this.cluster === null ? '' : this.cluster.of(subject);
  }

  /** All primaries of a Redis Cluster. */
  nodes(): readonly string[] {
    return this.cluster === null ? [''] : this.cluster.names();
  }

  /**
   * @throws SubjectNotCounted when the key of the subject holds something else
   * @throws what is wrong with the connection when Redis cannot be asked
   */
  consume(subject: RateSubject, now: number, cost = 1): Promise<RateLimitDecision> {
    return this.requests.add({ subject, cost, wallClock: this.byServerTime ? false : now });
  }

  /** By the counts that this process saw last: other replicas may have counted since. */
  peek(subject: RateSubject, now: number): RateLimitDecision {
    return this.mirror.peek(subject, now);
  }

  async liftBan(subject: string, liftedAtMs: number): Promise<void> {
    // Only a step back that is larger is stored.
    const skew = this.skew > TOLERANCE_MS ? 0 : this.skew;
    await this.redis
      .rateLimitLiftBan(...this.skewKeys, this.keyOf(subject), liftedAtMs + skew)
      .catch((cause: unknown) => this.refuse(subject, cause));
  }

  /**
   * What `subject` has used so far. It counts nothing. `now` is compared with times of the Redis server: a skewed clock
   * shows a window a little early or late.
   */
  async usage(subject: string, now: number): Promise<Usage> {
    const [stored, ahead] = await Promise.all([
      this.redis.hgetall(this.keyOf(subject)),
      this.sharedSkew(),
    ]).catch((cause: unknown) => this.refuse(subject, cause));
    const field = (name: string) => Number(stored[name] ?? 0);
    const skew = ahead ?? field('ahead');
    const counts = {
      minuteStartMs: field('minuteStart'),
      minuteCount: field('minuteCount'),
      day: field('day'),
      dayCount: field('dayCount'),
      dayBeforeCount: field('dayBefore'),
      windows: Object.entries(stored).flatMap(([name, text]) => storedWindow(name, text)),
      penalty: Object.assign(new Penalty(), {
        banUntilMs: field('banUntil'),
        banMs: field('banMs'),
        banRefusals: field('banRefusals'),
      }),
    };
    return usageOf(Object.assign(new Counter(subject), counts), now + skew, skew);
  }

  /**
   * The bans in force, by subject. It reads every counter, a thousand at a time, between which Redis serves others: for
   * an operator who asks, not for a request.
   */
  async findBans(now: number): Promise<Map<string, Ban>> {
    const shared = await this.sharedSkew();
    const bans = new Map<string, Ban>();
    const [before, after] = this.keyOf('\n').split('\n') as [string, string];
    const match = `${before.replace(/[\\?*[\]^]/g, '\\$&')}*${after}`;
    for (const server of this.cluster?.all() ?? [this.redis as RedisClient]) {
      let cursor = '0';
      do {
        const [next, keys] = await server.scan(cursor, 'MATCH', match, 'COUNT', KEYS_A_SCAN);
        // What holds something else has no ban.
        const penalties = keys.map((key) =>
          this.redis.hmget(key, 'banUntil', 'banMs', 'banRefusals', 'ahead').catch(() => []),
        );
        for (const [index, stored] of (await Promise.all(penalties)).entries()) {
          const [banUntilMs = 0, banMs = 0, banRefusals = 0, ahead = 0] = stored.map(Number);
          const skew = shared ?? ahead;
          const ban = banOf({ banUntilMs, banMs, banRefusals }, skew);
          if (ban.untilMs > now) bans.set(keys[index]!.slice(before.length, -after.length), ban);
        }
        cursor = next;
      } while (cursor !== '0');
    }
    return bans;
  }

  /** In a cluster it is stored with each subject: null. */
  private async sharedSkew(): Promise<number | null> {
    return this.cluster ? null : Number(await (this.redis as RedisClient).get(this.skewKeys[0]!));
  }

  /**
   * Resolves when Redis counts a request within `limitMs`: connected, script and write included. Otherwise starts a
   * new connection, as the old one may lead nowhere, and rejects with what Redis or the connection said.
   *
   * @param node one of the primaries of a Redis Cluster. One that counts no more is no failure.
   * @throws UnusableStore when the server is of another kind than the URL says
   */
  async probe(limitMs: number, node = ''): Promise<void> {
    try {
      await new TimeLimit(limitMs).apply(this.connectAndConsume(node));
    } catch (cause) {
      const reason = this.reasonOf(cause, node);
      const connection = node === '' ? this.redis : this.cluster?.connectionOf(node);
      if (connection && ['connect', 'ready'].includes(connection.status)) connection.disconnect(true);
      throw this.otherKind(reason) ?? reason;
    }
  }

  override close(): void {
    this.redis.disconnect();
  }

  private async connectAndConsume(node: string): Promise<void> {
    if (this.redis.status === 'wait' || this.redis.status === 'end') await this.redis.connect();
    const id = this.cluster ? this.cluster.subjectOn(node || this.nodes()[0]!) : PROBE.subject.id;
    if (id === null) return;
    try {
      const [decision] = await this.callOnce([{ ...PROBE, subject: { ...PROBE.subject, id } }]);
      await decision;
      this.cluster?.responded(node);
    } catch (error) {
      const cause = error instanceof SubjectNotCounted ? error.cause : error;
      throw (this.cluster ? null : await this.unusable(cause)) ?? cause;
    }
  }

  /** Asks a server that refuses the script what it is. Null when it is the right kind or does not say. */
  private async unusable(cause: unknown): Promise<UnusableStore | null> {
    const info = await (this.redis as RedisClient).info('server').catch(() => '');
    const [, mode = ''] = /^redis_mode:(\w+)/m.exec(info) ?? [];
    const kind = MODES[mode];
    return kind === undefined ? null : new UnusableStore(...kind, cause);
  }

  private otherKind(reason: unknown): UnusableStore | null {
    const message = reason instanceof Error ? reason.message : '';
    const [, kind] = OTHER_KIND.find(([said]) => said.test(message)) ?? [];
    return kind === undefined ? null : new UnusableStore(...kind, reason);
  }

  /** Decides the requests of a turn, those of a subject in their order. */
  private call(requests: readonly ConsumeRequest[]): Promise<Outcome[]> | Outcome[] {
    if (this.cluster === null) return this.callOnce(requests);
    const bySubject = new Map<string, { requests: ConsumeRequest[]; outcomes?: Promise<Outcome[]> }>();
    const places = requests.map((request) => {
      let call = bySubject.get(request.subject.id);
      if (!call) bySubject.set(request.subject.id, (call = { requests: [] }));
      return { call, index: call.requests.push(request) - 1 };
    });
    this.cluster.together(() => {
      for (const call of bySubject.values()) call.outcomes = this.callOnce(call.requests);
    });
    return places.map(({ call, index }) => call.outcomes!.then((outcomes) => outcomes[index]!));
  }

  /** Decides the requests in one call of the script; in a cluster they are of one subject. */
  private async callOnce(requests: readonly ConsumeRequest[]): Promise<Outcome[]> {
    const places = new Map<string, number>();
    const wanted: AskedOfRedis[] = [];
    for (const { subject, cost } of requests) {
      const { perMinute, perDay, windows } = subject.plan;
      let place = places.get(subject.id);
      if (place === undefined) places.set(subject.id, (place = wanted.push([]) - 1));
      wanted[place]!.push(
        perMinute ?? false,
        perDay ?? false,
        cost,
        windows ? windowArguments(subject.plan) : false,
      );
    }
    const keys = [...this.skewKeys, ...Array.from(places.keys(), (subject) => this.keyOf(subject))];
    const expected = this.latest !== null && this.latest + Math.floor(this.monotonicMs() - this.latestAtMs);
    const args = JSON.stringify([requests[0]!.wallClock, expected, this.latest ?? false, ...wanted]);
    // The client of a cluster cannot be told to fail while it connects.
    if (this.failsAtOnce && this.cluster && this.redis.status !== 'ready')
      throw this.reasonOf(new Error('There is no connection.'));
    const decided = await this.redis.rateLimitConsume(keys.length, keys, args).catch((cause: unknown) => {
      if (this.cluster) this.refuse(requests[0]!.subject.id, cause);
      throw this.reasonOf(cause);
    });
    const [now, skew, ...subjects] = JSON.parse(decided) as ConsumeReply;
    this.latest = now;
    this.skew = skew;
    this.latestAtMs = this.monotonicMs();
    return requests.map((request): Outcome => {
      const counted = subjects[places.get(request.subject.id)!]!;
      if (typeof counted !== 'string') return this.decide(request, counted.shift()!, now, skew);
      return Promise.reject(new SubjectNotCounted(request.subject.id, new Error(counted)));
    });
  }

  private decide(
    { subject, cost }: ConsumeRequest,
    [outcome, minuteAgeMs, minuteUsed, dayUsed, banLeftMs, banMs, ...windows]: CountedInRedis,
    now: number,
    skew: number,
  ): RateLimitDecision {
    const { seen } = this;
    seen.minuteStartMs = now - minuteAgeMs;
    seen.minuteCount = minuteUsed;
    seen.day = Math.floor(now / DAY_MS);
    seen.dayCount = dayUsed;
    seen.penalty.banUntilMs = banLeftMs === 0 ? 0 : now + banLeftMs;
    seen.penalty.banMs = banMs;
    seen.windows = windows.length === 0 ? null : countedWindows(subject.plan, windows, now);
    this.mirror.adopt(subject, seen, now, cost);
    return decisionOf(seen, subject.plan, now, skew, cost, outcome === 0, outcome === 2);
  }

  /** A server that responds with an error has refused this subject, unless it refuses every other one too. */
  private refuse(subject: string, cause: unknown): never {
    const isReply = cause instanceof Error && cause.name === 'ReplyError';
    throw isReply ? new SubjectNotCounted(subject, cause) : this.reasonOf(cause, this.nodeOf(subject));
  }

  /** Without a connection the client throws only that it cannot write. */
  private reasonOf(cause: unknown, node = ''): unknown {
    if (this.redis.status === 'ready') return this.cluster?.errorOf(node) ?? cause;
    if (this.connectionError !== null) return this.connectionError;
    return cause instanceof TookTooLong ? cause : new Error('The connection is closed.', { cause });
  }

  /** The key that a call names before those of subjects. */
  private get skewKeys(): readonly string[] {
    return this.cluster ? [] : [`${this.keyPrefix}ahead`];
  }

  /** The braces put all keys of a subject into one slot. */
  private keyOf(subject: string): string {
    return `${this.keyPrefix}{${subject}}`;
  }
}

/** How many refusals a minute lead to a ban, and each window of the list. */
const windowArguments = oncePer((plan: RatePlan) => [
  perMinuteOf(plan) / 2,
  ...listedWindows(plan).flatMap(({ key, limit, lengthMs, isDay }) => [key, limit, lengthMs, Number(isDay)]),
]);

/** @param counted how long ago each window started, and what was counted in it */
function countedWindows(plan: RatePlan, counted: readonly number[], now: number): WindowCount[] {
  return listedWindows(plan).map(({ key, lengthMs }, index) => ({
    key,
    lengthMs,
    startMs: now - counted[2 * index]!,
    count: counted[2 * index + 1]!,
  }));
}

/** The window that a field of the hash holds, if it holds one. */
function storedWindow(name: string, text: string): WindowCount[] {
  if (!name.startsWith('w:')) return [];
  const [startMs, count, lengthMs] = text.split(' ').map(Number);
  return [{ key: name.slice(2), lengthMs: lengthMs!, startMs: startMs!, count: count! }];
}
