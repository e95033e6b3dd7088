import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { type Ended, runProgram, ServerProcess, within } from '../support/server-process.js';

/** A change on the command line takes effect within this time. */
const TAKES_EFFECT_MS = 5_000;

interface ShownKey {
  readonly id: string;
  readonly key: string;
  readonly usage: { readonly day: { readonly used: number; readonly limit: number } };
  readonly ban: { readonly until: string } | null;
}

describe('The running service', () => {
  /** What a developer has: the first start prints a key. */
  const environment = {};
  let folder: string;
  let server: ServerProcess;
  let counted: ShownKey;
  let banned: ShownKey;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
    server = await ServerProcess.start({ folder, environment });
    banned = await createKey(1, 1_000);
  });

  afterAll(async () => {
    await server.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function keys(...args: string[]): Promise<ShownKey> {
    const parts = { folder, environment };
    const { code, stdout, stderr } = await runProgram('keys.js', [...args, '--json'], parts);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as ShownKey;
  }

  function createKey(perMinute: number, perDay: number): Promise<ShownKey> {
    const limits = ['--per-minute', String(perMinute), '--per-day', String(perDay)];
    return keys('create', '--name', 'Zoo', '--plan', 'enterprise', ...limits);
  }

  async function restartAfter(signal: NodeJS.Signals): Promise<Ended> {
    const ended = await server.stop(signal);
    server = await ServerProcess.start({ folder, environment });
    return ended;
  }

  async function statuses(count: number, { key }: ShownKey): Promise<number[]> {
    const sent = Array.from({ length: count }, () => server.get('/v1/pets', key));
    return (await Promise.all(sent)).map(({ status }) => status);
  }

  async function codeOf(response: Response): Promise<string> {
    return ((await response.json()) as { code: string }).code;
  }

  /** The number of requests left today, from the header of one more request. */
  async function dayRemaining({ key }: ShownKey): Promise<number> {
    const { headers } = await server.get('/v1/pets', key);
    return Number(/"day";r=(\d+)/.exec(headers.get('RateLimit')!)![1]);
  }

  /** The number of requests today that the database has saved. */
  function savedCount({ id }: ShownKey): number | undefined {
    const database = new SqliteConnection(join(folder, 'data/animal-store.db'), { readonly: true });
    const statement = database.prepare('SELECT day_count FROM rate_limit_usage WHERE subject = ?').pluck();
    const count = statement.get(id) as number | undefined;
    database.close();
    return count;
  }

  it('on an empty database has printed a key with a curl line that works', async () => {
    const line = await within(TAKES_EFFECT_MS, () => /^ {2}curl .*$/m.exec(server.stdout)?.[0]);
    const [, url, key] = /^ {2}curl -i (\S+) -H 'Authorization: Bearer (ask_live_\w+)'$/.exec(line)!;
    expect(url).toBe(`http://localhost:${server.port}/v1/pets`);
    const { status, headers } = await server.get('/v1/pets', key);
    expect([status, headers.get('RateLimit-Policy')]).toEqual([
      200,
      '"minute";q=60;w=60, "day";q=1000;w=86400',
    ]);
  });

  it('accepts a new key of the command line at once', async () => {
    counted = await createKey(1_000, 500);
    expect((await server.get('/v1/pets', counted.key)).status).toBe(200);
  });

  it('has exactly the same counts and bans after SIGTERM and a restart, which prints no key', async () => {
    expect(await statuses(20, counted)).toEqual(Array<number>(20).fill(200));
    expect((await statuses(21, banned)).sort()).toEqual([200, ...Array<number>(20).fill(429)]);
    const ban = await server.get('/v1/pets', banned.key);
    expect(await codeOf(ban)).toBe('api_key_banned');

    const { code, stderr } = await restartAfter('SIGTERM');

    expect([code, stderr]).toEqual([0, '']);
    expect(await dayRemaining(counted)).toBe(478);
    const after = await server.get('/v1/pets', banned.key);
    expect(await codeOf(after)).toBe('api_key_banned');
    expect(after.headers.get('X-RateLimit-Reset')).toBe(ban.headers.get('X-RateLimit-Reset'));
  });

  it('loses the minute and at most the counts of the last second to SIGKILL, and no earlier ban', async () => {
    const before = 500 - (await dayRemaining(counted));
    await within(TAKES_EFFECT_MS, () => savedCount(counted) === before);
    await statuses(9, counted);

    const second = server;
    await restartAfter('SIGKILL');
    expect(second.stdout).toContain('Listening on');
    expect(second.stdout).not.toContain('ask_live_');

    const { headers } = await server.get('/v1/pets', counted.key);
    expect(headers.get('RateLimit')).toContain('"minute";r=999;');
    const used = 500 - (await dayRemaining(counted));
    expect(used).toBeGreaterThanOrEqual(before + 2);
    expect(used).toBeLessThanOrEqual(before + 11);
    expect(await codeOf(await server.get('/v1/pets', banned.key))).toBe('api_key_banned');
  });

  it('applies changes of the command line, which shows and lifts a ban, changes a plan and revokes a key', async () => {
    const { id, key } = banned;
    const shown = await keys('show', id);
    expect(shown.usage.day).toMatchObject({ used: 1, limit: 1_000 });
    expect(Date.parse(shown.ban!.until)).toBeGreaterThan(Date.now());

    await keys('set-plan', id, '--plan', 'pro');
    await keys('unban', id);
    await within(TAKES_EFFECT_MS, async () => {
      const { status, headers } = await server.get('/v1/pets', key);
      return status === 200 && headers.get('X-RateLimit-Limit') === '300';
    });

    await keys('revoke', id);
    const refused = await within(TAKES_EFFECT_MS, async () => {
      const response = await server.get('/v1/pets', key);
      return response.status === 401 && response;
    });
    expect(await codeOf(refused)).toBe('invalid_api_key');
  });
});

describe('The start', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

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

  it.each(['PORT', 'METRICS_PORT'])('with a %s that is in use prints one line', async (variable) => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const ended = await fail({ NODE_ENV: 'production', PORT: '0', [variable]: String(port) });
    holder.close();

    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `Port ${port} on 127.0.0.1 is in use by another process. Stop it, or take another port: ${variable}=${port + 1} npm start\n`,
    });
  });
});
