import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import {
  type BanRules,
  FallbackRateLimitStore,
  MemoryRateLimitStore,
  type RateLimitStore,
  RedisRateLimitStore,
  UnusableStore,
  type Usage,
} from '@animal-store/rate-limiting';
import { type Clock, DAY_MS } from '@animal-store/kernel';
import { InvalidSettings, type Settings } from '../../../settings/settings.js';
import { callerIn } from '../../domain/ban.js';
import type { KeyUsage, LiveUsage } from '../../domain/usage.reader.js';
import { SavedCounts } from './saved-counts.js';
import type { TypeOrmCounterStore } from './typeorm-counter.store.js';

/** Where this server counts requests, the state of that store, and the bans that began here. */
export class RateLimiter implements LiveUsage, OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    readonly store: RateLimitStore,
    private readonly redis: FallbackRateLimitStore | null,
    /** Null for counts in Redis. */
    private readonly saved: SavedCounts | null,
  ) {}

  onApplicationBootstrap(): void {
    this.saved?.onApplicationBootstrap();
  }

  /** Before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.saved?.beforeApplicationShutdown();
    await this.redis?.close();
  }

  /** Probes Redis, because without requests nothing else does. */
  async redisState(): Promise<'off' | 'up' | 'degraded'> {
    if (!this.redis) return 'off';
    await this.redis.check();
    return this.redis.degraded ? 'degraded' : 'up';
  }

  /** Whether each primary of a Redis Cluster counted at its last call. */
  redisNodes(): ReadonlyMap<string, boolean> {
    return this.redis?.nodes ?? new Map<string, boolean>();
  }

  async usageOf(text: string, nowMs: number): Promise<KeyUsage> {
    const { subject, caller } = callerIn(text);
    return keyUsage(await this.store.usage(subject, nowMs, caller), nowMs);
  }

  /** Lifts a ban of a key or an address that began at this time or before. It may be repeated. */
  liftBan(text: string, liftedAtMs: number): void | Promise<void> {
    const { subject, caller } = callerIn(text);
    return this.store.liftBan(subject, liftedAtMs, caller);
  }
}

/** The two windows of the plans of keys. */
export function keyUsage({ windows, ban }: Usage, nowMs: number): KeyUsage {
  const windowOf = (seconds: number | 'day') =>
    windows.find((window) => window.budget === null && window.seconds === seconds);
  const tomorrowMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
  return { minute: windowOf(60) ?? null, day: windowOf('day') ?? { used: 0, resetsAtMs: tomorrowMs }, ban };
}

/**
 * Opens the store for counting requests: Redis if the settings name one, otherwise the memory of this process, saved
 * shortly after each change.
 */
export async function openRateLimiter(
  { redis, rateLimits }: Settings,
  counterStore: TypeOrmCounterStore,
  clock: Clock,
): Promise<RateLimiter> {
  const bans = rateLimits.ban;
  const local = new MemoryRateLimitStore({ bans, monotonicMs: clock.monotonicMs });
  return redis ? countInRedis(redis, local, bans) : countInMemory(local, counterStore, clock.now);
}

const logger = new Logger('RateLimits');

async function countInMemory(
  store: MemoryRateLimitStore,
  counterStore: TypeOrmCounterStore,
  now: () => number,
): Promise<RateLimiter> {
  const saved = new SavedCounts(store, counterStore);
  await saved.restore(now());
  return new RateLimiter(store, null, saved);
}

async function countInRedis(
  { url, timeoutMs }: NonNullable<Settings['redis']>,
  local: MemoryRateLimitStore,
  bans: BanRules,
): Promise<RateLimiter> {
  const remote = await RedisRateLimitStore.at(url, { bans, mirror: local });
  const problems = new Map<string, string>();
  const warn = (cause: unknown, node: string): void => {
    const problem = problemOf(cause, node);
    problems.set(node, problem);
    const advice = adviceOn(cause);
    if (node === '') logger.warn(`${problem} Limiting by local counts. ${advice}`.trim(), cause);
    else logger.warn(`${problem} Callers of this node are limited by local counts. ${advice}`.trim(), cause);
  };
  const store = new FallbackRateLimitStore(remote, local, {
    timeoutMs,
    onLost: warn,
    // What Redis says is only known after a new connection.
    onStillLost: (cause, node) => {
      if (isReply(cause) && problemOf(cause, node) !== problems.get(node)) warn(cause, node);
    },
    onRestored: (node) =>
      logger.log(
        node === ''
          ? 'Redis responds again. Limiting by shared counts.'
          : `The callers that Redis ${node} counted are limited by shared counts again.`,
      ),
    onNotCounted: ({ subject, cause }) =>
      logger.warn(
        `Redis counts others, but not ${subject}, which is limited by local counts. Delete its key, which has another Redis type: rl:{${subject}}`,
        cause,
      ),
  });
  try {
    await store.start();
  } catch (error) {
    await store.close();
    if (!(error instanceof UnusableStore)) throw error;
    const { kind, scheme } = error;
    throw new InvalidSettings([
      `REDIS_URL must begin with ${scheme}: or ${scheme.replace('redis', 'rediss')}:, as it names ${kind}.`,
    ]);
  }
  return new RateLimiter(store, store, null);
}

/** What to do, by the first word of what Redis says. */
const ADVICE: Readonly<Record<string, string>> = {
  NOAUTH: 'It needs a password: put it into REDIS_URL and restart.',
  WRONGPASS: 'Correct the user and the password in REDIS_URL and restart.',
  CLUSTERDOWN: 'Set cluster-require-full-coverage no, so that other nodes continue counting.',
  NOPERM: 'Allow the user in REDIS_URL all commands on the keys rl:*.',
};

function problemOf(cause: unknown, node: string): string {
  const redis = `Redis ${node}`.trim();
  const { name, message, code } = cause as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return `${redis} does not respond in time.`;
  // Several refused addresses of one host have a code and no message.
  const reason = (message || String(code)).replace(/\.?$/, '.');
  return `${redis} ${isReply(cause) ? 'refuses to count' : 'cannot be reached'}: ${reason}`;
}

function adviceOn(cause: unknown): string {
  if (/No such master with that name/.test(String(cause)))
    return 'Correct the name of the primary in REDIS_URL and restart.';
  return (isReply(cause) && ADVICE[cause.message.split(' ', 1)[0]!]) || '';
}

function isReply(cause: unknown): cause is Error {
  return cause instanceof Error && cause.name === 'ReplyError';
}
