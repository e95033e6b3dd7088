import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Connections, SERVED_AT_ONCE } from '@animal-store/web';
import { temporaryPostgresOptions } from '@animal-store/database/testing';
import { RawConnection } from '@animal-store/web/testing';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const CONNECT = 'CONNECT store:443 HTTP/1.1\r\nHost: store\r\n\r\n';
/** A request whose response is large, so a client that does not read soon blocks the connection. */
const DOCUMENT = 'GET /openapi.json HTTP/1.1\r\nHost: store\r\n\r\n';
const UNKNOWN = 'GET /x HTTP/1.1\r\nHost: store\r\n\r\n';

describe('A connection', () => {
  let store: TestApp;
  let connections: Connections;

  async function start(environment: NodeJS.ProcessEnv = {}): Promise<void> {
    store = await TestApp.start(environment);
    connections = store.app.get(Connections);
  }

  afterEach(() => store.stop());

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

  it('that asks for a tunnel and is reset does not affect others', async () => {
    await start();
    for (let count = 0; count < 20; count++) {
      const { client, socket } = await deafClient();
      const tunnel = once(store.app.getHttpServer(), 'connect');
      client.send(CONNECT);
      await tunnel;
      client.socket.resetAndDestroy();
      await closed(socket);
    }

    await store.send('GET', '/health/live', null).expect(200);
    expect(connections.openRequests).toBe(0);
  });

  it('that is reset ends all its requests: each served one is logged once, the others as one number', async () => {
    await start();
    const before = store.logLines.length;
    const { client, socket } = await deafClient();
    client.send(DOCUMENT.repeat(60) + UNKNOWN.repeat(500));
    await within(10_000, () => connections.openRequests > 100);
    client.socket.resetAndDestroy();
    await closed(socket);
    await within(10_000, () => connections.openRequests === 0);

    const logged = store.logLines
      .slice(before)
      .map((line) => JSON.parse(line) as { requestId?: string; message?: string });
    const lines = logged.filter(({ message }) => message === undefined);
    expect(lines.length).toBeGreaterThanOrEqual(SERVED_AT_ONCE);
    expect(logged.filter(({ message }) => message !== undefined)).toMatchObject([
      { message: 'Connections closed before their pipelined requests were handled.' },
    ]);
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(lines.length);
    expect(lines.at(-1)).toMatchObject({ status: null, aborted: true });
  });

  it('is closed in time when its client reads nothing, whatever it sends behind its requests', async () => {
    await start({ HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '500' });
    const behind = ['', CONNECT, 'GARBAGE\r\n\r\n', 'GET /v1/pe'];
    const clients: RawConnection[] = [];
    const sockets: Socket[] = [];
    for (const last of behind) {
      const { client, socket } = await deafClient();
      client.send(DOCUMENT.repeat(300) + last);
      clients.push(client);
      sockets.push(socket);
    }
    await within(10_000, () => connections.openRequests > 0);
    const trickle = setInterval(() => clients.forEach((client) => client.send('\r\n')), 100);
    await Promise.all(sockets.map(closed));
    clearInterval(trickle);

    await within(1_000, () => connections.openRequests === 0);
    for (const client of clients) client.close();
  });
});

const databases: [string, () => Promise<NodeJS.ProcessEnv>][] = [['SQLite', () => Promise.resolve({})]];
if (process.env.TEST_POSTGRES_URL) {
  databases.push(['PostgreSQL', async () => ({ DATABASE_URL: (await temporaryPostgresOptions()).url })]);
}

describe.each(databases)(
  'A client that half-closes its connection after the request, on %s',
  (_, environment) => {
    it('gets the response', async () => {
      const store = await TestApp.start(await environment());
      const key = await store.key();
      const animal = '{"name":"Rex","categoryId":7}';
      const post =
        `POST /v1/pets HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${animal.length}\r\n\r\n${animal}`;
      for (let count = 0; count < 20; count++) {
        const connection = await RawConnection.open(store.port);
        connection.socket.end(post, 'latin1');
        expect((await connection.untilClosed()).map(({ status }) => status)).toEqual([201]);
      }
      await store.stop();
    });
  },
);
