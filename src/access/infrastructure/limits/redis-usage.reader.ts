import type { OnApplicationShutdown } from '@nestjs/common';
import type { RedisRateLimitStore } from '@animal-store/rate-limiting';
import type { Clock } from '@animal-store/kernel';
import { UsageUnknown } from '../../domain/api-key.errors.js';
import type { Ban } from '../../domain/ban.js';
import { type KeyUsage, UsageReader } from '../../domain/usage.reader.js';

/** Longer than for a request: a person waits for the result. */
const TIMEOUT_MS = 2_000;

/** The reads of a batch are sent together. A larger one would delay the requests of the servers. */
const SUBJECTS_A_BATCH = 500;

/** Reads the counts from the Redis that all replicas share, over a connection that the first read makes. */
export class RedisUsageReader extends UsageReader implements OnApplicationShutdown {
  constructor(
    private readonly store: RedisRateLimitStore,
    private readonly clock: Clock,
  ) {
    super();
  }

  usageOfAll(subjects: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>> {
    return this.read(async (nowMs) => {
      const usage = new Map<string, KeyUsage>();
      for (let start = 0; start < subjects.length; start += SUBJECTS_A_BATCH) {
        const batch = subjects.slice(start, start + SUBJECTS_A_BATCH);
        await Promise.all(batch.map(async (id) => usage.set(id, await this.store.usage(id, nowMs))));
      }
      return usage;
    });
  }

  bans(): Promise<ReadonlyMap<string, Ban>> {
    return this.read((nowMs) => this.store.findBans(nowMs));
  }

  onApplicationShutdown(): void {
    this.store.close();
  }

  private async read<T>(read: (nowMs: number) => Promise<T>): Promise<T> {
    try {
      await this.store.probe(TIMEOUT_MS);
      return await read(this.clock.now());
    } catch (error) {
      throw new UsageUnknown(error);
    }
  }
}
