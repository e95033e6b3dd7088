import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { PostgresServer } from '@animal-store/database/testing';
import { freePort } from '@animal-store/kernel/testing';
import { RedisServer } from '@animal-store/rate-limiting/testing';
import { insertKey, KEY_PER_DAY } from '../../test/support/insert-key.js';
import {
  type ProxyResponse,
  caddyCommand,
  hasProxies,
  nginxCommand,
  Proxy,
} from '../../test/support/proxies.js';
import { ServerProcess, within } from '../../test/support/server-process.js';

const LIMIT_MS = 60_000;
/** 60 requests a second through each proxy. */
const SEND_EVERY_MS = 1_000 / 60;
/** Caddy notices meanwhile that a replica does not respond. */
const PAUSE_MS = 3_000;

/** Caddy checks four times a second, and cannot connect to a killed replica. Far more, as other suites run too. */
const NOTICED_WITHIN_MS = 3_000;
/** For so long nobody waits unless a replica is thought to be down. */
const STALL_MS = 500;

/** A request of a caller that has ended. */
interface Sent {
  readonly proxy: string;
  readonly sentMs: number;
  readonly endedMs: number;
  /** The name of the animal that it adds; null when it reads. */
  readonly name: string | null;
  /** The status, or what went wrong without one. */
  readonly outcome: number | string;
}

(hasProxies ? describe : describe.skip)('Two replicas behind nginx and Caddy', () => {
  let folder: string;
  let ports: readonly number[];
  let postgres: PostgresServer;
  let redis: RedisServer;
  let proxies: readonly Proxy[];
  let key: string;
  let echoed: readonly ProxyResponse[];
  const replicas: ServerProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'proxies-'));
    [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
    ports = [await freePort(), await freePort()];
    // Until they start, a server says what it gets from the proxies.
    const echo = createServer(({ headers }, response) => response.end(JSON.stringify(headers)));
    await once(echo.listen(ports[0], '127.0.0.1'), 'listening');
    const parts = { folder, replicas: ports.map((port) => `127.0.0.1:${port}`) };
    proxies = await Promise.all([nginxCommand, caddyCommand].map((command) => Proxy.start(command, parts)));
    echoed = await throughEach((proxy) => proxy.request({ headers: { 'X-Forwarded-For': '192.0.2.1' } }));
    const closed = once(echo.close(), 'close');
    echo.closeAllConnections();
    await closed;
    await start(0);
    await start(1);
    const inserted = onDatabase((client) => insertKey((sql) => client.query(sql), KEY_PER_DAY));
    ({ key } = await inserted);
    await within(LIMIT_MS, async () => {
      const ready = await throughEach((proxy) => proxy.request({ path: '/health/ready' }));
      return ready.every(({ status }) => status === 200);
    });
  }, LIMIT_MS);

  afterAll(async () => {
    await Promise.all(proxies?.map((proxy) => proxy.stop()) ?? []);
    await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
    await Promise.all([postgres?.stop(), redis?.stop()]);
    rmSync(folder, { recursive: true });
  }, LIMIT_MS);

  async function start(index: number): Promise<void> {
    const environment = {
      NODE_ENV: 'production',
      PORT: String(ports[index]),
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      TRUST_PROXY: '1',
      SHUTDOWN_DELAY_MS: '3000',
    };
    replicas[index] = await ServerProcess.start({ folder, environment });
  }

  async function onDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    return work(client).finally(() => client.end());
  }

  function throughEach<T>(work: (proxy: Proxy) => Promise<T>): Promise<T[]> {
    return Promise.all(proxies.map(work));
  }

  function authorized(): Record<string, string> {
    return { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  }

  async function send(proxy: Proxy, name: string | null): Promise<Sent> {
    const sentMs = performance.now();
    const options = { path: '/v1/pets', method: name === null ? 'GET' : 'POST', headers: authorized() };
    const body = name === null ? undefined : JSON.stringify({ name, categoryId: 1 });
    const outcome = await proxy.request(options, body).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
    return { proxy: proxy.name, sentMs, endedMs: performance.now(), name, outcome };
  }

  /** What is sent during a fault, before it and after it. A third of it adds animals. */
  async function sentDuring(fault: () => Promise<void>): Promise<readonly Sent[]> {
    const all: Promise<Sent>[] = [];
    let isOver = false;
    const sending = (async () => {
      for (; !isOver; await delay(SEND_EVERY_MS)) {
        const isAddition = all.length % 6 < 2;
        for (const proxy of proxies)
          all.push(send(proxy, isAddition ? `${proxy.name} ${performance.now()}` : null));
      }
    })();
    try {
      await untilSent(all, 60);
      await fault();
      await untilSent(all, all.length + 60);
    } finally {
      isOver = true;
      await sending;
    }
    return Promise.all(all);
  }

  async function untilSent(all: readonly unknown[], count: number): Promise<void> {
    await within(LIMIT_MS, () => all.length >= count);
  }

  /** Those without success, which is 200 for a list and 201 for an addition. */
  function lostOf(sent: readonly Sent[]): readonly Sent[] {
    return sent.filter(({ name, outcome }) => outcome !== (name === null ? 200 : 201));
  }

  /** How often each animal of these requests is stored that is not there exactly once. */
  async function notStoredOnce(sent: readonly Sent[]): Promise<Map<string, number>> {
    const names = sent.flatMap(({ name }) => name ?? []);
    const { rows } = await onDatabase((client) =>
      client.query<{ name: string; count: number }>(
        'SELECT sent.name, count(pets.name)::int FROM unnest($1::text[]) AS sent (name) LEFT JOIN pets USING (name) GROUP BY sent.name',
        [names],
      ),
    );
    return new Map(rows.filter(({ count }) => count !== 1).map(({ name, count }) => [name, count]));
  }

  it('get the host with its port, and the address of the caller', () => {
    expect(echoed.map(({ body }) => body)).toMatchObject(
      proxies.map(({ port }) => ({
        host: `localhost:${port}`,
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'https',
      })),
    );
  });

  it('weaken no tag of what can be changed, also for callers who accept compression', async () => {
    const headers = { ...authorized(), 'Accept-Encoding': 'gzip, zstd' };
    const changes = await throughEach(async (proxy) => {
      const send = (method: string, path: string, body?: object, more = {}) =>
        proxy.request({ method, path, headers: { ...headers, ...more } }, body && JSON.stringify(body));
      const added = await send('POST', '/v1/pets', { name: 'x'.repeat(250), categoryId: 1 });
      const placed = await send('POST', '/v1/store/orders', { petId: (added.body as { id: number }).id });
      const found = await send('GET', placed.headers['location'] as string);
      const changed = await send('POST', `${placed.headers['location'] as string}/complete`, undefined, {
        'If-Match': found.headers['etag'],
      });
      return [found.headers['etag'], changed.status];
    });
    expect(changes).toEqual(proxies.map(() => [expect.stringMatching(/^"/), 200]));
  });

  it('say themselves that a body is too long', async () => {
    const options = { method: 'POST', path: '/v1/pets', headers: authorized() };
    const responses = await throughEach((proxy) => proxy.request(options, 'x'.repeat(3_000_000)));
    const expected = {
      status: 413,
      headers: { 'x-ratelimit-limit': String(KEY_PER_DAY) },
      body: { code: 'payload_too_large', status: 413 },
    };
    expect(responses).toMatchObject([expected, expected]);
  });

  it.each([
    ['header', '/', 20_000],
    ['URL', `/${'x'.repeat(20_000)}`, 1],
  ])('say themselves that a %s is too long', async (_, path, length) => {
    const options = { path, headers: { 'X-Padding': 'x'.repeat(length) } };
    const expected = { status: 431, body: { code: 'headers_too_large', status: 431 } };
    expect(await throughEach((proxy) => proxy.request(options))).toMatchObject([expected, expected]);
  });

  it.each([
    ['a line that is none', 'GET\r\n\r\n', 400, 'bad_request'],
    ['a path with a wrong %', 'GET /%zz HTTP/1.1\r\nHost: store\r\n\r\n', 400, 'bad_request'],
    ['another version', 'GET / HTTP/9.1\r\nHost: store\r\n\r\n', 400, 'bad_request'],
    ['TRACE', 'TRACE / HTTP/1.1\r\nHost: store\r\n\r\n', 400, 'bad_request'],
    ['a URL of 70 kB', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\n\r\n`, 431, 'headers_too_large'],
  ])('never see %s: nginx responds with an Error object', async (_, bytes, status, code) => {
    const [first, last] = await proxies[0]!.raw(bytes);
    expect(first).toMatch(`HTTP/1.1 ${status} `);
    expect(JSON.parse(last!)).toEqual({ code, message: expect.any(String) as string, status });
  });

  it.each(['POST', 'GET'])(
    'let nobody wait while a client without a key sends bodies that are none: %s',
    async (method) => {
      const bytes = `${method} /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n`;
      const sockets: Socket[] = [];
      const sent = await sentDuring(async () => {
        for (; sockets.length < 200; await delay(SEND_EVERY_MS))
          for (const proxy of proxies) sockets.push(proxy.sendRaw(bytes));
      });
      for (const socket of sockets) socket.destroy();
      expect(lostOf(sent)).toEqual([]);
      const durations = sent.map(({ sentMs, endedMs }) => endedMs - sentMs).sort((a, b) => a - b);
      expect(durations[Math.floor(durations.length / 2)]).toBeLessThan(STALL_MS);
    },
    2 * LIMIT_MS,
  );

  it(
    'lose no request while one after the other is restarted',
    async () => {
      const sent = await sentDuring(async () => {
        for (const [index, replica] of [...replicas].entries()) {
          await replica.stop();
          await start(index);
        }
      });
      expect(lostOf(sent)).toEqual([]);
      expect(await notStoredOnce(sent)).toEqual(new Map());
    },
    2 * LIMIT_MS,
  );

  it(
    'lose no request while one hangs',
    async () => {
      const sent = await sentDuring(async () => {
        replicas[0]!.signal('SIGSTOP');
        await delay(PAUSE_MS).finally(() => replicas[0]!.signal('SIGCONT'));
      });
      expect(lostOf(sent)).toEqual([]);
      expect(await notStoredOnce(sent)).toEqual(new Map());
    },
    2 * LIMIT_MS,
  );

  it(
    'lose only additions that one had when it was killed, and get none of them twice',
    async () => {
      let killedMs = 0;
      const sent = await sentDuring(async () => {
        await replicas[0]!.stop('SIGKILL');
        killedMs = performance.now();
        await start(0);
      });
      const lost = lostOf(sent);
      const limits: Record<string, number> = { nginx: killedMs, caddy: killedMs + NOTICED_WITHIN_MS };
      expect(lost.filter(({ proxy, name, sentMs }) => name === null || sentMs > limits[proxy]!)).toEqual([]);
      const others = [...(await notStoredOnce(sent))].filter(
        ([lostName, count]) => count > 1 || !lost.some(({ name }) => name === lostName),
      );
      expect(others).toEqual([]);
    },
    2 * LIMIT_MS,
  );

  it(
    'cannot respond when both are down, so the proxies send an Error object',
    async () => {
      await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
      const expected = {
        status: 503,
        headers: { 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' },
        body: { code: 'service_unavailable', status: 503 },
      };
      const responses = await throughEach((proxy) => proxy.request({ path: '/v1/pets' }));
      expect(responses).toMatchObject([expected, expected]);
    },
    LIMIT_MS,
  );
});
