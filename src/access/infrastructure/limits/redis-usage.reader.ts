import type { OnApplicationShutdown } from '@nestjs/common';
import type { RedisRateLimitStore } from '@animal-store/rate-limiting';
import type { Clock } from '@animal-store/kernel';
import { UsageUnavailable } from '../../domain/api-key.errors.js';
import { type Ban, callerIn, callerText } from '../../domain/ban.js';
import { type KeyUsage, UsageReader } from '../../domain/usage.reader.js';
import { keyUsage } from './rate-limiter.js';

/** Longer than for a request: a person waits for the result. */
const TIMEOUT_MS = 2_000;

/** The reads of a batch are sent together. A larger one would delay the requests of the servers. */
const CALLERS_A_BATCH = 500;

/** Reads the counts from the Redis that all replicas share, over a connection that the first read makes. */
export class RedisUsageReader extends UsageReader implements OnApplicationShutdown {
  constructor(
    private readonly store: RedisRateLimitStore,
    private readonly clock: Clock,
  ) {
    super();
  }

  usageOfAll(callers: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>> {
    return this.read(async (nowMs) => {
      const usage = new Map<string, KeyUsage>();
      for (let start = 0; start < callers.length; start += CALLERS_A_BATCH) {
        const batch = callers.slice(start, start + CALLERS_A_BATCH).map(async (text) => {
          const { subject, caller } = callerIn(text);
          usage.set(text, keyUsage(await this.store.usage(subject, nowMs, caller), nowMs));
        });
        await Promise.all(batch);
      }
      return usage;
    });
  }

  bans(): Promise<ReadonlyMap<string, Ban>> {
    return this.read(async (nowMs) => {
      const bans = await this.store.findBans(nowMs);
      return new Map(bans.map(({ subject, caller, ...ban }) => [callerText({ subject, caller }), ban]));
    });
  }

  onApplicationShutdown(): void {
    this.store.close();
  }

  private async read<T>(read: (nowMs: number) => Promise<T>): Promise<T> {
    try {
      await this.store.probe(TIMEOUT_MS);
      return await read(this.clock.now());
    } catch (error) {
      throw new UsageUnavailable(error);
    }
  }
}
