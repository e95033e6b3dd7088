import { Injectable } from '@nestjs/common';
import { DAY_MS } from '@animal-store/kernel';
import { CounterStore, type CounterRow } from '@animal-store/rate-limiting';
import { Database, type RecordNames } from '@animal-store/database';
import { Settings } from '../../settings/settings.js';
import { CounterRecord } from './counter.record.js';

/**
 * Bounds the memory for one page while the counters are loaded, and the time that reading it takes on the embedded
 * database.
 */
const ROWS_A_PAGE = 1_000;
/** Sorts before every subject, as no subject is empty. */
const BEFORE_ALL = '';

/** Saves day counts and bans in the database of the service. */
@Injectable()
export class TypeOrmCounterStore extends CounterStore {
  private readonly statements: ReturnType<typeof counterStatements>;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
  ) {
    super();
    this.statements = counterStatements(database);
  }

  async save(rows: readonly CounterRow[]): Promise<void> {
    const { saveAll, save } = this.statements;
    await this.database.run(async (transaction) => {
      if (saveAll) await saveAll.getMany({ rows: JSON.stringify(rows) }, transaction);
      else for (const row of rows) await save.execute(toCounterRecord(row), transaction);
    });
  }

  async *load(nowMs: number): AsyncIterable<CounterRow[]> {
    const oldest = oldestCounter(nowMs, this.settings);
    let records: readonly CounterRecord[];
    let after = BEFORE_ALL;
    do {
      records = await this.statements.load.getMany({ ...oldest, after });
      yield records.map(toCounterRow);
      after = records.at(-1)?.subject ?? after;
    } while (records.length === ROWS_A_PAGE);
  }
}

type CounterPage = Pick<CounterRecord, 'day' | 'banUntilMs'> & { readonly after: string };

function counterStatements(database: Database) {
  const usage = database.statements(CounterRecord, 'usage');
  return {
    save: usage.insertWithId(['subject', 'day', 'dayCount', 'banUntilMs', 'banMs'], {
      replaces: ['subject'],
    }),
    saveAll: database.dialect === 'postgres' ? usage.sql<{ rows: string }>(saveAllRows) : null,
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
function saveAllRows({ table, columns }: RecordNames<CounterRecord>): string {
  const { subject, ...counts } = columns;
  const names = Object.keys(counts).map((name) => `"${name}"`);
  const stored = Object.values(counts);
  return `INSERT INTO ${table} (${subject}, ${stored.join(', ')})
    SELECT subject, ${names.join(', ')} FROM json_to_recordset(:rows::json)
      AS row(subject text, ${names.map((name) => `${name} bigint`).join(', ')})
    ON CONFLICT (${subject}) DO UPDATE SET ${stored.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}

/** The oldest day and the oldest end of a ban that still matter at `nowMs`. */
export function oldestCounter(
  nowMs: number,
  { rateLimits }: Pick<Settings, 'rateLimits'>,
): { day: bigint; banUntilMs: bigint } {
  return {
    // The day before matters too: a clock may step back over midnight.
    day: BigInt(Math.floor(nowMs / DAY_MS) - 1),
    banUntilMs: BigInt(nowMs - rateLimits.ban.memorySeconds * 1_000),
  };
}

/** How the ids of keys begin, and no address does. */
const KEY_ID_PREFIX = 'key_';

function toCounterRow({ subject, day, dayCount, banUntilMs, banMs }: CounterRecord): CounterRow {
  return {
    subject,
    isAddress: !subject.startsWith(KEY_ID_PREFIX),
    day: Number(day),
    dayCount: Number(dayCount),
    banUntilMs: Number(banUntilMs),
    banMs: Number(banMs),
  };
}

function toCounterRecord({ subject, day, dayCount, banUntilMs, banMs }: CounterRow): CounterRecord {
  return {
    subject,
    day: BigInt(day),
    dayCount: BigInt(dayCount),
    banUntilMs: BigInt(banUntilMs),
    banMs: BigInt(banMs),
  };
}
