import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS } from '@animal-store/kernel';
import type { CounterRow } from '@animal-store/rate-limiting';
import { Database, type RecordNames } from '@animal-store/database';
import { Every, Job, REMOVAL, RemoveExpired } from '@animal-store/jobs';
import { Settings } from '../../../settings/settings.js';
import { bannedOf, callerIn, callerText } from '../../domain/ban.js';
import { CounterRecord } from './counter.record.js';

/** Bounds the memory for one page while the counters are loaded, and the time that reading it takes on SQLite. */
const ROWS_A_PAGE = 1_000;
const DAY = 'day';
/** Sorts before every subject, as no subject is empty. */
const BEFORE_ALL = '';

/** Saves day counts and bans in the database of the service. */
@Injectable()
export class TypeOrmCounterStore {
  private readonly statements: ReturnType<typeof counterStatements>;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
  ) {
    this.statements = counterStatements(database);
  }

  /** Each row replaces that of its subject and caller. */
  async save(rows: readonly CounterRow[]): Promise<void> {
    const { save } = this.statements;
    const records = JSON.stringify(rows.map(recordOf));
    await this.database.run((transaction) => save.getMany({ rows: records }, transaction));
  }

  /** The rows that have not expired, in pages. */
  async *load(nowMs: number): AsyncIterable<CounterRow[]> {
    const { memoryMs } = this.settings.rateLimits.ban;
    const oldest = { day: Math.floor(nowMs / DAY_MS), banUntilMs: nowMs - memoryMs };
    let records: readonly CounterRecord[];
    let after = BEFORE_ALL;
    do {
      records = await this.statements.load.getMany({ ...oldest, after });
      yield records.map(rowOf);
      after = records.at(-1)?.subject ?? after;
    } while (records.length === ROWS_A_PAGE);
  }
}

/** Only the longest window is saved, which is the day in the plans of keys. */
function recordOf({ windows, banUntilMs, banMs, banRefusals, ...caller }: CounterRow): CounterRecord {
  const day = windows.find(({ key }) => key === DAY);
  const counts = { day: day ? day.endMs / DAY_MS - 1 : 0, dayCount: day?.count ?? 0 };
  return { subject: callerText(caller), ...counts, banUntilMs, banMs, banRefusals };
}

function rowOf({ subject: text, day, dayCount, banRefusals, ...ban }: CounterRecord): CounterRow {
  const windows = dayCount === 0 ? [] : [{ key: DAY, endMs: (day + 1) * DAY_MS, count: dayCount }];
  const isAddress = bannedOf(text).address !== null;
  return { ...callerIn(text), isAddress, windows, ...ban, banRefusals: banRefusals ?? 0 };
}

/** Saved counters of days that ended so long ago that no ban of theirs lengthens the next one. */
@Job('rate-limits.remove-expired', REMOVAL)
@Every('10m')
export class RemoveExpiredCounters extends RemoveExpired<CounterRecord, 'day' | 'subject'> {
  constructor(database: Database, clock: Clock, { rateLimits }: Settings) {
    super(database, CounterRecord, {
      beginning: { day: -1, subject: BEFORE_ALL },
      where: ({ day, banUntilMs }) => `${day} < :lastDay AND ${banUntilMs} < :banUntilMs`,
      args: () => {
        const banUntilMs = clock.now() - rateLimits.ban.memoryMs;
        // A day earlier than the bans that are remembered, so that a step meets none of them and reads what it removes.
        return { banUntilMs, lastDay: Math.floor(banUntilMs / DAY_MS) - 1 };
      },
    });
  }
}

type CounterPage = Pick<CounterRecord, 'day' | 'banUntilMs'> & { readonly after: string };

function counterStatements(database: Database) {
  const usage = database.statements(CounterRecord, 'usage');
  return {
    save: usage.sql<{ rows: string }>((names) => saveSql(names, database.dialect)),
    load: usage.select<CounterPage>((row) =>
      row
        .where('usage.subject > :after')
        .andWhere('(usage.day >= :day OR usage.banUntilMs >= :banUntilMs)')
        .orderBy('usage.subject')
        .limit(ROWS_A_PAGE),
    ),
  };
}

/**
 * One row at a time would be a round trip each, and with a placeholder for each value every number of rows would be
 * another statement. Here one JSON parameter holds all rows.
 */
function saveSql({ table, columns }: RecordNames<CounterRecord>, dialect: Database['dialect']): string {
  const { subject, ...counts } = columns;
  const stored = Object.values(counts);
  const values = Object.keys(counts).map((name) => `CAST(value->>'${name}' AS BIGINT)`);
  const rows = dialect === 'postgres' ? 'json_array_elements(:rows::json)' : 'json_each(:rows)';
  return `INSERT INTO ${table} (${subject}, ${stored.join(', ')})
    SELECT value->>'subject', ${values.join(', ')} FROM ${rows} WHERE TRUE
    ON CONFLICT (${subject}) DO UPDATE SET ${stored.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}
