import type { CounterRow } from '@animal-store/rate-limiting';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { FakeClock } from '@animal-store/kernel/testing';
import { loadSettings } from '../../../settings/settings.js';
import { accessTables } from '../access.tables.js';
import { DatabaseUsageReader } from './database-usage.reader.js';
import { RemoveExpiredCounters, TypeOrmCounterStore } from './typeorm-counter.store.js';

const NOON = Date.UTC(2026, 2, 14, 12);
const TODAY = 20_526;
const HOUR = 3_600_000;
const noBan = { banUntilMs: 0, banMs: 0, banRefusals: 0 };

/** A row of a subject and of its own ban. */
function rowOf(
  subject: string,
  given: Partial<CounterRow & { day: number; dayCount: number }> = {},
): CounterRow {
  const { day = TODAY, dayCount = 0, ...row } = given;
  const windows = dayCount === 0 ? [] : [{ key: 'day', endMs: (day + 1) * 24 * HOUR, count: dayCount }];
  return { subject, caller: subject, isAddress: false, windows, ...noBan, ...row };
}

describe.each(databases)('TypeOrmCounterStore on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, accessTables);
  let counterStore: TypeOrmCounterStore;
  let clock: FakeClock;
  let reader: DatabaseUsageReader;

  beforeEach(async () => {
    counterStore = new TypeOrmCounterStore(temporary.database, loadSettings({}));
    clock = new FakeClock(NOON);
    reader = new DatabaseUsageReader(temporary.database, clock);
  });

  async function loaded(): Promise<CounterRow[]> {
    const rows: CounterRow[] = [];
    for await (const page of counterStore.load(NOON)) rows.push(...page);
    return rows;
  }

  it('loads what it has saved', async () => {
    const ban = { banUntilMs: NOON + HOUR, banMs: HOUR, banRefusals: 30 };
    const rows = [
      rowOf('account zoo', { dayCount: 23 }),
      rowOf('account zoo', { caller: 'key_till', ...ban }),
      rowOf('key_anna', { dayCount: 17 }),
      rowOf('key_bert', ban),
      rowOf('2001:db8::/64', { isAddress: true, ...ban }),
    ];
    await counterStore.save(rows);
    expect(await loaded()).toEqual(expect.arrayContaining(rows));
    expect(await loaded()).toHaveLength(5);
  });

  it('loads each row once, in pages of limited size', async () => {
    const numbers = Array.from({ length: 2_500 }, (_, index) => index);
    const rows = numbers.map((number) => rowOf(`key_${number}`, { dayCount: 1 }));
    await counterStore.save(rows);
    const pages: (readonly CounterRow[])[] = [];
    for await (const page of counterStore.load(NOON)) pages.push(page);
    expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(new Set(pages.flat().map(({ subject }) => subject)).size).toBe(2_500);
  });

  describe('with rows of earlier days', () => {
    beforeEach(() =>
      counterStore.save([
        rowOf('key_anna', { dayCount: 17, day: TODAY - 2 }),
        rowOf('key_bert', { dayCount: 17, day: TODAY - 1 }),
        rowOf('key_carl', { day: TODAY - 2, dayCount: 17, banUntilMs: NOON - 23 * HOUR, banMs: HOUR }),
        rowOf('key_dora', { day: TODAY - 3, dayCount: 17, banUntilMs: NOON - 25 * HOUR, banMs: HOUR }),
        rowOf('key_emil', { dayCount: 17, day: TODAY - 9 }),
      ]),
    );

    it('loads bans that began within the last day, and no counts', async () => {
      expect((await loaded()).map(({ subject }) => subject).sort()).toEqual(['key_carl']);
    });

    it('removes rows of days whose bans are forgotten', async () => {
      const job = new RemoveExpiredCounters(temporary.database, clock, loadSettings({}));
      const { signal } = new AbortController();
      const left = () => temporary.database.query('SELECT subject FROM rate_limit_usage ORDER BY subject');

      await job.run(null, signal);
      expect(await left()).toEqual([
        { subject: 'key_anna' },
        { subject: 'key_bert' },
        { subject: 'key_carl' },
      ]);
      clock.advance(24 * HOUR);
      await job.run(null, signal);
      expect(await left()).toEqual([{ subject: 'key_bert' }]);
    });
  });

  it('shows what a key of an account has used, and its own ban', async () => {
    await counterStore.save([
      rowOf('account zoo', { dayCount: 17 }),
      rowOf('account zoo', { caller: 'key_till', banUntilMs: NOON + 60_000, banMs: 90_000 }),
    ]);
    const usage = await reader.usageOfAll(['account zoo\nkey_till', 'account zoo\nkey_shop']);
    expect(usage.get('account zoo\nkey_till')).toMatchObject({
      minute: null,
      day: { used: 17, resetsAtMs: Date.UTC(2026, 2, 15) },
      ban: { sinceMs: NOON - 30_000, untilMs: NOON + 60_000 },
    });
    expect(usage.get('account zoo\nkey_shop')).toMatchObject({ day: { used: 17 }, ban: null });
  });

  it('shows the saved bans in force', async () => {
    const ban = { banMs: HOUR };
    await counterStore.save([
      rowOf('key_anna', { ...ban, banUntilMs: NOON }),
      rowOf('key_bert', { ...ban, banUntilMs: NOON + 1 }),
      rowOf('2001:db8::/64', { ...ban, banUntilMs: NOON + 2 }),
    ]);
    expect(await reader.bans()).toEqual(
      new Map([
        ['key_bert', { sinceMs: NOON + 1 - HOUR, untilMs: NOON + 1 }],
        ['2001:db8::/64', { sinceMs: NOON + 2 - HOUR, untilMs: NOON + 2 }],
      ]),
    );
  });

  it('shows zero usage on a new day, and no ban that has ended', async () => {
    await counterStore.save([
      rowOf('key_anna', { day: TODAY, dayCount: 17, banUntilMs: NOON, banMs: 60_000 }),
    ]);
    clock.advance(12 * HOUR);
    expect((await reader.usageOfAll(['key_anna'])).get('key_anna')).toEqual({
      minute: null,
      day: { used: 0, resetsAtMs: Date.UTC(2026, 2, 16) },
      ban: null,
    });
  });
});
