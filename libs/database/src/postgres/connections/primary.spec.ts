import pg from 'pg';
import { StorageUnavailable } from '@animal-store/kernel';
import type { PostgresOptions } from '../../opening/database-options.js';
import { openDatabase } from '../../opening/data-source.js';
import type { Database } from '../../database.js';
import { isBack } from '../../testing/new-postgres.js';
import { notesTables } from '../../testing/tables.js';
import { hasPostgres, PostgresServer } from '../../testing/postgres-server.js';
import { postgresAt } from '../../testing/temporary-database.js';

const INSERT = 'INSERT INTO notes (number) VALUES ($1)';
const NUMBERS = 'SELECT number FROM notes ORDER BY number';

(hasPostgres() ? describe : describe.skip)('A PostgreSQL that fails over', () => {
  let first: PostgresServer;
  let second: PostgresServer;
  let database: Database | null = null;

  beforeAll(async () => {
    [first, second] = await Promise.all([PostgresServer.start(), PostgresServer.start()]);
  });

  beforeEach(() => Promise.all([first, second].map(makeEmptyPrimary)));

  afterEach(async () => {
    await database?.close();
    database = null;
  });

  afterAll(() => Promise.all([first.stop(), second.stop()]));

  /** Whatever an earlier test has left: a primary, a standby or a server that was killed. */
  async function makeEmptyPrimary(server: PostgresServer): Promise<void> {
    await server.demote();
    await server.promote();
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public').finally(() => client.end());
  }

  /** One database on these hosts. */
  function on(...servers: PostgresServer[]): PostgresOptions {
    const urls = servers.map(({ url }) => `postgres://postgres:hunter2@${new URL(url).host}/postgres`);
    return { ...postgresAt(...(urls as [string])), connectTimeoutMs: 2_000 };
  }

  async function open(...hosts: PostgresServer[]): Promise<Database> {
    return (database = await openDatabase(on(...hosts), [notesTables]));
  }

  async function insert(number: bigint): Promise<void> {
    await database!.run((transaction) => database!.session(transaction).query(INSERT, [number]));
  }

  async function numbers(): Promise<bigint[]> {
    return (await database!.query<{ number: bigint }>(NUMBERS)).map(({ number }) => number);
  }

  it('serves no rows of a server that has become a standby, and continues when that is the primary again', async () => {
    await open(first);
    await insert(1n);
    await first.demote();

    await expect(database!.check()).rejects.toBeInstanceOf(StorageUnavailable);
    await expect(numbers()).rejects.toBeInstanceOf(StorageUnavailable);
    await expect(insert(2n)).rejects.toBeInstanceOf(StorageUnavailable);

    await first.promote();
    await isBack(database!);
    await insert(3n);
    expect(await numbers()).toEqual([1n, 3n]);
  });

  it('is used on whichever of its hosts is the primary, at the start and later', async () => {
    await (await open(second)).close();
    await second.demote();
    await open(second, first);
    await insert(1n);
    expect(await numbers()).toEqual([1n]);

    await first.kill();
    await second.promote();
    await isBack(database!);
    await insert(2n);
    expect(await numbers()).toEqual([2n]);
  });

  it('is not opened when none of its hosts is the primary, and the line says why not', async () => {
    await Promise.all([first.demote(), second.kill()]);
    const [one, other] = [first, second].map(({ url }) => new URL(url).host) as [string, string];
    await expect(open(first, second)).rejects.toThrow(
      `The database at ${one},${other}/postgres cannot be opened: no host is a primary ` +
        `(${one}: it is a hot standby, which accepts no writes; ${other}: connect ECONNREFUSED ${other}).`,
    );
  });

  it('is not opened while it is a standby, and the line says so without a password', async () => {
    await first.demote();
    const { host } = new URL(first.url);
    await expect(open(first)).rejects.toThrow(
      `The database at ${host}/postgres cannot be opened: it is a hot standby, which accepts no writes.`,
    );
  });
});
