import type { Database } from '@animal-store/database';
import { type Clock, DAY_MS } from '@animal-store/kernel';
import { type Ban, callerIn } from '../../domain/ban.js';
import { type KeyUsage, UsageReader } from '../../domain/usage.reader.js';
import { CounterRecord } from './counter.record.js';

/** Bounds the time of one read, as SQLite does nothing else meanwhile. */
const SUBJECTS_A_READ = 1_000;

/**
 * Reads the counts that the server has saved, at most a second ago. The minute is counted only in the server's memory.
 */
export class DatabaseUsageReader extends UsageReader {
  private readonly statements: ReturnType<typeof usageStatements>;

  constructor(
    database: Database,
    private readonly clock: Clock,
  ) {
    super();
    this.statements = usageStatements(database);
  }

  async usageOfAll(callers: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>> {
    const nowMs = this.clock.now();
    const names = [...new Set(callers.flatMap((text) => [text, callerIn(text).subject]))];
    const rows = new Map<string, CounterRecord>();
    for (let start = 0; start < names.length; start += SUBJECTS_A_READ) {
      const subjects = names.slice(start, start + SUBJECTS_A_READ);
      for (const row of await this.statements.bySubjects.getMany({ subjects })) rows.set(row.subject, row);
    }
    return new Map(
      callers.map((text) => [text, usageFrom(rows.get(callerIn(text).subject), rows.get(text), nowMs)]),
    );
  }

  async bans(): Promise<ReadonlyMap<string, Ban>> {
    const rows = await this.statements.banned.getMany({ nowMs: this.clock.now() });
    return new Map(rows.map((row) => [row.subject, banOf(row)]));
  }
}

/**
 * @param row of the subject
 * @param own of the caller
 */
function usageFrom(row: CounterRecord | undefined, own: CounterRecord | undefined, nowMs: number): KeyUsage {
  const today = Math.floor(nowMs / DAY_MS);
  // After its clock has stepped back over midnight, the server still counts in the later day.
  const used = row && row.day >= today ? row.dayCount : 0;
  return {
    minute: null,
    day: { used, resetsAtMs: (today + 1) * DAY_MS },
    ban: own && own.banUntilMs > nowMs ? banOf(own) : null,
  };
}

function banOf({ banUntilMs, banMs, banRefusals }: CounterRecord): Ban {
  return { sinceMs: banUntilMs - banMs, untilMs: banUntilMs, refusals: banRefusals || undefined };
}

function usageStatements(database: Database) {
  const usage = database.statements(CounterRecord, 'usage');
  return {
    bySubjects: usage.select<{ subjects: readonly string[] }>((row) =>
      row.where('usage.subject IN (:...subjects)'),
    ),
    banned: usage.select<{ nowMs: number }>((row) => row.where('usage.banUntilMs > :nowMs')),
  };
}
