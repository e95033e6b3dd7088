import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
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

/** The PostgreSQL of the run may still be starting. */
async function opened(options: DataSourceOptions): Promise<DataSource> {
  for (;;) {
    try {
      return await new DataSource(options).initialize();
    } catch (error) {
      if (!['ECONNREFUSED', '57P03'].includes((error as { code: string }).code)) throw error;
      await delay(100);
    }
  }
}

describe.each(databases)('TypeOrmKeyStore on %s', (_, options) => {
  let dataSource: DataSource;
  let store: TypeOrmKeyStore<Facts>;

  beforeAll(async () => {
    if (options.type === 'postgres') {
      const admin = await opened({ type: 'postgres', url: POSTGRES_URL });
      await admin.query(`CREATE SCHEMA ${schema}`).finally(() => admin.destroy());
    }
    dataSource = await opened({ ...options, ...apiKeyTables });
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

  if (options.type === 'postgres') {
    it('refuses for a key that was revoked since a transaction of the application began to read', async () => {
      const [anna] = await store.change([], () => [aKey('key_anna')]);
      const late = dataSource.transaction('REPEATABLE READ', async (within) => {
        await within.query('SELECT count(*) FROM api_keys');
        await store.change([anna!.id], (found) => [found.get(anna!.id)!.revoke(2_000)]);
        return store.change([anna!.id], () => [aKey('key_bert')], within);
      });
      await expect(late).rejects.toThrow('could not serialize');
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
  } else {
    it('takes no transaction of the application, as servers would read what it has not committed', async () => {
      const within = dataSource.transaction((manager) => store.change([], () => [aKey('key_anna')], manager));
      await expect(within).rejects.toThrow('do not pass `within`');
    });
  }

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

  it('has the tables that its migration removes again', async () => {
    await dataSource.undoLastMigration();
    await expect(dataSource.query('SELECT * FROM api_keys')).rejects.toThrow();
    await dataSource.runMigrations();
    expect(await dataSource.query('SELECT * FROM api_keys')).toEqual([]);
  });
});
