import { Injectable } from '@nestjs/common';
import { UsageJournal, type UsageRow } from '#libs/rate-limiting';
import { Settings } from '../../config/settings.js';
import { Database, type SqlValue } from '../../database/database.js';
import type { UsageRecord } from './usage.record.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

const SAVE = 'INSERT INTO rate_limit_usage (subject, day, day_count, ban_until, ban_ms)';
const REPLACE = `ON CONFLICT (subject) DO UPDATE SET day = excluded.day, day_count = excluded.day_count,
  ban_until = excluded.ban_until, ban_ms = excluded.ban_ms`;
const SAVE_ONE = `${SAVE} VALUES ($1, $2, $3, $4, $5) ${REPLACE}`;
/** For PostgreSQL, where a row at a time would be a round trip a row. */
const SAVE_ALL = `${SAVE} SELECT subject, day, "dayCount", "banUntilMs", "banMs" FROM json_to_recordset($1::json)
  AS row(subject text, day bigint, "dayCount" bigint, "banUntilMs" bigint, "banMs" bigint) ${REPLACE}`;
/** The day before counts too: clocks step back over midnight. */
const LOAD = `SELECT subject, day, day_count AS "dayCount", ban_until AS "banUntilMs", ban_ms AS "banMs"
  FROM rate_limit_usage WHERE day >= $1 OR ban_until >= $2`;
const FORGET = 'DELETE FROM rate_limit_usage WHERE day < $1 AND ban_until < $2';

/** Keeps day counts and bans in the service's own database. */
@Injectable()
export class SqlUsageJournal extends UsageJournal {
  private readonly banMemoryMs: number;

  constructor(
    private readonly database: Database,
    { rateLimits }: Settings,
  ) {
    super();
    this.banMemoryMs = rateLimits.ban.memorySeconds * 1_000;
  }

  async save(rows: readonly UsageRow[]): Promise<void> {
    await this.database.run(async (transaction) => {
      const session = this.database.session(transaction);
      if (this.database.dialect === 'postgres') await session.query(SAVE_ALL, [JSON.stringify(rows)]);
      else for (const row of rows) await session.query(SAVE_ONE, values(row));
    });
  }

  async load(nowMs: number): Promise<UsageRow[]> {
    const oldest = [BigInt(Math.floor(nowMs / DAY_MS) - 1), BigInt(nowMs - this.banMemoryMs)];
    await this.database.run((transaction) => this.database.session(transaction).query(FORGET, oldest));
    const records = await this.database.query<UsageRecord>(LOAD, oldest);
    return records.map(({ subject, day, dayCount, banUntilMs, banMs }) => ({
      subject,
      day: Number(day),
      dayCount: Number(dayCount),
      banUntilMs: Number(banUntilMs),
      banMs: Number(banMs),
    }));
  }
}

function values({ subject, day, dayCount, banUntilMs, banMs }: UsageRow): SqlValue[] {
  return [subject, day, dayCount, banUntilMs, banMs];
}
