import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { openDatabase } from '@animal-store/database';
import { sqliteOptions } from '@animal-store/database/testing';
import { SystemClock } from '@animal-store/kernel';
import { RawConnection } from '@animal-store/web/testing';
import { runMigrateData } from '../../src/programs/migrate-data/migrate-data.program.js';
import { tables } from '../../src/contexts.js';
import { insertKey } from '../support/insert-key.js';
import { keysCommand } from '../support/keys-command.js';
import { runProgram, ServerProcess, within } from '../support/server-process.js';

/** A change on the command line takes effect within this time. */
const TAKES_EFFECT_MS = 5_000;
const WRITERS = 16;
/** The number of animals that the server acknowledges before it is killed the second time. The first time it is one. */
const ACKNOWLEDGED = 200;

interface ShownKey {
  readonly id: string;
  readonly key: string;
  readonly lastUsedDay: string | null;
  readonly usage: { readonly day: { readonly used: number; readonly limit: number } };
  readonly ban: { readonly until: string } | null;
}

describe('The running service', () => {
  /** What a developer has: the first start prints a key. A ban outlasts the tests on a busy machine. */
  const environment = { BAN_FIRST_SECONDS: '3600' };
  let folder: string;
  let file: string;
  let server: ServerProcess;
  let counted: ShownKey;
  let banned: ShownKey;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
    file = join(folder, 'data/animal-store.db');
    server = await ServerProcess.start({ folder, environment });
    banned = await createKey(1, 1_000);
  });

  afterAll(async () => {
    await server.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function keys(...args: string[]): Promise<ShownKey> {
    return JSON.parse(await keysCommand({ DATABASE_URL: `sqlite:${file}` }, ...args)) as ShownKey;
  }

  /** With the program itself: it runs in a process of its own, beside the server. */
  async function createKey(perMinute: number, perDay: number, ...more: string[]): Promise<ShownKey> {
    const limits = ['--per-minute', String(perMinute), '--per-day', String(perDay), ...more];
    const args = ['create', '--name', 'Zoo', '--plan', 'enterprise', ...limits, '--json'];
    const { code, stdout, stderr } = await runProgram('keys.js', args, { folder, environment });
    const used = `keys: using the database file ${join(folder, 'data/animal-store.db')}.\n`;
    expect({ code, stderr }).toEqual({ code: 0, stderr: used });
    return JSON.parse(stdout) as ShownKey;
  }

  async function statuses(count: number, { key }: ShownKey): Promise<number[]> {
    const sent = Array.from({ length: count }, () => server.get('/v1/pets', key));
    return (await Promise.all(sent)).map(({ status }) => status);
  }

  async function codeOf(response: Response): Promise<string> {
    return ((await response.json()) as { code: string }).code;
  }

  function today(): string {
    return new Date().toISOString().slice(0, 10);
  }

  /** The number of requests left today, from the header of one more request. */
  async function dayRemaining({ key }: ShownKey): Promise<number> {
    const { headers } = await server.get('/v1/pets', key);
    return Number(/"day";r=(\d+)/.exec(headers.get('RateLimit')!)![1]);
  }

  /** The number of requests today that the database has saved. */
  function savedCount({ id }: ShownKey): number | undefined {
    const database = new SqliteConnection(file, { readonly: true });
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

  it('lets a backup read its file', async () => {
    const source = new SqliteConnection(file, { readonly: true });
    await source.backup(join(folder, 'backup.db'));
    source.close();
    const backup = new SqliteConnection(join(folder, 'backup.db'), { readonly: true });
    expect(backup.prepare('SELECT id FROM api_keys WHERE id = ?').pluck().all(counted.id)).toEqual([
      counted.id,
    ]);
    backup.close();
  });

  it('lets no second server and no migrate-data use its file, and is named to both', async () => {
    const second = openDatabase(sqliteOptions(file), tables, {
      soleUser: { name: 'another server', nowMs: Date.now() },
    });
    await expect(second).rejects.toThrow(
      `The database file ${file} cannot be opened: it is in use by the server (process ${server.pid} on ${hostname()}, since `,
    );

    let complaint = '';
    const code = await runMigrateData(['--from', `sqlite:${file}`, '--to', 'postgres://127.0.0.1:1/store'], {
      tables,
      environment: () => ({}),
      fileThatSets: () => null,
      clock: new SystemClock(),
      print: () => undefined,
      complain: (text) => (complaint += text),
    });
    expect(code).toBe(1);
    expect(complaint).toContain(`in use by the server (process ${server.pid} on`);
  });

  it('has exactly the same counts and bans after SIGTERM, when the next server has waited for the file and prints no key', async () => {
    expect(await statuses(20, counted)).toEqual(Array<number>(20).fill(200));
    expect((await statuses(21, banned)).sort()).toEqual([200, ...Array<number>(20).fill(429)]);
    const ban = await server.get('/v1/pets', banned.key);
    expect(await codeOf(ban)).toBe('api_key_banned');
    const shared = [
      await createKey(1_000, 500, '--account', 'ark'),
      await createKey(1_000, 500, '--account', 'ark'),
    ] as const;
    for (const key of shared) await statuses(10, key);
    const days = [today()];

    const waiting = { ...environment, DATABASE_HANDOVER_TIMEOUT_MS: '20000' };
    const next = ServerProcess.start({ folder, environment: waiting });
    const { code, stderr } = await server.stop('SIGTERM');
    server = await next;

    expect([code, stderr]).toEqual([0, '']);
    days.push(today());
    expect(days).toContain((await keys('show', shared[1].id)).lastUsedDay);
    expect(await dayRemaining(counted)).toBe(478);
    expect([await dayRemaining(shared[0]), await dayRemaining(shared[1])]).toEqual([479, 478]);
    const after = await server.get('/v1/pets', banned.key);
    expect(await codeOf(after)).toBe('api_key_banned');
    expect(after.headers.get('X-RateLimit-Reset')).toBe(ban.headers.get('X-RateLimit-Reset'));
  });

  describe('that is killed with SIGKILL while it writes', () => {
    const acknowledged = new Map<string, number>();
    const unacknowledged: string[] = [];
    let added = 0;
    let before: number;
    let writersKey: string;

    /** Adds an animal with its name as Idempotency-Key. */
    async function add(name: string): Promise<{ id: number; isReplayed: boolean }> {
      const body = JSON.stringify({ name, categoryId: 7 });
      const response = await server.post('/v1/pets', writersKey, body, { 'Idempotency-Key': name });
      const { id } = (await response.json()) as { id: number };
      expect(response.status).toBe(201);
      return { id, isReplayed: response.headers.get('idempotent-replayed') === 'true' };
    }

    let killedAt = 1;

    async function write(): Promise<void> {
      for (;;) {
        const name = `animal-${++added}`;
        try {
          acknowledged.set(name, (await add(name)).id);
          if (acknowledged.size >= killedAt) server.signal('SIGKILL');
        } catch {
          unacknowledged.push(name);
          return;
        }
      }
    }

    beforeAll(async () => {
      const database = new SqliteConnection(file);
      ({ key: writersKey } = await insertKey((sql) => database.exec(sql), 1_000_000));
      database.close();
      before = 500 - (await dayRemaining(counted));
      await within(TAKES_EFFECT_MS, () => savedCount(counted) === before);

      // The next one begins with a recovery.
      await Promise.all(Array.from({ length: WRITERS }, write));
      await server.stop('SIGKILL');
      server = await ServerProcess.start({ folder, environment });
      killedAt = ACKNOWLEDGED;
      await statuses(9, counted);

      await Promise.all(Array.from({ length: WRITERS }, write));
      const { code, stdout } = await server.stop('SIGKILL');
      expect(code).toBeNull();
      expect(stdout).toContain('Listening on');
      expect(stdout).not.toContain('ask_live_');
      server = await ServerProcess.start({ folder, environment });
    });

    it('loses the minute and at most the counts of the last second to SIGKILL, and no earlier ban', async () => {
      const { headers } = await server.get('/v1/pets', counted.key);
      expect(headers.get('RateLimit')).toContain('"minute";r=999;');
      const used = 500 - (await dayRemaining(counted));
      expect(used).toBeGreaterThanOrEqual(before + 2);
      expect(used).toBeLessThanOrEqual(before + 11);
      expect(await codeOf(await server.get('/v1/pets', banned.key))).toBe('api_key_banned');
    });

    it('has every acknowledged animal, and after retries has every animal once', async () => {
      const found = new Map((await server.animals(writersKey)).map(({ name, id }) => [name, id]));
      for (const [name, id] of acknowledged) expect([name, found.get(name)]).toEqual([name, id]);

      const retries = await Promise.all(unacknowledged.map(async (name) => ({ name, ...(await add(name)) })));
      for (const { name, id, isReplayed } of retries) {
        // The first response is stored exactly when the animal is.
        expect([name, isReplayed]).toEqual([name, found.has(name)]);
        acknowledged.set(name, id);
      }
      const animals = await server.animals(writersKey);
      expect(animals).toHaveLength(added);
      expect(new Map(animals.map(({ name, id }) => [name, id]))).toEqual(acknowledged);
    });
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

  it('exits at once with 143 on a second SIGTERM, while a request is running', async () => {
    const connection = await RawConnection.open(server.port);
    connection.send(
      `POST /v1/pets HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer ${counted.key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 29\r\n\r\n{"name":',
    );
    // One thread handles all requests, so that one has arrived when this one is done.
    await server.get('/health/live');
    server.signal('SIGTERM');
    await within(TAKES_EFFECT_MS, () => server.stdout.includes('shutting down'));

    expect(await server.stop('SIGTERM')).toMatchObject({ code: 143, stderr: '' });
    connection.socket.destroy();
  });
});
