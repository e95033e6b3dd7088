import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { openDatabase } from '@animal-store/database';
import { describeOnPostgres, sqliteOptions, temporaryPostgresOptions } from '@animal-store/database/testing';
import { tables } from '../../src/tables.js';
import { insertKey } from '../support/insert-key.js';
import { runProgram, ServerProcess, within } from '../support/server-process.js';

/** A running server looks every second. */
const NOTICED_WITHIN_MS = 15_000;
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
    const target = await openDatabase({ ...(await optionsOf()), isMigrationTarget: true }, tables);
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

  async function optionsOf() {
    return { ...(await temporaryPostgresOptions()), url };
  }

  const refusal = (): string => {
    const { host, pathname } = new URL(url);
    return (
      `The database at ${host}${pathname} cannot be opened: a data migration to the database is not finished: ` +
      'run the same one again, which continues, or use another database.\n'
    );
  };

  it('is served by no server before all is moved, also when the move was killed, and then with everything', async () => {
    const moving = await moveHalf();
    const start = () => runProgram('main.js', [], { folder, environment: environment() });
    expect(await start()).toEqual({ code: 1, stdout: '', stderr: refusal() });

    moving.kill('SIGKILL');
    await once(moving, 'exit');
    await other.query('COMMIT');
    expect(await start()).toEqual({ code: 1, stdout: '', stderr: refusal() });
    const keys = ['create', '--name', 'Zoo', '--plan', 'free'];
    expect(await runProgram('keys.js', keys, { folder, environment: environment() })).toMatchObject({
      code: 1,
      stdout: '',
    });

    expect(await runProgram('migrate-data.js', moveArgs(), { folder })).toMatchObject({
      code: 0,
      stderr: '',
    });
    server = await ServerProcess.start({ folder, environment: environment() });
    expect(await (await server.get('/v1/pets', key)).json()).toHaveLength(ANIMALS);
  });

  it('is not changed while a server uses it', async () => {
    server = await ServerProcess.start({ folder, environment: environment() });
    expect(await runProgram('migrate-data.js', moveArgs(), { folder })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'migrate-data: A server or a command uses the target. Stop it, then start again.\n',
    });
    expect((await server.get('/health/ready')).status).toBe(200);
  });

  it('is not served by a running server, while the move did not see that one', async () => {
    server = await ServerProcess.start({ folder, environment: environment() });
    const inserted = await insertKey((sql) => other.query(sql), 1_000_000);
    const add = async (): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${server!.port}/v1/pets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${inserted.key}`, 'Content-Type': 'application/json' },
        body: '{"name":"Rex","categoryId":7}',
      });
      return response.status;
    };
    expect(await add()).toBe(201);
    await other.query('CREATE TABLE data_migration ()');

    await within(NOTICED_WITHIN_MS, () => server!.stdout.includes('Nothing is read or stored any more'));
    expect(await add()).toBe(503);
    await within(NOTICED_WITHIN_MS, async () => (await server!.get('/health/ready')).status === 503);

    await other.query('DROP TABLE data_migration');
    await within(NOTICED_WITHIN_MS, async () => (await server!.get('/health/ready')).ok);
    expect(await add()).toBe(201);
  });
});
