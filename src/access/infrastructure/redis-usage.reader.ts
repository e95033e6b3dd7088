import type { RateLimitStore } from '#libs/rate-limiting';
import type { Clock } from '../../shared/clock.js';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Asks the store that all replicas count in. */
export class RedisUsageReader extends UsageReader {
  constructor(
    private readonly store: RateLimitStore,
    private readonly clock: Clock,
  ) {
    super();
  }

  async usageOf(keyId: string): Promise<KeyUsage> {
    const nowMs = this.clock.now();
    const { dayUsed, bannedUntilMs } = await this.store.usage(keyId, nowMs);
    return {
      minute: null,
      day: { used: dayUsed, resetsAtMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS },
      ban: bannedUntilMs === null ? null : { untilMs: bannedUntilMs },
    };
  }
}
