import type { Database } from '../../database/database.js';
import type { Clock } from '../../shared/clock.js';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';

interface UsageRow {
  day: bigint;
  dayCount: bigint;
  banUntilMs: bigint;
  banMs: bigint;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

const USAGE = `SELECT day, day_count AS "dayCount", ban_until AS "banUntilMs", ban_ms AS "banMs"
  FROM rate_limit_usage WHERE subject = $1`;

/** Reads what the server has written of a key's counts: at most a second old. The minute is in its memory alone. */
export class JournalUsageReader extends UsageReader {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  async usageOf(keyId: string): Promise<KeyUsage> {
    const nowMs = this.clock.now();
    const today = Math.floor(nowMs / DAY_MS);
    const [row] = await this.database.query<UsageRow>(USAGE, [keyId]);
    const used = row && Number(row.day) === today ? Number(row.dayCount) : 0;
    const isBanned = row !== undefined && row.banUntilMs > BigInt(nowMs);
    return {
      minute: null,
      day: { used, resetsAtMs: (today + 1) * DAY_MS },
      ban: isBanned ? { fromMs: Number(row.banUntilMs - row.banMs), untilMs: Number(row.banUntilMs) } : null,
    };
  }
}
