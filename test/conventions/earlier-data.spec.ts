import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import { type Database, openDatabase } from '@animal-store/database';
import { sqliteOptions } from '@animal-store/database/testing';
import { Plans } from '../../src/access/domain/plan.js';
import { TypeOrmApiKeyRepository } from '../../src/access/infrastructure/keys/typeorm-api-key.repository.js';
import { loadSettings } from '../../src/settings/settings.js';
import { NewPet } from '../../src/pets/domain/pet.js';
import { TypeOrmPetRepository } from '../../src/pets/infrastructure/typeorm-pet.repository.js';
import { tables } from '../../src/contexts.js';
import { TypeOrmOrderRepository } from '../../src/orders/infrastructure/typeorm-order.repository.js';

/** A database file that a server and the `keys` command of version 1.0.0 wrote, as SQL. */
const DUMP = 'test/fixtures/database-1.0.0.sql';

describe('A database file of version 1.0.0', () => {
  let folder: string;
  let file: string;
  let database: Database;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
    file = join(folder, 'animal-store.db');
    const connection = new SqliteConnection(file);
    connection.exec(readFileSync(DUMP, 'utf8'));
    connection.close();
    database = await openDatabase(sqliteOptions(file), tables);
  });

  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  it('has the same animals, and assigns the next id to the next one', async () => {
    const pets = new TypeOrmPetRepository(database);

    const { items } = await pets.list({}, { limit: 10, after: null });
    const added = await database.run((transaction) => pets.add(NewPet.offer('Ada', 1n), transaction));

    expect(items).toEqual([
      { id: 1n, name: 'Rex', categoryId: 9223372036854775807n, status: 'sold' },
      { id: 2n, name: 'Łucja 🦜', categoryId: -9223372036854775808n, status: 'sold' },
      { id: 3n, name: 'Mia', categoryId: 9007199254740993n, status: 'pending' },
      { id: 4n, name: 'Tom', categoryId: 0n, status: 'pending' },
    ]);
    expect(added.id).toBe(5n);
  });

  it('has the same orders, and an open one can be completed', async () => {
    const orders = new TypeOrmOrderRepository(database);

    const { items } = await orders.list({ account: 'shop' }, { limit: 10, after: null });
    const completed = await database.run(async (transaction) => {
      const open = await orders.findOneBy({ account: 'shop', id: 2n }, transaction);
      await orders.save(open!.complete(1795299800000), transaction);
      return orders.findOneBy({ account: 'shop', id: 2n }, transaction);
    });

    expect(items).toMatchObject([
      { id: 1n, petId: 1n, status: 'completed', placedAtMs: 1795299703263, updatedAtMs: 1795299703310 },
      { id: 2n, petId: 3n, status: 'placed', placedAtMs: 1795299703287, updatedAtMs: 1795299703287 },
    ]);
    expect(completed).toMatchObject({ status: 'completed', updatedAtMs: 1795299800000 });
  });

  it('has the same keys', async () => {
    const { rateLimits } = loadSettings({});
    const keys = new TypeOrmApiKeyRepository(database, new Plans(rateLimits));
    const hash = 'e641cba189bf346d79f29c131f71e2764c871f41033e04a7d9ac793613ac99bf';

    const shop = await keys.findByHash(hash);

    expect(shop).toMatchObject({
      account: 'shop',
      expiresAtMs: 2110659700192,
      revokedAtMs: null,
    });
    const listed: string[] = [];
    for await (const batch of keys.batches({}))
      listed.push(...batch.map(({ name, plan }) => `${name} ${plan.name} ${plan.perMinute}`));
    expect(listed).toEqual(['first key free 60', 'Bulk enterprise 1000000', 'Shop pro 300', 'Gone free 60']);
    expect(await keys.latestChangeMs()).toBe(1795299702788);
  });

  it('replays the first responses of its keys to their accounts', async () => {
    const sql = `SELECT idempotency_key AS "key", body FROM idempotency_records WHERE api_key_id = 'shop' ORDER BY 1`;

    expect(await database.query(sql)).toMatchObject([
      { key: 'first-try', body: expect.stringContaining('"id":2,') as string },
      { key: 'order-mia', body: expect.stringContaining('"petId":3,') as string },
    ]);
  });

  it('runs every later migration after its own; give a new one a timestamp higher than all others', async () => {
    const rows = await database.query<{ timestamp: bigint }>('SELECT timestamp FROM migrations ORDER BY id');
    const order = rows.map(({ timestamp }) => Number(timestamp));

    expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
  });

  it('gets only new tables and new nullable columns', () => {
    const before = readFileSync(DUMP, 'utf8').match(/^CREATE [^;]+(?=;)/gm)!;
    const early = new SqliteConnection(':memory:').exec(before.join(';'));
    const connection = new SqliteConnection(file, { readonly: true });
    const now = connection.prepare(OBJECTS).all() as { name: string; sql: string }[];
    const withoutAdded = now.map(({ name, sql }) => {
      const known = columnsOf(early, name).map((column) => column.name);
      const added = columnsOf(connection, name).filter((column) => !known.includes(column.name));
      expect(added.filter(({ notnull }) => notnull === 1 && known.length > 0)).toEqual([]);
      return added.reduce(
        (text, { name: column, type }) => text.replace(new RegExp(`, ${column} ${type}`, 'i'), ''),
        sql,
      );
    });
    early.close();
    connection.close();
    const words = (sql: string) => sql.replaceAll(/\s+/g, ' ');

    expect(withoutAdded.map(words)).toEqual(expect.arrayContaining(before.map(words)));
  });
});

const OBJECTS = 'SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL';

function columnsOf(connection: Connection, table: string): { name: string; type: string; notnull: number }[] {
  const sql = 'SELECT name, type, "notnull" FROM pragma_table_info(?)';
  return connection.prepare(sql).all(table) as ReturnType<typeof columnsOf>;
}
