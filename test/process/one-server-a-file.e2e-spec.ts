import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { runProgram, ServerProcess } from '../support/server-process.js';

describe('A server on a SQLite file', () => {
  let folder: string;
  let file: string;
  let environment: NodeJS.ProcessEnv;
  let server: ServerProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sole-'));
    file = join(folder, 'store.db');
    environment = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', DATABASE_URL: `sqlite:${file}` };
    server = await ServerProcess.start({ folder, environment });
  });

  afterAll(async () => {
    await server.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it('makes a second server exit with 1 and name the first', async () => {
    const { code, stdout, stderr } = await runProgram('main.js', [], { folder, environment });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME')).toBe(
      `The database file ${file} cannot be opened: it is in use by the server (process ${server.pid} on ${hostname()}, since TIME), and only one process can use a file.\n`,
    );
  });

  it('lets the keys command line work on the file, and a backup read it', async () => {
    const issued = await runProgram('keys.js', ['--json', 'create', '--name', 'shop', '--plan', 'free'], {
      folder,
      environment,
    });
    expect(issued).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^keys: using the database file/),
    });
    const { key } = JSON.parse(issued.stdout) as { key: string };
    expect((await server.get('/v1/pets', key)).status).toBe(200);

    const source = new SqliteConnection(file, { readonly: true });
    await source.backup(join(folder, 'backup.db'));
    source.close();
    const backup = new SqliteConnection(join(folder, 'backup.db'), { readonly: true });
    expect(backup.prepare('SELECT name FROM api_keys').all()).toEqual([{ name: 'shop' }]);
    backup.close();
  });

  it('refuses migrate-data, as rows accepted afterwards would be lost', async () => {
    const args = ['--from', `sqlite:${file}`, '--to', 'postgres://user:hunter2@127.0.0.1:1/store'];
    const { code, stdout, stderr } = await runProgram('migrate-data.js', args, { folder });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`in use by the server (process ${server.pid} on`);
  });

  it('releases the file for the next server when it is killed', async () => {
    await server.stop('SIGKILL');
    server = await ServerProcess.start({ folder, environment });

    expect((await server.get('/health/ready')).status).toBe(200);
  });

  it('releases the file for a server that waits for it when it stops', async () => {
    const next = ServerProcess.start({
      folder,
      environment: { ...environment, DATABASE_HANDOVER_TIMEOUT_MS: '20000' },
    });
    expect((await server.stop('SIGTERM')).code).toBe(0);
    server = await next;

    expect((await server.get('/health/ready')).status).toBe(200);
  });
});
