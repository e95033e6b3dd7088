import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { temporaryPostgresOptions } from '@animal-store/database/testing';
import { accessTables } from '../access.tables.js';

type Row = Record<string, unknown>;

const SCHEMA = {
  SQLite: 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name',
  PostgreSQL: `SELECT table_name || '.' || column_name AS name, data_type || is_nullable AS type
      FROM information_schema.columns WHERE table_schema = current_schema()
    UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1`,
};

const KEY = `INSERT INTO api_keys (id, hash, name, account, plan, created_at)
  VALUES ('key_old', 'hash', 'key', 'zoo', 'free', 0)`;
/** What a database has that got a part of it from migrations of before. */
const A_PART = [
  'CREATE TABLE deprecated_calls (day bigint, operation text, key_id text, calls bigint)',
  "INSERT INTO deprecated_calls VALUES (1, 'getPet', 'key_old', 7)",
  'CREATE INDEX deprecated_calls_key ON deprecated_calls (key_id, day)',
  'ALTER TABLE rate_limit_usage ADD COLUMN ban_refusals integer',
  'ALTER TABLE api_keys ADD COLUMN last_used_day integer',
  'UPDATE api_keys SET last_used_day = 20',
];

const today = () => Math.floor(Date.now() / 86_400_000);

const DATABASES: ['SQLite' | 'PostgreSQL', (folder: string) => Promise<DataSourceOptions>][] = [
  ['SQLite', async (folder) => ({ type: 'better-sqlite3', database: join(folder, 'store.db') })],
];
if (process.env['TEST_POSTGRES_URL'])
  DATABASES.push([
    'PostgreSQL',
    async () => ({ type: 'postgres', url: (await temporaryPostgresOptions()).url }),
  ]);

describe.each(DATABASES)('The tables of access on %s', (kind, optionsIn) => {
  let folder: string;
  let dataSource: DataSource;
  const query = (sql: string): Promise<Row[]> => dataSource.query(sql);

  async function migrate(migrations: typeof accessTables.migrations): Promise<void> {
    const { options } = dataSource;
    if (dataSource.isInitialized) await dataSource.destroy();
    dataSource = new DataSource({ ...options, migrations, migrationsTransactionMode: 'each' });
    await dataSource.initialize();
    await dataSource.runMigrations();
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'access-'));
    dataSource = new DataSource(await optionsIn(folder));
    await migrate(accessTables.migrations.slice(0, 2));
    await query(KEY);
  });

  afterEach(async () => {
    await dataSource.destroy();
    rmSync(folder, { recursive: true });
  });

  it('have keys of before count as used on the day they are extended, and new ones as never used', async () => {
    const beginning = today();
    await migrate(accessTables.migrations);
    await query(KEY.replace('key_old', 'key_new').replace("'hash'", "'another'"));
    const [fresh, old] = await query('SELECT last_used_day AS day FROM api_keys ORDER BY id');
    expect(Number(old!['day'])).toBeGreaterThanOrEqual(beginning);
    expect(Number(old!['day'])).toBeLessThanOrEqual(today());
    expect(fresh!['day']).toBeNull();
  });

  it('leave what a database has already, and add the rest', async () => {
    for (const sql of A_PART) await query(sql);
    await migrate(accessTables.migrations);
    expect(await query('SELECT account, key_id FROM deprecated_calls')).toEqual([
      { account: 'zoo', key_id: 'key_old' },
    ]);
    expect(await query('SELECT CAST(last_used_day AS integer) AS day FROM api_keys')).toEqual([{ day: 20 }]);
    const indexes = (await query(SCHEMA[kind])).map(({ name }) => name);
    expect(indexes).toContain('deprecated_calls_account');
    expect(indexes).not.toContain('deprecated_calls_key');
  });

  it('are the same after a way back and forth', async () => {
    await migrate(accessTables.migrations);
    const before = await query(SCHEMA[kind]);
    await dataSource.undoLastMigration();
    expect(await query(SCHEMA[kind])).not.toContainEqual(expect.objectContaining({ name: 'key_changes' }));
    await dataSource.runMigrations();
    const names = (rows: Row[]) => rows.map(({ name }) => name);
    expect(names(await query(SCHEMA[kind]))).toEqual(names(before));
  });
});
