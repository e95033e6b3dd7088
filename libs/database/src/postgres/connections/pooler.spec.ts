import pg from 'pg';
import { StorageUnavailable } from '@animal-store/kernel';
import type { PostgresOptions } from '../../opening/database-options.js';
import { openDatabase } from '../../opening/data-source.js';
import type { Database } from '../../database.js';
import { isBack } from '../../testing/new-postgres.js';
import { hasPgBouncer, PgBouncer } from '../../testing/pg-bouncer.js';
import { hasPostgres, PostgresServer } from '../../testing/postgres-server.js';
import { notesTables } from '../../testing/tables.js';
import { temporaryPostgresOptions } from '../../testing/temporary-database.js';

const INSERT = 'INSERT INTO notes (number) VALUES ($1)';
const NUMBERS = 'SELECT number FROM notes ORDER BY number';
const LIMITS = ['force_generic_plan', 'off', 'off', '4s', '3s'];
const SETTINGS = `SELECT ARRAY[current_setting('plan_cache_mode'), current_setting('jit'),
  current_setting('enable_seqscan'), current_setting('statement_timeout'),
  current_setting('idle_in_transaction_session_timeout')] AS settings`;
const LOCKS = "SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory'";

const describeHere = hasPostgres() && hasPgBouncer() ? describe : describe.skip;

describeHere('A service behind PgBouncer in the mode transaction', () => {
  let server: PostgresServer;
  let pooler: PgBouncer;
  let direct: pg.Client;
  let databases: Database[];

  beforeEach(async () => {
    server = await PostgresServer.start();
    // So few sessions that each is that of many clients, one after the other. Migrations take two.
    pooler = await PgBouncer.start(server.url, 2);
    direct = new pg.Client({ connectionString: server.url });
    await direct.connect();
    databases = [];
  });

  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await direct.end();
    await pooler.stop();
    await server.stop();
  });

  async function open(changed: Partial<PostgresOptions> = {}): Promise<Database> {
    const options = { ...(await temporaryPostgresOptions()), statementTimeoutMs: 4_000 };
    const database = await openDatabase({ ...options, url: pooler.urlOf(server.url), ...changed }, [
      notesTables,
    ]);
    databases.push(database);
    return database;
  }

  it('has its settings in each transaction, and leaves none of them in the session', async () => {
    const database = await open();
    expect(await database.query(SETTINGS)).toEqual([{ settings: LIMITS }]);
    const inTransaction = await database.run((transaction) => database.session(transaction).query(SETTINGS));
    expect(inTransaction).toEqual([{ settings: LIMITS }]);

    const other = new pg.Client({ connectionString: pooler.urlOf(server.url) });
    await other.connect();
    const { rows } = await other.query<{ settings: string[] }>(SETTINGS);
    await other.end();
    expect(rows).toEqual([{ settings: ['auto', 'on', 'on', '0', '0'] }]);
    expect((await direct.query(LOCKS)).rows).toEqual([{ count: 0 }]);
  });

  it('sends a read alone when its role has the settings that it needs', async () => {
    const setBy = async (changed?: Partial<PostgresOptions>) => {
      const sql = "SELECT source FROM pg_settings WHERE name = 'plan_cache_mode'";
      return (await (await open(changed)).query<{ source: string }>(sql))[0]!.source;
    };
    expect(await setBy()).toBe('session');

    const own = ['plan_cache_mode = force_generic_plan', 'jit = off', 'enable_seqscan = off'];
    for (const setting of [...own, 'statement_timeout = 4000'])
      await direct.query(`ALTER ROLE CURRENT_USER SET ${setting}`);
    // Its sessions are of before.
    await pooler.kill();
    await pooler.start();
    expect(await setBy()).toBe('user');
    expect(await setBy({ statementTimeoutMs: 5_000 })).toBe('session');
    // What the role says counts, also where its database says something else.
    await direct.query('ALTER ROLE CURRENT_USER SET plan_cache_mode = auto');
    await direct.query('ALTER DATABASE postgres SET plan_cache_mode = force_generic_plan');
    expect(await setBy()).toBe('session');
    const written = databases[1]!.run((transaction) => databases[1]!.session(transaction).query(SETTINGS));
    expect(await written).toEqual([{ settings: LIMITS }]);
  });

  it('runs no statement of another service on the same sessions', async () => {
    const services = await Promise.all(Array.from({ length: 4 }, () => open()));
    const texts = Array.from({ length: 20 }, (_, index) => `SELECT ${index} AS number`);
    // Each prepares them in another order.
    const reads = services.map(async (service, first) => {
      for (let round = 0; round < 3; round++)
        for (let index = 0; index < texts.length; index++) {
          const number = (index * (2 * first + 1) + first) % texts.length;
          expect(await service.query(texts[number]!)).toEqual([{ number }]);
        }
    });
    await Promise.all(reads);
  });

  it('continues when a column has another type, whatever is prepared in the sessions', async () => {
    const [first, second] = [await open(), await open()];
    const add = (database: Database, number: number) =>
      database.run(async (transaction) => {
        await database.session(transaction).query(NUMBERS);
        await database.session(transaction).query(INSERT, [number]);
      });
    await Promise.all([add(first, 1), add(second, 2), first.query(NUMBERS), second.query(NUMBERS)]);
    await direct.query('ALTER TABLE notes ALTER COLUMN number TYPE numeric');
    await Promise.all([add(first, 3), add(second, 4), first.query(NUMBERS), second.query(NUMBERS)]);
    await direct.query('ALTER TABLE notes ALTER COLUMN number TYPE bigint');
    await Promise.all([add(first, 5), add(second, 6)]);
    const restarted = await open();
    expect(await restarted.query(NUMBERS)).toEqual([1n, 2n, 3n, 4n, 5n, 6n].map((number) => ({ number })));
  });

  it('continues when the pooler is killed and started again, and the outcome of what ran is unknown', async () => {
    const database = await open();
    const running = database.query('SELECT pg_sleep(10)');
    running.catch(() => undefined);
    await begun('%pg_sleep(10)%');
    await pooler.kill();
    await expect(running).rejects.toThrow(StorageUnavailable);
    await pooler.start();
    await isBack(database);
    expect(await database.query(NUMBERS)).toEqual([]);
  });

  async function begun(pattern: string): Promise<void> {
    const sql =
      "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()";
    while ((await direct.query(sql, [pattern])).rowCount === 0);
  }

  it('does not refuse a start because another one waits for its turn with the migrations', async () => {
    const starting = await Promise.all(Array.from({ length: 6 }, () => open()));
    const names = await starting[5]!.query('SELECT name FROM migrations');
    expect(names).toEqual([{ name: 'CreateTables1795000000000' }]);
  });
});
