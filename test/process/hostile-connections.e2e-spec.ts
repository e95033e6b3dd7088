import { readdirSync, readFileSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { exchange, RawConnection, type RawResponse } from '@animal-store/web/testing';
import { FirstServer } from '../support/first-server.js';
import {
  addition,
  bearer,
  closing,
  closingPipeline,
  get,
  NO_CODINGS,
  UNREADABLE,
  upgradeDesync,
  withoutLength,
} from '../support/hostile-requests.js';
import { type ServerProcess, within } from '../support/server-process.js';

const MIB = 1_048_576;

jest.setTimeout(90_000);

describe('Hostile connections', () => {
  let first: FirstServer;
  let key: string;
  let server: ServerProcess;

  beforeAll(async () => {
    first = await FirstServer.start();
    ({ key, process: server } = first);
  });

  beforeEach(async () => {
    if (server.hasEnded) await start();
  });

  afterAll(() => first.remove());

  async function start(settings: NodeJS.ProcessEnv = {}): Promise<void> {
    await first.restart(settings);
    server = first.process;
  }

  async function names(): Promise<string[]> {
    const list = (await (await server.get('/v1/pets?limit=100', key)).json()) as { name: string }[];
    return list.map(({ name }) => name);
  }

  /** Opens connections one soon after the other. They read nothing. */
  async function silentClients(count: number, text: string): Promise<RawConnection[]> {
    const clients: RawConnection[] = [];
    for (let opened = 0; opened < count; opened++) {
      const client = await RawConnection.open(server.port);
      client.socket.pause();
      clients.push(client.send(text));
    }
    return clients;
  }

  function residentBytes(): number {
    const [, pages] = readFileSync(`/proc/${server.pid}/statm`, 'utf8').split(' ');
    return Number(pages) * 4_096;
  }

  function openFiles(): number {
    return readdirSync(`/proc/${server.pid}/fd`).length;
  }

  function closes(responses: readonly RawResponse[]): boolean {
    return responses.at(-1)?.headers['connection'] === 'close';
  }

  it('with requests behind a response that closes do not end the process', async () => {
    for (let round = 0; round < 40 && !server.hasEnded; round++) {
      // Single requests before change how the service groups the next responses.
      await Promise.all(Array.from({ length: round % 8 }, () => server.get('/health/live')));
      const responses = await exchange(server.port, closingPipeline()).catch(() => []);

      expect(responses.map(({ status }) => status)).toEqual([401]);
      expect(closes(responses)).toBe(true);
    }
    expect(server.hasEnded).toBe(false);
  });

  it('get nothing executed behind a response that closes, which RFC 9112 section 9.6 forbids', async () => {
    const behind = addition(key, 'Behind').join('');
    const answers = [
      await exchange(server.port, closing(behind)),
      await exchange(server.port, closing(behind, bearer(key))),
      await exchange(server.port, get('/v1/pets', bearer(key), 'Connection: close') + behind),
      await exchange(server.port, `GET /v1/pets HTTP/1.0\r\n\r\n${behind}`),
    ];

    expect(answers.map((responses) => responses.map(({ status }) => status))).toEqual([
      [401],
      [200],
      [200],
      [401],
    ]);
    expect(answers.every(closes)).toBe(true);
    expect(await names()).not.toContain('Behind');
  });

  it('that read nothing hold little memory and no file of the server', async () => {
    const page = await (await server.get('/docs')).text();
    const script = /\/docs\/assets\/swagger-ui-bundle-\w+\.js/.exec(page)![0];
    for (const path of [script, '/openapi.json', '/docs']) {
      // The first response of each kind is made and compressed.
      await server.get(path);
      const before = residentBytes();
      const clients = await silentClients(100, get(path).repeat(32));
      await within(20_000, async () => (await server.get('/health/live')).ok);
      const grown = residentBytes() - before;
      const files = openFiles();
      for (const client of clients) client.close();
      expect({ path, isSmall: grown < 40 * MIB, grown }).toMatchObject({ isSmall: true });
      expect(files).toBeLessThan(100 + 60);
    }
  });

  it('that ask for another protocol get the response and are closed, and what follows is no request', async () => {
    const smuggled = addition(key, 'Smuggled').join('');
    const [first, second] = upgradeDesync(key, smuggled);
    const client = await RawConnection.open(server.port);
    await client.send(first).until(1);
    const responses = await client.send(second).untilClosed();

    expect(responses.map(({ status }) => status)).toEqual([200]);
    expect(closes(responses)).toBe(true);
    expect(await names()).not.toContain('Smuggled');
  });

  it.each(NO_CODINGS)(
    'that send a request of unknown length are closed, and what follows is no request: %j',
    async (codings) => {
      const behind = addition(key, 'Lengthless').join('');
      const responses = await exchange(server.port, withoutLength(key, behind, codings));

      expect(responses.map(({ status }) => status)).toEqual([400]);
      expect(closes(responses)).toBe(true);
      expect(await names()).not.toContain('Lengthless');
    },
  );

  it('may be a thousand at once: the kernel accepts them while the server is busy', async () => {
    process.kill(server.pid, 'SIGSTOP');
    let clients: RawConnection[];
    try {
      const opening = Promise.all(Array.from({ length: 1_000 }, () => RawConnection.open(server.port)));
      const tooLate = new Promise<never>((_, reject) =>
        setTimeout(reject, 5_000, new Error('Not accepted.')).unref(),
      );
      clients = await Promise.race([opening, tooLate]);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    const answered = await Promise.all(clients.map((client) => client.send(get('/health/live')).until(1)));
    for (const client of clients) client.close();

    expect(answered.flat().map(({ status }) => status)).toEqual(Array<number>(1_000).fill(200));
  });

  describe('that send no readable request', () => {
    beforeAll(async () => {
      await server.stop();
      await start({ FREE_PER_MINUTE: '10' });
    });

    it('get 429 past the limit, and then a ban', async () => {
      const codes: string[] = [];
      for (let count = 0; count < 40; count++) {
        const [response] = await exchange(server.port, UNREADABLE[count % UNREADABLE.length]![1]);
        codes.push((JSON.parse(response!.body) as { code: string }).code);
        if (response!.status === 429)
          expect(response!.headers).toMatchObject({
            connection: 'close',
            'retry-after': expect.any(String) as string,
          });
      }

      expect(codes.slice(10, 29)).toEqual(Array<string>(19).fill('rate_limit_exceeded'));
      expect(codes.at(-1)).toBe('api_key_banned');
    });
  });

  it('that pipeline while the server stops do not change its exit code, and every request served is answered and counted', async () => {
    // Counts are saved a second late, and at the end.
    await server.stop();
    const before = dayCount();
    await start();
    const clients = await Promise.all(Array.from({ length: 80 }, () => RawConnection.open(server.port)));
    const pipeline = get('/v1/pets', bearer(key), `X-Padding: ${'x'.repeat(2_000)}`).repeat(16);
    let isOver = false;
    for (const client of clients) {
      const send = () => {
        if (!isOver && client.socket.writable)
          client.socket.write(pipeline, 'latin1', () => setImmediate(send));
      };
      send();
    }
    await within(20_000, () => clients.filter(({ text }) => text !== '').length > 30);
    const { code, stderr } = await server.stop('SIGTERM');
    isOver = true;
    const answered = await Promise.all(clients.map((client) => client.untilClosed()));

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const statuses = answered.flat().map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(dayCount() - before).toBe(statuses.length);
  });

  function dayCount(): number {
    const database = new SqliteConnection(first.file, { readonly: true });
    const row = database
      .prepare("SELECT day_count AS requests FROM rate_limit_usage WHERE subject LIKE 'key_%'")
      .get() as { requests: number } | undefined;
    database.close();
    return row?.requests ?? 0;
  }
});
