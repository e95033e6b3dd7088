import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import SqliteConnection from 'better-sqlite3';
import { Client } from 'pg';
import { openDatabase } from '@animal-store/database';
import { describeOnPostgres, sqliteOptions, temporaryPostgresOptions } from '@animal-store/database/testing';
import { tables } from '../../src/contexts.js';
import { type Ended, runProgram, ServerProcess, within } from '../support/server-process.js';

/** Longer than the server waits for a lock. */
const NOTICED_WITHIN_MS = 15_000;
const NOT_SHOWN = 'API keys could not be read, so the first steps are not shown.';

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'start-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('The start', () => {
  function fail(environment: NodeJS.ProcessEnv): Promise<Ended> {
    return runProgram('main.js', [], { folder, environment: { HOST: '127.0.0.1', ...environment } });
  }

  it('with bad settings prints one line for each, and opens nothing', async () => {
    const environment = { PORT: '70000', FREE_PER_DAY: 'many', DATABASE_URL: 'sqlite:sub/store.db' };
    expect(await fail(environment)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'PORT must be a whole number from 0 to 65535, not "70000".\n' +
        'FREE_PER_DAY must be a whole number from 1 to 1000000000, not "many".\n',
    });
    expect(existsSync(join(folder, 'sub'))).toBe(false);
  });

  it('on a port that is in use prints one line', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const ended = await fail({ NODE_ENV: 'production', PORT: '0', METRICS_PORT: String(port) });
    holder.close();

    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `Port ${port} on 127.0.0.1 is in use by another process. Stop it, or set METRICS_PORT to another one, such as ${port + 1}.\n`,
    });
  });

  it.each([
    [
      'a PostgreSQL that does not respond',
      'postgres://user:hunter2@127.0.0.1:1/store',
      'The database at 127.0.0.1:1/store cannot be opened: connect ECONNREFUSED 127.0.0.1:1.\n',
    ],
    [
      'a file that is not a database',
      'sqlite:/etc/passwd',
      'The database file /etc/passwd cannot be opened: file is not a database.\n',
    ],
  ])('exits with code 1 and one line without the password: %s', async (_, url, line) => {
    expect(await fail({ DATABASE_URL: url, PORT: '0' })).toEqual({ code: 1, stdout: '', stderr: line });
  });
});

(process.getuid?.() === 0 ? describe : describe.skip)('The start as another user', () => {
  /** Another one than that of the files. */
  const NOBODY = 65_534;

  it.each([
    ['the file', 0o600, 'main.js', []],
    ['the file', 0o600, 'keys.js', ['list']],
    ['the folder', 0o700, 'main.js', []],
    ['the folder', 0o700, 'keys.js', ['list']],
  ])('says whose %s is (mode %o): %s', async (what, mode, entry, args) => {
    chmodSync(folder, 0o755);
    const of = join(folder, 'data');
    const file = join(of, 'store.db');
    mkdirSync(of);
    await (await openDatabase(sqliteOptions(file), tables)).close();
    chmodSync(of, what === 'the folder' ? mode : 0o777);
    const environment = { DATABASE_URL: `sqlite:${file}`, PORT: '0' };
    const { code, stderr } = await runProgram(entry, args, { folder, environment, user: NOBODY });

    const path = what === 'the folder' ? of : file;
    expect(stderr).toContain(
      `The database file ${file} cannot be opened: ${path} belongs to root, and this process runs as nobody.\n`,
    );
    expect(code).toBe(1);
  });
});

describe('A server that listens', () => {
  let server: ServerProcess | undefined;

  afterEach(() => server?.stop('SIGKILL'));

  it.each([
    ['production', 'warn'],
    ['development', null],
  ])('names its database, and in %s warns when it has made one', async (mode, level) => {
    const file = join(folder, 'misspelt/store.db');
    const environment = { NODE_ENV: mode, DATABASE_URL: `sqlite:${file}` };
    const linesOf = ({ stdout }: ServerProcess) =>
      stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { level: string; message: string });
    server = await ServerProcess.start({ folder, environment });
    const made = `There was no database file ${file}, so an empty one was made. Is DATABASE_URL right?`;
    await within(NOTICED_WITHIN_MS, () => server!.stdout.includes(`Using the database file ${file}.`));
    expect(linesOf(server).find(({ message }) => message === made)?.level ?? null).toBe(level);
    await server.stop();

    server = await ServerProcess.start({ folder, environment });
    await within(NOTICED_WITHIN_MS, () => server!.stdout.includes(`Using the database file ${file}.`));
    expect(server.stdout).not.toContain('was made');
  });

  async function servesOn(): Promise<void> {
    const { stdout } = await within(NOTICED_WITHIN_MS, () =>
      server!.hasEnded || server!.stdout.includes(NOT_SHOWN) ? server! : null,
    );
    expect(stdout).toContain(NOT_SHOWN);
    expect((await server!.get('/health/live')).status).toBe(200);
    const { code, stderr } = await server!.stop('SIGINT');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }

  it('serves on when the SQLite file is locked before the first key is made', async () => {
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
    it('serves on when it does not read in time whether there are keys', async () => {
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

  it('serves on and says so when a connection cannot be accepted, writes an uncaught error to both outputs, and exits with 1', async () => {
    const preload = join(folder, 'preload.mjs');
    writeFileSync(preload, FAILURES);
    server = await ServerProcess.start({ folder, preload: pathToFileURL(preload).href });
    await server.query({ fail: 'to accept' });
    await within(NOTICED_WITHIN_MS, () => server!.hasEnded || server!.stdout.includes('accept ENOBUFS'));
    expect((await server.get('/health/live')).status).toBe(200);

    const reply = server.query({ fail: 'uncaught' }).catch(() => undefined);
    const { code, stdout, stderr } = await server.end;
    await reply;

    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ level: 'fatal', message: 'Nobody expected this.' });
    expect(stdout.endsWith(stderr)).toBe(true);
  });
});

const FAILURES = `
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    process.on('message', ({ fail }) => {
      if (fail === 'uncaught') throw new Error('Nobody expected this.');
      process.send({});
      this.emit('error', Object.assign(new Error('accept ENOBUFS'), { syscall: 'accept', code: 'ENOBUFS' }));
    });
    return listen.apply(this, args);
  };
`;

describe('A command line', () => {
  it('names the database that it writes to, and the file in the folder where it runs that says so', async () => {
    const file = join(folder, 'other.db');
    writeFileSync(join(folder, '.env'), `DATABASE_URL=sqlite:${file}\n`);
    const create = (environment?: NodeJS.ProcessEnv) =>
      runProgram('keys.js', ['create', '--name', 'Rex', '--plan', 'free'], { folder, environment });

    const says = `, as ${join(folder, '.env')} says.\n`;
    expect((await create()).stderr).toBe(`keys: created the tables in the database file ${file}${says}`);
    expect((await create()).stderr).toBe(`keys: using the database file ${file}${says}`);
    const chosen = { DATABASE_URL: `sqlite:${file}` };
    expect((await create(chosen)).stderr).toBe(`keys: using the database file ${file}.\n`);
  });

  it('continues to its end when nobody reads its output, such as with head', async () => {
    const environment = { DATABASE_URL: `sqlite:${join(folder, 'store.db')}` };
    await runProgram('keys.js', ['create', '--name', 'Rex', '--plan', 'free'], { folder, environment });
    const list = spawn(process.execPath, [resolve('dist/keys.js'), 'list'], {
      cwd: folder,
      env: environment,
    });
    list.stdout.destroy();
    const complaints = text(list.stderr);

    expect([await once(list, 'close'), await complaints]).toEqual([
      [0, null],
      expect.stringMatching(/^(keys: using .*\n)?$/),
    ]);
  });
});
