import { databases, emptyBeforeEach, type TemporaryDatabase } from '@animal-store/database/testing';
import type { ManagedKey } from '@animal-store/api-keys/issuing';
import { managedKeyStoreChecks } from '@animal-store/api-keys/contract';
import { anApiKey, plans } from '../../testing/api-key.builder.js';
import { apiKeyRepositoryContract } from '../../testing/api-key.repository.contract.js';
import { accessTables } from '../access.tables.js';
import { TypeOrmApiKeyRepository } from './typeorm-api-key.repository.js';

/** More than are read at a time, and many issued at the same instant. */
const MANY = `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 20100)
  INSERT INTO api_keys (id, hash, name, account, plan, created_at)
  SELECT 'key_' || number, 'hash of ' || number, 'Anna', 'zoo', 'free', number % 7 FROM numbers`;

describe.each(databases)('TypeOrmApiKeyRepository on %s', (_, open) => {
  describe('as every repository', () => {
    const temporary = emptyBeforeEach(open, accessTables);
    apiKeyRepositoryContract(() => {
      const { database } = temporary;
      return { keys: new TypeOrmApiKeyRepository(database, plans), unitOfWork: database };
    });
  });

  describe('as every store of the package', () => {
    const temporary = emptyBeforeEach(open, accessTables);
    for (const { name, check } of managedKeyStoreChecks((key: ManagedKey) => anApiKey({ ...key })))
      it(name, () => check(new TypeOrmApiKeyRepository(temporary.database, plans)));
  });

  describe('with more keys than it reads at a time', () => {
    let temporary: TemporaryDatabase;
    let keys: TypeOrmApiKeyRepository;

    beforeAll(async () => {
      temporary = await open(accessTables);
      keys = new TypeOrmApiKeyRepository(temporary.database, plans);
      await temporary.database.run((transaction) => temporary.database.session(transaction).query(MANY));
    });

    afterAll(() => temporary.remove());

    it('finds what a key has made, however long the line of makers is', async () => {
      await temporary.database.run((transaction) =>
        temporary.database.session(transaction)
          .query(`UPDATE api_keys SET created_by = 'key_' || (CAST(substr(id, 5) AS INTEGER) - 1),
            revoked_at = CASE WHEN id = 'key_20100' THEN NULL ELSE 1 END WHERE id <> 'key_1'`),
      );
      expect((await keys.descendantsOf('key_1', 0)).map(({ id }) => id)).toEqual(['key_20100']);
    });

    it('reads no expired keys of an account for its active ones', async () => {
      const { database, statements } = temporary;
      const run = (sql: string) => database.run((transaction) => database.session(transaction).query(sql));
      await run('UPDATE api_keys SET expires_at = 1');
      await run('ANALYZE');
      const sql = statements.all.find((text) => text.startsWith('WITH active'))!;
      const values = ["'zoo'", "'zoo'", '5', "''", '10'];
      const read = sql.replace(/\?|\$\d/g, () => values.shift()!);
      const explain = database.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN ANALYZE';
      const steps = (await database.query<object>(`${explain} ${read}`)).flatMap(Object.values).join('\n');
      expect(steps.match(/api_keys_[a-z]\w+/g)).toEqual(Array(2).fill('api_keys_ends_of_account'));
      expect(steps).not.toContain('Removed');
      expect(await keys.activeOf('zoo', 5, '', 10)).toEqual([]);
    });

    it('lists each of them once', async () => {
      const lengths: number[] = [];
      const ids = new Set<string>();
      for await (const batch of keys.batches({})) {
        lengths.push(batch.length);
        for (const { id } of batch) ids.add(id);
      }
      expect(lengths).toEqual([...Array<number>(20).fill(1_000), 100]);
      expect(ids.size).toBe(20_100);
    });
  });
});
