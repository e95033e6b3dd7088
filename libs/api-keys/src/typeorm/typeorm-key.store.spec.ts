import { randomBytes } from 'node:crypto';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { managedKeyStoreChecks } from '../testing/managed-key-store.contract.js';
import { issueKey, type ManagedKey } from '../issuing/managed-key.js';
import { apiKeyTables, TypeOrmKeyStore } from './index.js';

const schema = `keys_${randomBytes(8).toString('hex')}`;
const POSTGRES_URL = process.env.TEST_POSTGRES_URL;

const databases: [string, DataSourceOptions][] = [
  ['SQLite', { type: 'better-sqlite3', database: ':memory:' }],
];
if (POSTGRES_URL) {
  const options = { type: 'postgres', schema, extra: { options: `-c search_path=${schema}` } } as const;
  databases.push(['PostgreSQL', { ...options, url: POSTGRES_URL }]);
}

interface Facts {
  readonly team: string;
  readonly perMinute: number;
}

describe.each(databases)('TypeOrmKeyStore on %s', (_, options) => {
  let dataSource: DataSource;
  let store: TypeOrmKeyStore<Facts>;

  beforeAll(async () => {
    if (options.type === 'postgres') {
      const admin = await new DataSource({ type: 'postgres', url: POSTGRES_URL }).initialize();
      await admin.query(`CREATE SCHEMA ${schema}`).finally(() => admin.destroy());
    }
    dataSource = await new DataSource({ ...options, ...apiKeyTables }).initialize();
    store = new TypeOrmKeyStore(dataSource);
  });

  beforeEach(() => dataSource.query('DELETE FROM api_keys'));

  afterAll(() => dataSource?.destroy());

  for (const { name, check } of managedKeyStoreChecks(
    (key) => key.with({ team: 'blue', perMinute: 60 }) as ManagedKey & Facts,
  ))
    it(name, () => check(store));

  const aKey = (id: string) =>
    issueKey({ id, text: '', hash: `hash of ${id}` }, { name: 'Till', team: 'blue', perMinute: 60 }, 1_000);

  it('gives authentication the facts of the application, and nothing that changes without need', async () => {
    await store.change([], () => [aKey('key_anna')]);
    expect(await store.findByHash('hash of key_anna')).toEqual({
      keyId: 'key_anna',
      hash: 'hash of key_anna',
      account: 'key_anna',
      scopes: null,
      expiresAtMs: null,
      revokedAtMs: null,
      team: 'blue',
      perMinute: 60,
    });
  });

  it('changes keys in a transaction of the application, which may still fail', async () => {
    const failing = dataSource.transaction(async (manager: EntityManager) => {
      await store.change([], () => [aKey('key_anna')], manager);
      throw new Error('the owner objects');
    });
    await expect(failing).rejects.toThrow('the owner objects');
    expect(await store.findByHash('hash of key_anna')).toBeNull();
    await dataSource.transaction((manager) => store.change([], () => [aKey('key_anna')], manager));
    expect(await store.findByHash('hash of key_anna')).toMatchObject({ keyId: 'key_anna' });
  });

  it('has the tables that its migration removes again', async () => {
    await dataSource.undoLastMigration();
    await expect(dataSource.query('SELECT * FROM api_keys')).rejects.toThrow();
    await dataSource.runMigrations();
    expect(await dataSource.query('SELECT * FROM api_keys')).toEqual([]);
  });
});
