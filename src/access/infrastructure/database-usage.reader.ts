import type { Database } from '@animal-store/database';
import { type Clock, DAY_MS } from '@animal-store/kernel';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';
import { CounterRecord } from './counter.record.js';

/** Bounds the time of one read, as the embedded database answers nothing else meanwhile. */
const KEYS_A_READ = 1_000;

/**
 * Reads the counts that the server has saved, at most a second ago. The minute is counted only in the server's memory.
 */
export class DatabaseUsageReader extends UsageReader {
  private readonly bySubjects: ReturnType<typeof usageBySubjects>;

  constructor(
    database: Database,
    private readonly clock: Clock,
  ) {
    super();
    this.bySubjects = usageBySubjects(database);
  }

  async usageOfAll(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>> {
    const nowMs = this.clock.now();
    const unused = usageFrom(null, nowMs);
    const usage = new Map(keyIds.map((id) => [id, unused]));
    for (let start = 0; start < keyIds.length; start += KEYS_A_READ) {
      const subjects = keyIds.slice(start, start + KEYS_A_READ);
      for (const row of await this.bySubjects.getMany({ subjects }))
        usage.set(row.subject, usageFrom(row, nowMs));
    }
    return usage;
  }
}

function usageFrom(row: CounterRecord | null, nowMs: number): KeyUsage {
  const today = Math.floor(nowMs / DAY_MS);
  // After its clock has stepped back over midnight, the server still counts in the later day.
  const used = row && Number(row.day) >= today ? Number(row.dayCount) : 0;
  const isBanned = row !== null && row.banUntilMs > BigInt(nowMs);
  return {
    minute: null,
    day: { used, resetsAtMs: (today + 1) * DAY_MS },
    ban: isBanned ? { fromMs: Number(row.banUntilMs - row.banMs), untilMs: Number(row.banUntilMs) } : null,
  };
}

function usageBySubjects(database: Database) {
  return database
    .statements(CounterRecord, 'usage')
    .select<{ subjects: readonly string[] }>((usage) => usage.where('usage.subject IN (:...subjects)'));
}
