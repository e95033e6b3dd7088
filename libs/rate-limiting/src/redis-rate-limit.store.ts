import type { Redis } from 'ioredis';
import { type RateLimitDecision, decisionOf } from './rate-limit-decision.js';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { Counter, DAY_MS, MINUTE_MS, Penalty, usageOf } from './plan-window.js';
import { type BanRules, banRules, type RatePlan } from './rate-plan.js';
import { RateLimitStore } from './rate-limit.store.js';
import type { RateSubject } from './rate-subject.js';
import { consumeScript, FIELDS, LIFT_BAN_SCRIPT } from './redis-scripts.js';
import { UnusableStore } from './unusable-store.js';
import { withTimeLimit } from './with-time-limit.js';
import type { Usage } from './usage.js';

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

type ConsumeReply = [
  refused: number,
  nowMs: number,
  minuteStartMs: number,
  minuteCount: number,
  dayUsed: number,
  bannedUntilMs: number,
  banMs: number,
  banBegan: number,
  aheadMs: number,
];

/** The client with the two scripts that the constructor defines on it. */
interface ScriptedRedis extends Redis {
  rateLimitConsume(
    key: string,
    aheadKey: string,
    now: number | '',
    perMinute: number,
    perDay: number | '',
    expected: number | '',
    latest: number | '',
    cost: number,
  ): Promise<ConsumeReply>;
  rateLimitLiftBan(key: string, aheadKey: string, liftedAtMs: number): Promise<number>;
}

/** What else `redis_mode` may say, in words. Scripts over two keys fail on both. */
const UNUSABLE_MODES: Readonly<Record<string, string>> = {
  cluster: 'a node of a Redis Cluster',
  sentinel: 'a Redis Sentinel',
};

const PROBE_SUBJECT = 'probe';
const PROBE_PLAN: RatePlan = { perMinute: 1_000_000, perDay: null };

/**
 * Counts in Redis (5 or later), so that replicas share their counts: one Lua call a request does both windows and the
 * ban. Everything about a subject is one hash, `rl:{subject}`, which expires when it no longer matters. A clock of the
 * Redis server that steps back opens no window again, for as long as one replica runs.
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

  /**
   * Creates a client that fails at once while there is no connection, sends nothing twice, and never stops trying to
   * connect. It does not connect yet.
   */
  static async at(url: string, options: RedisRateLimitStoreOptions = {}): Promise<RedisRateLimitStore> {
    // Loaded here, so that an application without Redis need not install or load the client.
    const { Redis } = await import('ioredis');
    const redis = new Redis(url, {
      lazyConnect: true,
      // The commands of one turn of the event loop are sent together, which costs Redis two fifths less.
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1_000,
      disconnectTimeout: 100,
      retryStrategy: (attempt) => Math.min(attempt * 50, 500),
    });
    // Without a listener ioredis prints every failed attempt; callers get the error themselves.
    redis.on('error', () => {});
    return new RedisRateLimitStore(redis, options);
  }

  constructor(redis: Redis, options: RedisRateLimitStoreOptions = {}) {
    super();
    this.bans = banRules(options.bans);
    this.keyPrefix = options.keyPrefix ?? 'rl:';
    this.byServerTime = options.time !== 'caller';
    this.monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.mirror = options.mirror ?? new MemoryRateLimitStore({ bans: options.bans });
    redis.defineCommand('rateLimitConsume', { numberOfKeys: 2, lua: consumeScript(this.bans) });
    redis.defineCommand('rateLimitLiftBan', { numberOfKeys: 2, lua: LIFT_BAN_SCRIPT });
    this.redis = redis as ScriptedRedis;
  }

  /** @throws what the client throws when Redis cannot be asked */
  async consume(subject: RateSubject, nowMs: number, cost = 1): Promise<RateLimitDecision> {
    const { id, plan } = subject;
    const reply = await this.consumeInRedis(id, plan, this.byServerTime ? '' : nowMs, cost);
    const [
      refused,
      decidedAtMs,
      minuteStartMs,
      minuteCount,
      dayUsed,
      bannedUntilMs,
      banMs,
      banBegan,
      aheadMs,
    ] = reply;
    const seen = { nowMs: decidedAtMs, minuteStartMs, minuteCount, dayCount: dayUsed, bannedUntilMs, banMs };
    this.mirror.adopt(subject, seen, cost);
    return decisionOf(plan, {
      nowMs: decidedAtMs,
      aheadMs,
      refused: refused === 1,
      cost,
      banBegan: banBegan === 1,
      minuteUsed: minuteCount,
      minuteEndsAtMs: minuteStartMs + MINUTE_MS,
      dayUsed,
      dayEndsAtMs: (Math.floor(decidedAtMs / DAY_MS) + 1) * DAY_MS,
      bannedUntilMs,
    });
  }

  /** By the counts that this process saw last: other replicas may have counted since. */
  peek(subject: RateSubject, nowMs: number): RateLimitDecision {
    return this.mirror.peek(subject, nowMs);
  }

  async liftBan(subject: string, liftedAtMs: number): Promise<void> {
    await this.redis.rateLimitLiftBan(this.keyOf(subject), this.aheadKey, liftedAtMs);
  }

  /** `nowMs` is compared with times of the Redis server: a skewed clock shows a window a little early or late. */
  async usage(subject: string, nowMs: number): Promise<Usage> {
    const [stored, ahead] = await Promise.all([
      this.redis.hmget(this.keyOf(subject), ...FIELDS),
      this.redis.get(this.aheadKey),
    ]);
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
   * Resolves when Redis counts a request within `limitMs`: connected, script and write included. Otherwise starts a
   * new connection, as the old one may lead nowhere, and rejects.
   * @throws UnusableStore when the server is a node of a Redis Cluster or a Sentinel
   */
  async probe(limitMs: number): Promise<void> {
    try {
      await withTimeLimit(limitMs, this.connectAndConsume());
    } catch (cause) {
      if (this.redis.status === 'connect' || this.redis.status === 'ready') this.redis.disconnect(true);
      throw cause;
    }
  }

  override close(): void {
    this.redis.disconnect();
  }

  private async connectAndConsume(): Promise<void> {
    if (this.redis.status === 'wait' || this.redis.status === 'end') await this.redis.connect();
    try {
      await this.consumeInRedis(PROBE_SUBJECT, PROBE_PLAN, '', 1);
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

  private async consumeInRedis(
    subject: string,
    plan: RatePlan,
    now: number | '',
    cost: number,
  ): Promise<ConsumeReply> {
    const { perMinute, perDay } = plan;
    const reply = await this.redis.rateLimitConsume(
      this.keyOf(subject),
      this.aheadKey,
      now,
      perMinute,
      perDay ?? '',
      this.latestMs === null ? '' : this.latestMs + Math.floor(this.monotonicMs() - this.latestAtMs),
      this.latestMs ?? '',
      cost,
    );
    this.latestMs = reply[1];
    this.latestAtMs = this.monotonicMs();
    return reply;
  }

  private get aheadKey(): string {
    return `${this.keyPrefix}ahead`;
  }

  /** The braces put all keys of a subject into one slot. */
  private keyOf(subject: string): string {
    return `${this.keyPrefix}{${subject}}`;
  }
}
