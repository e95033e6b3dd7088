import type { Database } from '../../platform/database/database.js';
import { type Clock, DAY_MS } from '../../shared/clock.js';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';
import { CounterRecord } from './counter.record.js';

/**
 * Reads the counts that the server has saved, at most a second ago. The minute is counted only in the server's memory.
 */
export class DatabaseUsageReader extends UsageReader {
  private readonly bySubject: ReturnType<typeof usageBySubject>;

  constructor(
    database: Database,
    private readonly clock: Clock,
  ) {
    super();
    this.bySubject = usageBySubject(database);
  }

  async usageOf(keyId: string): Promise<KeyUsage> {
    const nowMs = this.clock.now();
    const today = Math.floor(nowMs / DAY_MS);
    const row = await this.bySubject.getOne({ subject: keyId });
    // After its clock has stepped back over midnight, the server still counts in the later day.
    const used = row && Number(row.day) >= today ? Number(row.dayCount) : 0;
    const isBanned = row !== null && row.banUntilMs > BigInt(nowMs);
    return {
      minute: null,
      day: { used, resetsAtMs: (today + 1) * DAY_MS },
      ban: isBanned ? { fromMs: Number(row.banUntilMs - row.banMs), untilMs: Number(row.banUntilMs) } : null,
    };
  }
}

function usageBySubject(database: Database) {
  return database
    .statements(CounterRecord, 'usage')
    .select((usage, { subject }: Pick<CounterRecord, 'subject'>) =>
      usage.where('usage.subject = :subject', { subject }),
    );
}
