import type { UsageRow } from '#libs/rate-limiting';
import type { UsageRecord } from './usage.record.js';

export function toUsageRow({ subject, day, dayCount, banUntilMs, banMs }: UsageRecord): UsageRow {
  return {
    subject,
    day: Number(day),
    dayCount: Number(dayCount),
    banUntilMs: Number(banUntilMs),
    banMs: Number(banMs),
  };
}

export function toUsageRecord({ subject, day, dayCount, banUntilMs, banMs }: UsageRow): UsageRecord {
  return {
    subject,
    day: BigInt(day),
    dayCount: BigInt(dayCount),
    banUntilMs: BigInt(banUntilMs),
    banMs: BigInt(banMs),
  };
}
