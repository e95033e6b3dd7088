import type { Database } from '../../platform/database/database.js';
import { type Clock, DAY_MS } from '../../shared/clock.js';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';
import { UsageRecord } from './usage.record.js';

/** Reads what the server has written of a key's counts: at most a second old. The minute is in its memory alone. */
export class JournalUsageReader extends UsageReader {
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
    // The day is a later one while the server goes on counting in it after its clock has stepped back.
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
    .statements(UsageRecord, 'usage')
    .select((usage, { subject }: Pick<UsageRecord, 'subject'>) =>
      usage.where('usage.subject = :subject', { subject }),
    );
}
