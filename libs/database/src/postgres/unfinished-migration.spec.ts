import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describeOnPostgres, temporaryPostgresOptions, unpooled } from '../testing/temporary-database.js';
import { IS_AWAITED, IS_UNUSED, LOCK_AS_USER } from './unfinished-migration.js';

describeOnPostgres('The lock of a data migration', () => {
  let clients: pg.Client[];

  beforeEach(async () => {
    const { url } = await temporaryPostgresOptions();
    clients = [1, 2, 3].map(() => new pg.Client({ connectionString: unpooled(url) }));
    await Promise.all(clients.map((client) => client.connect()));
  });

  afterEach(() => Promise.all(clients.map((client) => client.end())));

  it('is awaited by a server, and not by what waits for anything else of the same transaction', async () => {
    const [moving, building, server] = clients as [pg.Client, pg.Client, pg.Client];
    const rowOf = async (sql: string) => (await moving.query<Record<string, unknown>>(sql)).rows[0];
    const waiting = async (count: number): Promise<void> => {
      const sql = 'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
      while ((await moving.query(sql)).rows.length < count) await delay(2);
    };
    await moving.query('CREATE TABLE toys (id bigint)');
    await moving.query('BEGIN');
    expect(await rowOf(IS_UNUSED)).toEqual({ isUnused: true });
    await moving.query('LOCK TABLE toys');

    const built = building.query('CREATE INDEX toys_id ON toys (id)');
    await waiting(1);
    expect(await rowOf(IS_AWAITED)).toEqual({ isAwaited: false });
    const locked = server.query(LOCK_AS_USER);
    await waiting(2);
    expect(await rowOf(IS_AWAITED)).toEqual({ isAwaited: true });

    await moving.query('ROLLBACK');
    await Promise.all([built, locked]);
  });
});
