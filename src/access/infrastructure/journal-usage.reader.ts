import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { Clock } from '../../shared/clock.js';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';

interface UsageRow {
  day: bigint;
  dayCount: bigint;
  banUntilMs: bigint;
  banMs: bigint;
  banLiftedAtMs: bigint | null;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A lifted ban is known from the key at once; the row says so only when a server has taken it over. */
const USAGE = `SELECT day, day_count AS "dayCount", ban_until AS "banUntilMs", ban_ms AS "banMs",
    ban_lifted_at AS "banLiftedAtMs"
  FROM rate_limit_usage LEFT JOIN api_keys ON api_keys.id = subject WHERE subject = $1`;

/** Reads what the server has written of a key's counts: at most a second old. The minute is in its memory alone. */
@Injectable()
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
    const untilMs = row && isInForce(row, nowMs) ? Number(row.banUntilMs) : null;
    return {
      minute: null,
      day: { used, resetsAtMs: (today + 1) * DAY_MS },
      ban: untilMs === null ? null : { untilMs },
    };
  }
}

function isInForce({ banUntilMs, banMs, banLiftedAtMs }: UsageRow, nowMs: number): boolean {
  const beganAtMs = banUntilMs - banMs;
  return banUntilMs > BigInt(nowMs) && (banLiftedAtMs === null || beganAtMs > banLiftedAtMs);
}
