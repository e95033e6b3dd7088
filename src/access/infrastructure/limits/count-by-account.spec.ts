import { type Database, openDatabase } from '@animal-store/database';
import { describeOnPostgres, sqliteOptions, temporaryPostgresOptions } from '@animal-store/database/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@animal-store/kernel/testing';
import { accessTables } from '../access.tables.js';
import { CountByAccount1795000022000 } from '../migrations/1795000022000-count-by-account.js';
import { DatabaseUsageReader } from './database-usage.reader.js';
import { TypeOrmLiftRepository } from './typeorm-lift.repository.js';

type Options = Parameters<typeof openDatabase>[0];

const NOON_MS = Date.UTC(2026, 2, 14, 12);
const TODAY = Math.floor(NOON_MS / 86_400_000);

const { migrations } = accessTables;
const before = {
  ...accessTables,
  migrations: migrations.slice(0, migrations.indexOf(CountByAccount1795000022000)),
};

/** So many that they come in several steps. */
const MANY_KEYS = `INSERT INTO api_keys (id, hash, name, account, plan, created_at)
  WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 6000)
  SELECT 'key_many_' || number, 'hash ' || number, 'key', 'many ' || number, 'free', 0 FROM numbers`;

/** What makes the last step fail, and its end. */
const CUT = {
  sqlite: [
    `CREATE TRIGGER cut BEFORE INSERT ON address_lifts WHEN new.address = 'account zzz' BEGIN SELECT RAISE(ABORT, 'cut'); END`,
    'DROP TRIGGER cut',
  ],
  postgres: [
    `ALTER TABLE address_lifts ADD CONSTRAINT cut CHECK (address <> 'account zzz')`,
    'ALTER TABLE address_lifts DROP CONSTRAINT cut',
  ],
} as const;

function describeMigration(newOptions: () => Promise<Options>, isCutOff: boolean): void {
  let database: Database;

  async function change(options: Options, sql: string): Promise<void> {
    const earlier = await openDatabase(options, [before]);
    await earlier.run((transaction) => earlier.session(transaction).query(sql));
    await earlier.close();
  }

  beforeAll(async () => {
    const options = await newOptions();
    const earlier = await openDatabase(options, [before]);
    const keys: [id: string, account: string, liftedAtMs: number | null][] = [
      ['key_1', 'zoo', null],
      ['key_2', 'zoo', null],
      ['key_3', 'zoo', null],
      ['key_own', 'key_own', NOON_MS],
      ['key_new', 'key_own', null],
      ['key_lone', 'key_lone', null],
      ['key_Z', 'KEY_Z', NOON_MS - 1],
      ['key_last', 'zzz', NOON_MS + 1],
    ];
    const used: [subject: string, day: number, count: number, banUntilMs: number, banMs: number][] = [
      ['key_1', TODAY, 300, 0, 0],
      ['key_2', TODAY, 900, NOON_MS + 30_000, 60_000],
      ['key_3', TODAY - 1, 77, NOON_MS + 10_000, 120_000],
      ['key_own', TODAY, 5, 0, 0],
      ['key_new', TODAY, 6, 0, 0],
      ['key_lone', TODAY, 8, NOON_MS + 1, 60_000],
      ['key_Z', TODAY, 9, 0, 0],
      ['203.0.113.7', TODAY, 0, NOON_MS + 1, 60_000],
    ];
    await earlier.run(async (transaction) => {
      const session = earlier.session(transaction);
      await session.query(MANY_KEYS);
      for (const [id, account, liftedAtMs] of keys)
        await session.query(
          `INSERT INTO api_keys (id, hash, name, account, plan, created_at, ban_lifted_at) VALUES ('${id}', '${id}', 'key', '${account}', 'free', 0, ${liftedAtMs})`,
        );
      for (const [subject, ...counts] of used)
        await session.query(
          `INSERT INTO rate_limit_usage (subject, day, day_count, ban_until, ban_ms, ban_refusals) VALUES ('${subject}', ${counts.join(', ')}, 30)`,
        );
    });
    await earlier.close();
    if (isCutOff) {
      const [cut, end] = CUT[options.kind];
      await change(options, cut);
      await expect(openDatabase(options, [accessTables])).rejects.toThrow('cut');
      await change(options, end);
    }
    database = await openDatabase(options, [accessTables]);
  });

  afterAll(() => database.close());

  it('adds up what the keys of an account have used today', async () => {
    const usage = await new DatabaseUsageReader(database, new FakeClock(NOON_MS)).usageOfAll([
      'account zoo',
      'key_own',
      'key_lone',
      'account KEY_Z',
    ]);
    expect([...usage.values()].map(({ day }) => day.used)).toEqual([1_200, 11, 8, 9]);
  });

  it('bans an account as long as the key of it that was banned longest, and nobody else', async () => {
    const bans = await new DatabaseUsageReader(database, new FakeClock(NOON_MS)).bans();
    expect(Object.fromEntries(bans)).toEqual({
      'account zoo': { sinceMs: NOON_MS - 30_000, untilMs: NOON_MS + 30_000, refusals: 30 },
      key_lone: expect.objectContaining({ untilMs: NOON_MS + 1 }),
      '203.0.113.7': expect.objectContaining({ untilMs: NOON_MS + 1 }),
    });
  });

  it('remembers which bans were lifted', async () => {
    const lifted: unknown[] = [];
    for await (const some of new TypeOrmLiftRepository(database).after(0)) lifted.push(...some);
    expect(lifted).toEqual([
      { subject: 'account KEY_Z', liftedAtMs: NOON_MS - 1, changedAtMs: NOON_MS - 1 },
      { subject: 'key_own', liftedAtMs: NOON_MS, changedAtMs: NOON_MS },
      { subject: 'account zzz', liftedAtMs: NOON_MS + 1, changedAtMs: NOON_MS + 1 },
    ]);
  });
}

describe.each([
  ['runs through', false],
  ['was cut off in the middle, and continued', true],
])('The migration from counts by key to counts by account that %s', (_, isCutOff) => {
  describe('on SQLite', () => {
    const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    describeMigration(async () => sqliteOptions(join(folder, 'test.db')), isCutOff);
  });

  describeOnPostgres('on PostgreSQL', () => {
    describeMigration(temporaryPostgresOptions, isCutOff);
  });
});
