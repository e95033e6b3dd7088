import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import SqliteConnection from 'better-sqlite3';
import { Client } from 'pg';
import { openDatabase } from '@animal-store/database';
import { describeOnPostgres, sqliteOptions, temporaryPostgresOptions } from '@animal-store/database/testing';
import { tables } from '../../src/tables.js';
import { ServerProcess, within } from '../support/server-process.js';

/** Longer than the server waits for a lock. */
const NOTICED_WITHIN_MS = 15_000;
const NOT_SHOWN = 'The database could not be asked for API keys, so the first steps are not shown.';

describe('A server that listens', () => {
  let folder: string;
  let server: ServerProcess | undefined;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'first-steps-'))));

  afterEach(async () => {
    await server?.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function servesOn(): Promise<void> {
    const { stdout } = await within(NOTICED_WITHIN_MS, () =>
      server!.hasEnded || server!.stdout.includes(NOT_SHOWN) ? server! : null,
    );
    expect(stdout).toContain(NOT_SHOWN);
    expect((await server!.get('/health/live')).status).toBe(200);
    const { code, stderr } = await server!.stop('SIGTERM');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }

  it('serves on when the embedded database is locked before the first key is made', async () => {
    const file = join(folder, 'store.db');
    const environment = { DATABASE_URL: `sqlite:${file}`, DATABASE_LOCK_TIMEOUT_MS: '200' };
    await (await openDatabase(sqliteOptions(file), tables)).close();
    const other = new SqliteConnection(file);
    other.exec('BEGIN IMMEDIATE');
    server = await ServerProcess.start({ folder, environment });
    await servesOn();
    other.close();
  });

  describeOnPostgres('on PostgreSQL', () => {
    it('serves on when it does not learn in time whether there are keys', async () => {
      const options = await temporaryPostgresOptions();
      await (await openDatabase(options, tables)).close();
      const other = new Client({ connectionString: options.url });
      await other.connect();
      await other.query('BEGIN');
      await other.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
      const environment = {
        NODE_ENV: 'production',
        DATABASE_URL: options.url,
        DATABASE_STATEMENT_TIMEOUT_MS: '300',
      };
      server = await ServerProcess.start({ folder, environment });
      await servesOn();
      await other.end();
    });
  });

  it('serves on when a connection cannot be accepted, and says so', async () => {
    server = await ServerProcess.start({ folder, preload: program(FAILING_ACCEPT) });
    await server.ask({});

    await within(NOTICED_WITHIN_MS, () => server!.hasEnded || server!.stdout.includes('accept ENOBUFS'));
    expect((await server.get('/health/live')).status).toBe(200);
    expect((await server.stop('SIGTERM')).code).toBe(0);
  });

  it('writes an uncaught error to standard output and standard error, and exits with 1', async () => {
    server = await ServerProcess.start({ folder, preload: program(UNCAUGHT) });
    const answer = server.ask({}).catch(() => undefined);
    const { code, stdout, stderr } = await server.end;
    await answer;

    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ level: 'fatal', message: 'Nobody expected this.' });
    expect(stdout.endsWith(stderr)).toBe(true);
  });

  function program(text: string): string {
    const file = join(folder, 'preload.mjs');
    writeFileSync(file, text);
    return pathToFileURL(file).href;
  }
});

const FAILING_ACCEPT = `
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    process.once('message', () => {
      process.send({});
      this.emit('error', Object.assign(new Error('accept ENOBUFS'), { syscall: 'accept', code: 'ENOBUFS' }));
    });
    return listen.apply(this, args);
  };
`;

const UNCAUGHT = `
  process.once('message', () => {
    throw new Error('Nobody expected this.');
  });
`;
