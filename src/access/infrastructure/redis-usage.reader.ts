import { RedisRateLimitStore, type Usage } from '#libs/rate-limiting';
import { type Clock, DAY_MS } from '../../shared/clock.js';
import { UsageUnknown } from '../domain/api-key.errors.js';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';

/** Longer than for a request: a person waits for the result. */
const TIMEOUT_MS = 2_000;

/** Reads the counts from the Redis that all replicas share, over a connection opened for one read. */
export class RedisUsageReader extends UsageReader {
  constructor(
    private readonly url: string,
    private readonly clock: Clock,
  ) {
    super();
  }

  async usageOf(keyId: string): Promise<KeyUsage> {
    const nowMs = this.clock.now();
    const { minuteUsed, minuteEndsAtMs, dayUsed, bannedSinceMs, bannedUntilMs } = await this.ask(
      keyId,
      nowMs,
    );
    return {
      minute: minuteEndsAtMs === null ? null : { used: minuteUsed, resetsAtMs: minuteEndsAtMs },
      day: { used: dayUsed, resetsAtMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS },
      ban: bannedUntilMs === null ? null : { fromMs: bannedSinceMs!, untilMs: bannedUntilMs },
    };
  }

  private async ask(keyId: string, nowMs: number): Promise<Usage> {
    const store = await RedisRateLimitStore.at(this.url);
    try {
      await store.probe(TIMEOUT_MS);
      return await store.usage(keyId, nowMs);
    } catch (error) {
      throw new UsageUnknown(error);
    } finally {
      store.close();
    }
  }
}
