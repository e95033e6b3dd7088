import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { FrontDoor } from '@animal-store/web';
import { exchange, RawConnection, SERVED_A_TURN } from '@animal-store/web/testing';
import { ListPets } from '../../src/pets/application/list-pets.use-case.js';
import { acceptedDocument, mediaTypeOf, operationsOf } from '../support/documented-operations.js';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const CONNECT = 'CONNECT store:443 HTTP/1.1\r\nHost: store\r\n\r\n';
/** A request whose response is large, so a client that does not read soon blocks the connection. */
const DOCUMENT = 'GET /openapi.json HTTP/1.1\r\nHost: store\r\n\r\n';
const UNKNOWN = 'GET /x HTTP/1.1\r\nHost: store\r\n\r\n';
const GET = 'GET /v1/pets?limit=100 HTTP/1.1\r\nHost: store\r\n';
const POST = 'POST /v1/pets HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n';

describe('Limits of time and space', () => {
  let store: TestApp;
  let key: string;
  let authorization: string;

  async function start(environment: NodeJS.ProcessEnv): Promise<void> {
    store = await TestApp.start({ BUSINESS_PER_MINUTE: '100000', FREE_PER_MINUTE: '1000', ...environment });
    key = await store.key();
    authorization = `Authorization: Bearer ${key}\r\n`;
  }

  afterEach(() => store.stop());

  function open(count: number): Promise<RawConnection[]> {
    return Promise.all(Array.from({ length: count }, () => RawConnection.open(store.port)));
  }

  function connectionCount(): Promise<number> {
    const server = store.app.getHttpServer();
    return new Promise((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async function untilConnections(count: number): Promise<void> {
    await within(10_000, async () => (await connectionCount()) <= count);
  }

  /** A client that never reads, and the server's end of its connection. */
  async function deafClient(): Promise<{ client: RawConnection; socket: Socket }> {
    const accepted = once(store.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const client = await RawConnection.open(store.port);
    client.socket.pause();
    return { client, socket: (await accepted)[0] };
  }

  /** Resolves on 'close'. `once` would reject on an error of the socket. */
  function closed(socket: Socket): Promise<void> {
    return new Promise((resolve) => (socket.closed ? resolve() : socket.on('close', () => resolve())));
  }

  const frontDoor = () => store.app.get(FrontDoor);

  it('serves others beside 300 slow senders, and closes the connection of each slow sender in time', async () => {
    await start({ HEADERS_TIMEOUT_MS: '3000', REQUEST_TIMEOUT_MS: '3000' });
    const silent = await open(100);
    const halfHeads = await open(100);
    const halfBodies = await open(100);
    for (const connection of halfHeads) connection.send(`${GET}X-Note: and the rest comes la`);
    for (const connection of halfBodies)
      connection.send(`${POST}${authorization}Content-Length: 29\r\n\r\n{"na`);

    for (let served = 0; served < 20; served++) await store.send('GET', '/v1/pets', key).expect(200);

    for (const connection of silent) expect(await connection.untilClosed()).toEqual([]);
    for (const connection of [...halfHeads, ...halfBodies]) {
      const [response, ...rest] = await connection.untilClosed();
      expect(rest).toEqual([]);
      expect(response!.status).toBe(408);
      expect(response!.headers['connection']).toBe('close');
      expect(response!.body).toBe(
        '{"code":"request_timeout","message":"The request did not arrive in time.","status":408}',
      );
    }
    expect(halfBodies[0]!.responses[0]!.headers['x-ratelimit-limit']).toBe('100000');
    const timedOut = store.logLines.filter((line) => line.includes('"status":408'));
    expect(timedOut.filter((line) => line.includes('"route":"unreadable"'))).toHaveLength(100);
    expect(timedOut.filter((line) => line.includes('"route":"/v1/pets"'))).toHaveLength(100);
  });

  it('408 request_timeout: every operation responds to a sender that stops half-way', async () => {
    await start({ HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '1000' });
    const operations = operationsOf(acceptedDocument());
    const timeouts = operations.map(async ({ operationId, method, path, body: sent }) => {
      const connection = await RawConnection.open(store.port);
      const target = path.replaceAll(/\{\w+\}/g, '1');
      const head = `${method} ${target} HTTP/1.1\r\nHost: store\r\nContent-Type: ${mediaTypeOf(sent)}\r\n`;
      connection.send(`${head}${authorization}Content-Length: 29\r\n\r\n{"na`);
      const [response] = await connection.untilClosed();
      if (response!.status !== 408) return false;
      expect(response!.headers['x-ratelimit-limit']).toBe(operationId === 'getUsage' ? '600' : '100000');
      return `${operationId} ${response!.body}`;
    });
    const body = '{"code":"request_timeout","message":"The request did not arrive in time.","status":408}';
    const promising = operations.filter(({ errors }) => errors.some(({ status }) => status === 408));

    expect(promising.length).toBeGreaterThan(1);
    expect((await Promise.all(timeouts)).filter((timeout) => timeout !== false)).toEqual(
      promising.map(({ operationId }) => `${operationId} ${body}`),
    );
  });

  it('responds to a request that nobody has read yet because the service was busy', async () => {
    await start({ HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '10000' });
    const busyMs = 2_000;
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    store.app.getHttpServer().once('connection', () => Atomics.wait(sleeper, 0, 0, busyMs));
    const client = `const socket = require('net').connect(${store.port}, '127.0.0.1', () =>
      socket.write('GET /health/live HTTP/1.1\\r\\nHost: store\\r\\nConnection: close\\r\\n\\r\\n'));
      socket.pipe(process.stdout);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', client]);

    expect(stdout).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('responds to a request that waits for the service longer than a client may be idle', async () => {
    await start({ HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '500' });
    const standstill = new Promise((resolve) =>
      store.app.getHttpServer().once('connection', (socket) => socket.once('timeout', resolve)),
    );
    jest.spyOn(store.app.get(ListPets), 'execute').mockImplementation(async () => {
      await standstill;
      return { items: [], next: null };
    });
    const connection = await RawConnection.open(store.port);
    connection.send(`${GET}${authorization}Connection: close\r\n\r\n`);

    expect((await connection.untilClosed()).map(({ status }) => status)).toEqual([200]);
  });

  it('closes the connections of senders that never finish, even if they send all the time', async () => {
    await start({ HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '1000' });
    const [trickle, endless] = (await open(2)) as [RawConnection, RawConnection];
    trickle.send(GET);
    endless.send(`${POST}${authorization}Transfer-Encoding: chunked\r\n\r\n`);
    const sending = setInterval(() => {
      trickle.send('X');
      endless.send(`1000\r\n${'a'.repeat(4_096)}\r\n`);
    }, 10);

    expect((await trickle.untilClosed()).map(({ status }) => status)).toEqual([408]);
    expect((await endless.untilClosed()).map(({ status }) => status)).toEqual([413]);
    clearInterval(sending);
  });

  it('ends all requests of a connection that is reset: each served one is logged once, the others as one number', async () => {
    await start({});
    const before = store.logLines.length;
    const { client, socket } = await deafClient();
    client.send(DOCUMENT.repeat(60) + UNKNOWN.repeat(500));
    await within(10_000, () => frontDoor().openRequests > 100);
    client.socket.resetAndDestroy();
    await closed(socket);
    await within(10_000, () => frontDoor().openRequests === 0);

    const logged = store.logLines
      .slice(before)
      .map((line) => JSON.parse(line) as { requestId?: string; message?: string });
    const lines = logged.filter(({ message }) => message === undefined);
    expect(lines.length).toBeGreaterThanOrEqual(SERVED_A_TURN);
    expect(logged.filter(({ message }) => message !== undefined)).toMatchObject([
      { message: 'Connections closed before their requests were handled.' },
    ]);
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(lines.length);
    expect(lines.at(-1)).toMatchObject({ status: null, aborted: true });
  });

  it('closes the connection of a client that reads nothing, whatever it sends after its requests', async () => {
    await start({ HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '500' });
    const followers = ['', CONNECT, 'GARBAGE\r\n\r\n', 'GET /v1/pe'];
    const clients: RawConnection[] = [];
    const sockets: Socket[] = [];
    for (const last of followers) {
      const { client, socket } = await deafClient();
      client.send(DOCUMENT.repeat(300) + last);
      clients.push(client);
      sockets.push(socket);
    }
    await within(10_000, () => frontDoor().openRequests > 0);
    const trickle = setInterval(() => clients.forEach((client) => client.send('\r\n')), 100);
    await Promise.all(sockets.map(closed));
    clearInterval(trickle);

    await within(1_000, () => frontDoor().openRequests === 0);
    for (const client of clients) client.close();
  });

  it('closes connections above the limit without reading, and counts them', async () => {
    await start({ MAX_CONNECTIONS: '3' });
    const busy = await open(3);
    for (const connection of busy) await connection.send(`${GET}${authorization}\r\n`).until(1);

    expect(await exchange(store.port, `${GET}${authorization}\r\n`)).toEqual([]);
    expect(await exchange(store.port, `${GET}${authorization}\r\n`)).toEqual([]);
    const [again] = (await busy[0]!.send(`${GET}${authorization}\r\n`).until(2)).slice(1);
    expect(again!.status).toBe(200);
    expect(store.logLines.filter((line) => line.includes('New connections are dropped'))).toHaveLength(1);

    busy[0]!.close();
    await untilConnections(2);
    await store.send('GET', '/v1/pets', key).expect(200);
    for (const connection of busy) connection.close();
  });
});
