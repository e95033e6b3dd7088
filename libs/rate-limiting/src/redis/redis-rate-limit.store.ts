import { Batcher } from '@animal-store/kernel';
import { oncePer } from '@animal-store/kernel/http';
import type { RateLimitDecision } from '../rate-limit-decision.js';
import { RateLimitStore, SubjectNotCounted, UnusableStore } from '../rate-limit.store.js';
import type { RateSubject } from '../rate-subject.js';
import { type BanRules, counted, DEFAULT_BAN_RULES, perMinute, type RatePlan } from '../rate-plan.js';
import {
  type Ban,
  banOf,
  Counter,
  decisionOf,
  Penalty,
  rememberBan,
  type Usage,
  usageOf,
} from '../stores/counter.js';
import { MemoryRateLimitStore } from '../stores/memory-rate-limit.store.js';
import { TimeLimit, TimeLimitExceeded } from '../stores/time-limit.js';
import { ClusterNodes } from './cluster-nodes.js';
import { type ClientListener, clientFor, type RedisClient, type RedisClusterClient } from './redis-client.js';
import {
  type RedisArguments,
  type ConsumeReply,
  consumeScript,
  type CountedInRedis,
  LIFT_BAN_SCRIPT,
  planInRedis,
  storedBan,
} from './redis-scripts.js';

export interface RedisRateLimitStoreOptions {
  /** When callers are banned, and for how long. Default: `DEFAULT_BAN_RULES`, for what is left out too. */
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

/** The client with the scripts that the constructor defines on it. */
type Scripted<Connection> = Connection & {
  rateLimitConsume(
    numberOfKeys: number,
    ...keysAndArguments: (readonly string[] | string)[]
  ): Promise<string>;
  rateLimitLiftBan(key: string, caller: string, liftedAtMs: number): Promise<number>;
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

/** How long a start waits for Redis. */
const FIRST_PROBE_MS = 1_000;

/** Bounds the time that one read of many counters takes Redis. */
const KEYS_A_SCAN = 1_000;

/** A ban of a caller of a subject. */
export interface FoundBan extends Ban {
  readonly subject: string;
  readonly caller: string;
}

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
  subject: { id: 'probe', plan: [perMinute(1_000_000)] },
  cost: 1,
  wallClock: false,
};

/**
 * Counts in Redis (5 or later), so that replicas share their counts: one Lua call does all windows and the ban of all
 * requests of a turn of the event loop, one after the other. Everything about a subject is one hash, `rl:{subject}`,
 * which expires when it no longer matters. A clock of the Redis server that steps back opens no window again, for as
 * long as one replica runs.
 *
 * In a Redis Cluster, each subject of a turn has a call of its own, and the calls to a node are written together. Nodes
 * whose clocks differ share one time, that of the one that is ahead.
 *
 * It rejects when Redis does not respond. RateLimitingModule puts a FallbackRateLimitStore in front of it.
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
  private readonly seen = new Counter('seen');
  private readonly lastBan = new Penalty();
  private readonly planText: (plan: RatePlan) => string;
  private readonly requests = new Batcher<ConsumeRequest, RateLimitDecision>(
    (requests) => this.call(requests),
    { max: REQUESTS_A_BATCH },
  );
  /** Whether the client is its own: then nothing waits for a connection, and it is closed with the store. */
  private isOwn = false;
  /** Why there is no connection; null when there is one, or when it was only closed. */
  private connectionError: Error | null = null;
  private readonly listeners: Readonly<Record<string, ClientListener>> = {
    // Without a listener ioredis prints every failed attempt.
    error: (error) => (this.connectionError = this.cluster?.reasonIn(error) ?? error),
    sentinelError: (error) => (this.connectionError = error),
    'node error': (error, node) => this.cluster?.failed(node, error),
    ready: () => (this.connectionError = null),
  };

  /**
   * Creates a client that fails at once while there is no connection, sends nothing twice, and never stops trying to
   * connect. It resolves when Redis counts, or after a second, because a service starts without Redis, too. The next
   * call rejects with the problem.
   *
   * @param url `redis://host:port/db`, `redis+sentinel://host:port,host:port/primary/db` or
   *   `redis+cluster://host:port,host:port`; with `rediss` it uses TLS
   * @throws InvalidRedisUrl
   */
  static async at(url: string, options: RedisRateLimitStoreOptions = {}): Promise<RedisRateLimitStore> {
    const store = new RedisRateLimitStore(await clientFor(url), options);
    store.isOwn = true;
    await new TimeLimit(FIRST_PROBE_MS).apply(store.connectAndConsume('')).catch(() => undefined);
    return store;
  }

  /** @param redis a `Redis` or a `Cluster` of ioredis, which stays open when the store is closed */
  constructor(redis: RedisClient | RedisClusterClient, options: RedisRateLimitStoreOptions = {}) {
    super();
    this.bans = { ...DEFAULT_BAN_RULES, ...options.bans };
    this.keyPrefix = options.keyPrefix ?? 'rl:';
    this.byServerTime = options.time !== 'caller';
    this.monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.mirror = options.mirror ?? new MemoryRateLimitStore({ bans: options.bans });
    this.cluster = 'slots' in redis ? new ClusterNodes(redis, (subject) => this.keyOf(subject)) : null;
    this.planText = oncePer((plan: RatePlan) => planInRedis(plan, this.bans));
    redis.defineCommand('rateLimitConsume', { lua: consumeScript(this.bans) });
    redis.defineCommand('rateLimitLiftBan', { numberOfKeys: 1, lua: LIFT_BAN_SCRIPT });
    this.redis = redis as Scripted<typeof redis>;
    for (const [event, listener] of Object.entries(this.listeners)) redis.on(event, listener);
  }

  /** The primary of a Redis Cluster that counts this subject; empty when unknown, or with a single server. */
  nodeOf(subject: string): string {
    return this.cluster === null ? '' : this.cluster.of(subject);
  }

  /** All primaries of a Redis Cluster. */
  nodes(): readonly string[] {
    return this.cluster === null ? [''] : this.cluster.names();
  }

  /**
   * @throws SubjectNotCounted when the key of the subject is no hash
   * @throws the error of the connection when Redis cannot be reached
   */
  consume(subject: RateSubject, now: number, cost = 1): Promise<RateLimitDecision> {
    return this.requests.add({ subject, cost, wallClock: this.byServerTime ? false : now });
  }

  /** By the counts that this process saw last: other replicas may have counted since. */
  peek(subject: RateSubject, now: number): RateLimitDecision {
    return this.mirror.peek(subject, now);
  }

  async liftBan(subject: string, liftedAtMs: number, caller = subject): Promise<void> {
    await this.redis
      .rateLimitLiftBan(this.keyOf(subject), caller, liftedAtMs + this.skew)
      .catch((cause: unknown) => this.refuse(subject, cause));
  }

  /**
   * What `subject` has used so far. It counts nothing. `now` is compared with times of the Redis server: a skewed clock
   * shows a window a little early or late.
   */
  async usage(subject: string, now: number, caller = subject): Promise<Usage> {
    const stored = await this.redis
      .hgetall(this.keyOf(subject))
      .catch((cause: unknown) => this.refuse(subject, cause));
    const counter = new Counter(subject);
    const keys = Object.keys(stored).flatMap((name) => (name.endsWith(' end') ? [name.slice(0, -4)] : []));
    counter.keys = keys;
    counter.counts = keys.flatMap((key) => [Number(stored[`${key} end`]), Number(stored[key])]);
    const ban = stored[`ban:${caller}`];
    if (ban !== undefined) rememberBan(counter, caller, storedBan(ban));
    return usageOf(counter, caller, now + this.skew, this.skew);
  }

  /**
   * The bans in force. It reads every counter, a thousand at a time, between which Redis serves others: for the command
   * line, not for requests.
   */
  async findBans(now: number): Promise<FoundBan[]> {
    const bans: FoundBan[] = [];
    const [before, after] = this.keyOf('\n').split('\n') as [string, string];
    const match = `${before.replace(/[\\?*[\]^]/g, '\\$&')}*${after}`;
    for (const server of this.cluster?.all() ?? [this.redis as RedisClient]) {
      let cursor = '0';
      do {
        const [next, keys] = await server.scan(cursor, 'MATCH', match, 'COUNT', KEYS_A_SCAN);
        // A key of another type has no ban.
        const hashes = await Promise.all(
          keys.map((key) => this.redis.hgetall(key).catch((): Record<string, string> => ({}))),
        );
        for (const [index, stored] of hashes.entries()) {
          const subject = keys[index]!.slice(before.length, -after.length);
          for (const [field, text] of Object.entries(stored)) {
            if (!field.startsWith('ban:')) continue;
            const ban = banOf(storedBan(text), this.skew);
            if (ban.untilMs > now) bans.push({ subject, caller: field.slice('ban:'.length), ...ban });
          }
        }
        cursor = next;
      } while (cursor !== '0');
    }
    return bans;
  }

  /**
   * Resolves when Redis counts a request within `limitMs`: connected, script and write included. Otherwise starts a new
   * connection, as the old one may be dead, and rejects with the error of Redis or of the connection.
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
    if (this.isOwn) return this.redis.disconnect();
    for (const [event, listener] of Object.entries(this.listeners)) this.redis.off(event, listener);
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

  /** Queries the kind of a server that refuses the script. Null when it is the right one, or unknown. */
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
    const wanted: RedisArguments[] = [];
    const plans = new Map<RatePlan, number>();
    for (const { subject, cost } of requests) {
      const { id, plan, caller = id } = subject;
      let place = places.get(id);
      if (place === undefined) places.set(id, (place = wanted.push([]) - 1));
      // Lua counts from 1.
      let index = plans.get(plan);
      if (index === undefined) plans.set(plan, (index = plans.size + 1));
      wanted[place]!.push(index, cost, caller);
    }
    const keys = Array.from(places.keys(), (subject) => this.keyOf(subject));
    const expected = this.latest !== null && this.latest + Math.floor(this.monotonicMs() - this.latestAtMs);
    const times = [requests[0]!.wallClock, expected, this.latest ?? false].join();
    const texts = Array.from(plans.keys(), this.planText).join();
    const args = `[${times},[${texts}],${JSON.stringify(wanted).slice(1)}`;
    // The client of a cluster has no option to fail while it connects.
    if (this.isOwn && this.cluster && this.redis.status !== 'ready')
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
    [outcome, banLeftMs, banMs, banRefusals, ...windows]: CountedInRedis,
    now: number,
    skew: number,
  ): RateLimitDecision {
    const { seen, lastBan } = this;
    seen.keys = counted(subject.plan).keys;
    seen.counts = windows.map((value, index) => (index % 2 === 0 ? now + value : value));
    Object.assign(lastBan, { banUntilMs: banLeftMs && now + banLeftMs, banMs, banRefusals });
    this.mirror.adopt(subject, seen, lastBan, now, cost);
    return decisionOf(seen, lastBan, counted(subject.plan), now, skew, cost, outcome === 0, outcome === 2);
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
    return cause instanceof TimeLimitExceeded ? cause : new Error('The connection is closed.', { cause });
  }

  /** The braces put all keys of a subject into one slot. */
  private keyOf(subject: string): string {
    return `${this.keyPrefix}{${subject}}`;
  }
}
