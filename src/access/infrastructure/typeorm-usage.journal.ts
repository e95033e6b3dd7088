import { Injectable } from '@nestjs/common';
import { UsageJournal, type UsageRow } from '#libs/rate-limiting';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import type { RecordNames } from '../../platform/database/statements/record-statements.js';
import { oldestUsage } from './oldest-usage.js';
import { toUsageRecord, toUsageRow } from './usage-record.mapper.js';
import { UsageRecord } from './usage.record.js';

/** Bounds what is in memory twice while the counts are read, and the time that the embedded database takes for one page. */
const ROWS_A_PAGE = 1_000;
/** No subject is empty. */
const BEFORE_ALL = '';

/** Saves day counts and bans in the service's own database. */
@Injectable()
export class TypeOrmUsageJournal extends UsageJournal {
  private readonly statements: ReturnType<typeof usageStatements>;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
  ) {
    super();
    this.statements = usageStatements(database);
  }

  async save(rows: readonly UsageRow[]): Promise<void> {
    const { saveAll, save } = this.statements;
    await this.database.run(async (transaction) => {
      if (saveAll) await saveAll.getMany({ rows: JSON.stringify(rows) }, transaction);
      else for (const row of rows) await save.execute(toUsageRecord(row), transaction);
    });
  }

  async *load(nowMs: number): AsyncIterable<UsageRow[]> {
    const oldest = oldestUsage(nowMs, this.settings);
    let records: UsageRecord[];
    let after = BEFORE_ALL;
    do {
      records = await this.statements.load.getMany({ ...oldest, after });
      yield records.map(toUsageRow);
      after = records.at(-1)?.subject ?? after;
    } while (records.length === ROWS_A_PAGE);
  }
}

type UsagePage = Pick<UsageRecord, 'day' | 'banUntilMs'> & { readonly after: string };

function usageStatements(database: Database) {
  const usage = database.statements(UsageRecord, 'usage');
  return {
    save: usage.insertWithId((row, { subject, day, dayCount, banUntilMs, banMs }: UsageRecord) =>
      row
        .values({ subject, day, dayCount, banUntilMs, banMs })
        .orUpdate(['day', 'dayCount', 'banUntilMs', 'banMs'], ['subject']),
    ),
    saveAll: database.dialect === 'postgres' ? usage.sql<{ rows: string }>(saveAllRows) : null,
    load: usage.select((row, { after, day, banUntilMs }: UsagePage) =>
      row
        .where('usage.subject > :after', { after })
        .andWhere('(usage.day >= :day OR usage.banUntilMs >= :banUntilMs)', { day, banUntilMs })
        .orderBy('usage.subject')
        .limit(ROWS_A_PAGE),
    ),
  };
}

/**
 * The builder writes every value of every row as a placeholder of its own, in another text for each number of rows; a
 * row at a time would be a round trip a row. One JSON text holds them all.
 */
function saveAllRows({ table, columns }: RecordNames<UsageRecord>): string {
  const { subject, ...counts } = columns;
  const names = Object.keys(counts).map((name) => `"${name}"`);
  const stored = Object.values(counts);
  return `INSERT INTO ${table} (${subject}, ${stored.join(', ')})
    SELECT subject, ${names.join(', ')} FROM json_to_recordset(:rows::json)
      AS row(subject text, ${names.map((name) => `${name} bigint`).join(', ')})
    ON CONFLICT (${subject}) DO UPDATE SET ${stored.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}
