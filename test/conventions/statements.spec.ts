import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import pg from 'pg';
import { groupedSql } from '@animal-store/database';
import { describeOnPostgres, temporaryPostgresOptions } from '@animal-store/database/testing';
import { TestApp } from '../support/test-app.js';

const COMMAND = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA)/i;

describe('The statements of the service on SQLite', () => {
  const prepared = new Set<string>();
  let store: TestApp;

  beforeAll(async () => {
    store = await TestApp.start();
    const { prepare } = SqliteConnection.prototype;
    jest.spyOn(SqliteConnection.prototype, 'prepare').mockImplementation(function (
      this: Connection,
      sql: string,
    ) {
      prepared.add(sql);
      return prepare.call(this, sql);
    });
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await store.stop();
  });

  it('are all listed', async () => {
    const key = await store.key();
    const post = (path: string, body: object, idempotencyKey: string) =>
      store.send('POST', path, key).set('Idempotency-Key', idempotencyKey).send(body);
    prepared.clear();
    await post('/v1/pets', { name: 'Rex', categoryId: 7 }, 'one').expect(201);
    await post('/v1/pets', { name: 'Mia', categoryId: 7 }, 'two').expect(201);
    await post('/v1/store/orders', { petId: 1 }, 'three').expect(201);
    await post('/v1/store/orders/1/complete', {}, 'four').expect(200);
    for (const path of [
      '/v1/pets?limit=1',
      '/v1/pets?status=sold',
      '/v1/store/orders?status=placed',
      '/v1/pets/1',
    ])
      await store.send('GET', path, key).expect(200);

    const listed = new Set(store.database.everyStatement());
    const unlisted = [...prepared].filter((sql) => !COMMAND.test(sql) && !listed.has(sql));
    expect(prepared.size).toBeGreaterThan(10);
    expect(unlisted).toEqual([]);
  });
});

describeOnPostgres('The statements of the service on PostgreSQL', () => {
  let store: TestApp;
  let client: pg.Client;

  beforeAll(async () => {
    const { url } = await temporaryPostgresOptions();
    store = await TestApp.start({ DATABASE_URL: url });
    client = new pg.Client({ connectionString: url });
    await client.connect();
    // The tables are empty, where reading all of one is cheapest; only what has no index to go by does it now.
    await client.query('SET enable_seqscan = off');
  });

  afterAll(async () => {
    await client.end();
    await store.stop();
  });

  /** Those whose plan reads a whole table. */
  async function wasteful(statements: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const sql of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${sql}`);
      if (rows.some((row) => row['QUERY PLAN'].includes('Seq Scan'))) found.push(sql);
    }
    return found;
  }

  /** The types that PostgreSQL finds for the placeholders. */
  async function typesOf(sql: string): Promise<string[]> {
    await client.query(`PREPARE examined AS ${sql}`);
    const { rows } = await client.query<{ types: string[] }>(
      "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'examined'",
    );
    await client.query('DEALLOCATE examined');
    return rows[0]!.types;
  }

  it('do not read a whole table when they are grouped', async () => {
    const grouped: string[] = [];
    for (const statement of store.database.everyGroupedStatement()) {
      const types = await typesOf(statement.sql);
      if (types.length > 0) grouped.push(groupedSql(statement, types));
    }

    expect(grouped.length).toBeGreaterThan(10);
    expect(await wasteful(grouped)).toEqual([]);
  });
});
