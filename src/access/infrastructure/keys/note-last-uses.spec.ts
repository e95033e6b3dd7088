import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@animal-store/database';
import { describeOnPostgres, sqliteOptions, temporaryPostgresOptions } from '@animal-store/database/testing';
import { anApiKey, plans } from '../../testing/api-key.builder.js';
import { accessTables } from '../access.tables.js';
import { NoteLastUses1795000040000 } from '../migrations/keys/1795000040000-note-last-uses.js';
import { TypeOrmApiKeyRepository } from './typeorm-api-key.repository.js';

const { migrations } = accessTables;
const before = {
  ...accessTables,
  migrations: migrations.slice(0, migrations.indexOf(NoteLastUses1795000040000)),
};

const today = () => Math.floor(Date.now() / 86_400_000);

function testMigration(newOptions: () => Promise<Parameters<typeof openDatabase>[0]>): void {
  it('has keys of before count as used on its day, and new ones as never used', async () => {
    const options = await newOptions();
    const earlier = await openDatabase(options, [before]);
    await earlier.run((transaction) =>
      earlier
        .session(transaction)
        .query(
          `INSERT INTO api_keys (id, hash, name, account, plan, created_at) VALUES ('key_old', 'hash', 'key', 'zoo', 'free', 0)`,
        ),
    );
    await earlier.close();
    const beginning = today();
    const database = await openDatabase(options, [accessTables]);
    try {
      const keys = new TypeOrmApiKeyRepository(database, plans);
      await database.run((transaction) => keys.change([], () => [anApiKey({ id: 'key_new' })], transaction));
      const { lastUsedDay } = (await keys.findById('key_old'))!;
      expect(lastUsedDay).toBeGreaterThanOrEqual(beginning);
      expect(lastUsedDay).toBeLessThanOrEqual(today());
      expect((await keys.findById('key_new'))!.lastUsedDay).toBeNull();
    } finally {
      await database.close();
    }
  });
}

describe('The migration that notes last uses on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  testMigration(async () => sqliteOptions(join(folder, 'test.db')));
});

describeOnPostgres('The migration that notes last uses on PostgreSQL', () => {
  testMigration(temporaryPostgresOptions);
});
