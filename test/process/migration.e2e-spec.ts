import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { openDatabase } from '@animal-store/database';
import { describeOnPostgres, sqliteOptions, temporaryPostgresOptions } from '@animal-store/database/testing';
import { tables } from '../../src/contexts.js';
import { insertKey } from '../support/insert-key.js';
import { runProgram, ServerProcess, within } from '../support/server-process.js';

const ANIMALS = 3;

describeOnPostgres('A PostgreSQL to which data is moved', () => {
  let folder: string;
  let url: string;
  let key: string;
  let other: pg.Client;
  let server: ServerProcess | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'migration-'));
    ({ url } = await temporaryPostgresOptions());
    other = new pg.Client({ connectionString: url });
    await other.connect();
    await fillSource();
  });

  afterEach(async () => {
    await server?.stop('SIGKILL');
    server = undefined;
    await other.end();
    rmSync(folder, { recursive: true });
  });

  async function fillSource(): Promise<void> {
    const source = await openDatabase(sqliteOptions(join(folder, 'store.db')), tables);
    await source.run(async (transaction) => {
      const session = source.session(transaction);
      ({ key } = await insertKey((sql) => session.query(sql), 1_000_000));
      for (let animal = 1; animal <= ANIMALS; animal++)
        await session.query(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'available')`);
    });
    await source.close();
  }

  const moveArgs = (): string[] => ['--from', `sqlite:${join(folder, 'store.db')}`, '--to', url];
  const environment = (): NodeJS.ProcessEnv => ({
    NODE_ENV: 'production',
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: url,
  });

  /** Begins a move that has come to the animals and waits for a lock. */
  async function moveHalf(): Promise<ChildProcess> {
    const target = await openDatabase({ ...(await temporaryPostgresOptions()), url }, tables);
    await target.close();
    await other.query('BEGIN; LOCK TABLE pets IN SHARE MODE');
    const moving = spawn(process.execPath, [resolve('dist/migrate-data.js'), ...moveArgs()], {
      cwd: folder,
      stdio: 'ignore',
    });
    const waits =
      'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
    await within(60_000, async () => (await other.query(waits)).rowCount! > 0);
    return moving;
  }

  it('has nothing of a move that was killed, and everything of the next one', async () => {
    const moving = await moveHalf();
    moving.kill('SIGKILL');
    await once(moving, 'exit');
    await other.query('COMMIT');
    expect((await other.query('SELECT FROM pets UNION ALL SELECT FROM api_keys')).rowCount).toBe(0);

    expect(await runProgram('migrate-data.js', moveArgs(), { folder })).toMatchObject({
      code: 0,
      stderr: '',
    });
    server = await ServerProcess.start({ folder, environment: environment() });
    expect(await (await server.get('/v1/pets', key)).json()).toHaveLength(ANIMALS);
  });
});
