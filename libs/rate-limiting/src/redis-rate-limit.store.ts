import type { Redis } from 'ioredis';
import { Batcher } from '@animal-store/kernel';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { Counter, Penalty, type Usage, usageOf } from './plan-window.js';
import { type Counted, decisionOf, type RateLimitDecision } from './rate-limit-decision.js';
import { type BanRules, banRules } from './rate-plan.js';
import { RateLimitStore, type RateSubject } from './rate-limit.store.js';
import {
  type ConsumeReply,
  consumeScript,
  type CountedInRedis,
  FIELDS,
  LIFT_BAN_SCRIPT,
} from './redis-scripts.js';
import { SubjectNotCounted, UnusableStore } from './store-errors.js';
import { TimeLimit } from './time-limit.js';

export interface RedisRateLimitStoreOptions {
  bans?: Partial<BanRules>;
  /** The prefix of all keys. Default: `rl:`. Services that share a Redis need different ones. */
  keyPrefix?: string;
  /**
   * The clock that counts. `server` (default): that of Redis, so that replicas with skewed clocks agree. `caller`: the
   * `nowMs` of each call, for tests that move the clock.
   */
  time?: 'server' | 'caller';
  /** Milliseconds of a clock that is never set. Default: `performance.now`. */
  monotonicMs?: () => number;
  /** Follows every count, so that it can continue from there when Redis is lost. Default: a new store. */
  mirror?: MemoryRateLimitStore;
}

/** Milliseconds since the Unix epoch. */
export interface Ban {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The client with the two scripts that the constructor defines on it. */
interface ScriptedRedis extends Redis {
  rateLimitConsume(
    numberOfKeys: number,
    aheadKey: string,
    subjectKeys: readonly string[],
    given: string,
  ): Promise<string>;
  rateLimitLiftBan(aheadKey: string, subjectKey: string, liftedAtMs: number): Promise<number>;
}

/** A request that waits for its decision. */
interface ConsumeRequest {
  readonly subject: RateSubject;
  readonly cost: number;
  /** What the clock shows; false to go by the clock of the server. */
  readonly clockMs: number | false;
}

type Outcome = RateLimitDecision | Promise<RateLimitDecision>;

/** Redis does nothing else during a script: as many requests of different subjects take it about a millisecond. */
const REQUESTS_A_BATCH = 100;

/** Bounds the time that one read of many counters takes Redis. */
const KEYS_A_SCAN = 1_000;

/** What else `redis_mode` may say, in words. Scripts over several keys fail on both. */
const UNUSABLE_MODES: Readonly<Record<string, string>> = {
  cluster: 'a node of a Redis Cluster',
  sentinel: 'a Redis Sentinel',
};

const PROBE: ConsumeRequest = {
  subject: { id: 'probe', plan: { perMinute: 1_000_000, perDay: null } },
  cost: 1,
  clockMs: false,
};

/**
 * Counts in Redis (5 or later), so that replicas share their counts: one Lua call does both windows and the ban of all
 * requests of a turn of the event loop, one after the other. Everything about a subject is one hash, `rl:{subject}`,
 * which expires when it no longer matters. A clock of the Redis server that steps back opens no window again, for as
 * long as one replica runs.
 *
 * It rejects when Redis does not respond; put a FallbackRateLimitStore in front of it.
 *
 * @example
 * ```ts
 * const store = await RedisRateLimitStore.at('redis://cache:6379', { keyPrefix: 'shop:' });
 * ```
 */
export class RedisRateLimitStore extends RateLimitStore {
  private readonly redis: ScriptedRedis;
  private readonly bans: BanRules;
  private readonly keyPrefix: string;
  private readonly byServerTime: boolean;
  private readonly mirror: MemoryRateLimitStore;
  private readonly monotonicMs: () => number;
  /** The time of the last decision that this process received, and when that was by `monotonicMs`. */
  private latestMs: number | null = null;
  private latestAtMs = 0;
  private readonly requests = new Batcher(
    (requests: readonly ConsumeRequest[]) => this.consumeAll(requests),
    {
      most: REQUESTS_A_BATCH,
      atOnce: Infinity,
    },
  );
  /** What went wrong with the connection last. */
  private connectionError: Error | null = null;

  /**
   * Creates a client that fails at once while there is no connection, sends nothing twice, and never stops trying to
   * connect. It does not connect yet.
   */
  static async at(url: string, options: RedisRateLimitStoreOptions = {}): Promise<RedisRateLimitStore> {
    // Loaded here, so that an application without Redis need not install or load the client.
    const { Redis } = await import('ioredis');
    const redis = new Redis(url, {
      lazyConnect: true,
      // The commands of one turn of the event loop are sent together. The script is called once a turn as it is.
      enableAutoPipelining: true,
      autoPipeliningIgnoredCommands: ['rateLimitConsume'],
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1_000,
      disconnectTimeout: 100,
      retryStrategy: (attempt) => Math.min(attempt * 50, 500),
    });
    return new RedisRateLimitStore(redis, options);
  }

  constructor(redis: Redis, options: RedisRateLimitStoreOptions = {}) {
    super();
    this.bans = banRules(options.bans);
    this.keyPrefix = options.keyPrefix ?? 'rl:';
    this.byServerTime = options.time !== 'caller';
    this.monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.mirror = options.mirror ?? new MemoryRateLimitStore({ bans: options.bans });
    redis.defineCommand('rateLimitConsume', { lua: consumeScript(this.bans) });
    redis.defineCommand('rateLimitLiftBan', { numberOfKeys: 2, lua: LIFT_BAN_SCRIPT });
    this.redis = redis as ScriptedRedis;
    // Without a listener ioredis prints every failed attempt.
    redis.on('error', (error: Error) => (this.connectionError = error));
  }

  /**
   * @throws SubjectNotCounted when the key of the subject holds something else
   * @throws what the client throws when Redis cannot be asked
   */
  consume(subject: RateSubject, nowMs: number, cost = 1): Promise<RateLimitDecision> {
    return this.requests.add({ subject, cost, clockMs: this.byServerTime ? false : nowMs });
  }

  /** By the counts that this process saw last: other replicas may have counted since. */
  peek(subject: RateSubject, nowMs: number): RateLimitDecision {
    return this.mirror.peek(subject, nowMs);
  }

  async liftBan(subject: string, liftedAtMs: number): Promise<void> {
    await this.redis
      .rateLimitLiftBan(this.aheadKey, this.keyOf(subject), liftedAtMs)
      .catch((cause: unknown) => refuse(subject, cause));
  }

  /** `nowMs` is compared with times of the Redis server: a skewed clock shows a window a little early or late. */
  async usage(subject: string, nowMs: number): Promise<Usage> {
    const [stored, ahead] = await Promise.all([
      this.redis.hmget(this.keyOf(subject), ...FIELDS),
      this.redis.get(this.aheadKey),
    ]).catch((cause: unknown) => refuse(subject, cause));
    const fields = stored.map(Number);
    const aheadMs = Number(ahead);
    const [minuteStartMs = 0, minuteCount = 0, day = 0, dayCount = 0, dayBeforeCount = 0] = fields;
    const [banUntilMs = 0, banMs = 0] = fields.slice(FIELDS.indexOf('banUntil'));
    const penalty = Object.assign(new Penalty(), { banUntilMs, banMs });
    const counter = {
      ...new Counter(subject),
      minuteStartMs,
      minuteCount,
      day,
      dayCount,
      dayBeforeCount,
      penalty,
    };
    return usageOf(counter, nowMs + aheadMs, aheadMs);
  }

  /**
   * The bans in force, by subject. It reads every counter, a thousand at a time, between which Redis serves others: for
   * an operator who asks, not for a request.
   */
  async findBans(nowMs: number): Promise<Map<string, Ban>> {
    const aheadMs = Number(await this.redis.get(this.aheadKey));
    const bans = new Map<string, Ban>();
    const [before, after] = this.keyOf('\n').split('\n') as [string, string];
    const match = `${before.replace(/[\\?*[\]^]/g, '\\$&')}*${after}`;
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', match, 'COUNT', KEYS_A_SCAN);
      // What holds something else has no ban.
      const penalties = keys.map((key) => this.redis.hmget(key, 'banUntil', 'banMs').catch(() => []));
      for (const [index, [until = 0, ms = 0]] of (await Promise.all(penalties)).entries()) {
        const untilMs = Number(until) - aheadMs;
        const subject = keys[index]!.slice(before.length, -after.length);
        if (untilMs > nowMs) bans.set(subject, { sinceMs: untilMs - Number(ms), untilMs });
      }
      cursor = next;
    } while (cursor !== '0');
    return bans;
  }

  /**
   * Resolves when Redis counts a request within `limitMs`: connected, script and write included. Otherwise starts a
   * new connection, as the old one may lead nowhere, and rejects with what Redis or the connection said.
   * @throws UnusableStore when the server is a node of a Redis Cluster or a Sentinel
   */
  async probe(limitMs: number): Promise<void> {
    try {
      await new TimeLimit(limitMs).apply(this.connectAndConsume());
      this.connectionError = null;
    } catch (cause) {
      const { status } = this.redis;
      if (status === 'connect' || status === 'ready') this.redis.disconnect(true);
      // Without a connection the client throws only that there is none.
      throw (status === 'ready' ? null : this.connectionError) ?? cause;
    }
  }

  override close(): void {
    this.redis.disconnect();
  }

  private async connectAndConsume(): Promise<void> {
    if (this.redis.status === 'wait' || this.redis.status === 'end') await this.redis.connect();
    try {
      const [decision] = await this.call([PROBE]);
      await decision;
    } catch (error) {
      throw (await this.unusable(error)) ?? error;
    }
  }

  /** Asks a server that refuses the script what it is. Null when it is the right kind or does not say. */
  private async unusable(cause: unknown): Promise<UnusableStore | null> {
    const [, mode = ''] = /^redis_mode:(\w+)/m.exec(await this.redis.info('server').catch(() => '')) ?? [];
    const kind = UNUSABLE_MODES[mode];
    return kind === undefined ? null : new UnusableStore(kind, cause);
  }

  /** A call of the script goes by one clock. Only tests have several clocks in one turn. */
  private async consumeAll(requests: readonly ConsumeRequest[]): Promise<Outcome[]> {
    const at = requests.findIndex(({ clockMs }) => clockMs !== requests[0]!.clockMs);
    if (at < 0) return this.call(requests);
    const calls = [this.call(requests.slice(0, at)), this.consumeAll(requests.slice(at))];
    return (await Promise.all(calls)).flat();
  }

  /** Decides the requests in one call of the script, those of a subject in their order. */
  private async call(requests: readonly ConsumeRequest[]): Promise<Outcome[]> {
    const bySubject = new Map<string, ConsumeRequest[]>();
    for (const request of requests) {
      const earlier = bySubject.get(request.subject.id);
      if (earlier === undefined) bySubject.set(request.subject.id, [request]);
      else earlier.push(request);
    }
    const expectedMs =
      this.latestMs !== null && this.latestMs + Math.floor(this.monotonicMs() - this.latestAtMs);
    const keys: string[] = [];
    const given: unknown[] = [requests[0]!.clockMs, expectedMs, this.latestMs ?? false];
    for (const [subject, same] of bySubject) {
      keys.push(this.keyOf(subject));
      given.push(countsOf(same));
    }
    const reply = await this.redis.rateLimitConsume(
      1 + keys.length,
      this.aheadKey,
      keys,
      JSON.stringify(given),
    );
    const [nowMs, aheadMs, ...subjects] = JSON.parse(reply) as ConsumeReply;
    this.latestMs = nowMs;
    this.latestAtMs = this.monotonicMs();

    const counts = new Map<string, CountedInRedis[] | string>();
    for (const subject of bySubject.keys()) counts.set(subject, subjects[counts.size]!);
    return requests.map((request): Outcome => {
      const counted = counts.get(request.subject.id)!;
      if (typeof counted !== 'string') return this.decide(request, counted.shift()!, nowMs, aheadMs);
      return Promise.reject(new SubjectNotCounted(request.subject.id, new Error(counted)));
    });
  }

  private decide(
    { subject, cost }: ConsumeRequest,
    [refused, banBegan, minuteStartMs, minuteUsed, dayUsed, bannedUntilMs, banMs]: CountedInRedis,
    nowMs: number,
    aheadMs: number,
  ): RateLimitDecision {
    const counted: Counted = {
      nowMs,
      aheadMs,
      cost,
      refused,
      banBegan,
      minuteStartMs,
      minuteUsed,
      dayUsed,
      bannedUntilMs,
      banMs,
    };
    this.mirror.adopt(subject, counted);
    return decisionOf(subject.plan, counted);
  }

  private get aheadKey(): string {
    return `${this.keyPrefix}ahead`;
  }

  /** The braces put all keys of a subject into one slot. */
  private keyOf(subject: string): string {
    return `${this.keyPrefix}{${subject}}`;
  }
}

/** What the script counts for the requests of a subject. */
function countsOf(requests: readonly ConsumeRequest[]): (number | false)[] {
  const counts: (number | false)[] = [];
  for (const { subject, cost } of requests)
    counts.push(subject.plan.perMinute, subject.plan.perDay ?? false, cost);
  return counts;
}

/** A server that responds with an error has refused this subject, unless it refuses every other one too. */
function refuse(subject: string, cause: unknown): never {
  throw cause instanceof Error && cause.name === 'ReplyError' ? new SubjectNotCounted(subject, cause) : cause;
}
