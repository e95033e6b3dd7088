import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { RawConnection } from '../testing/raw-connection.js';
import { SERVED_AT_ONCE } from './connection.js';
import { FrontDoor, MAX_OPEN } from './front-door.js';
import { type NodeInternals, nodeInternals, STOCK_NODE } from './node/node-internals.js';

const GET = 'GET / HTTP/1.1\r\nHost: store\r\n\r\n';
/** More than the kernel takes for a client that does not read. */
const LARGE = Buffer.alloc(8_388_608, 'x');

/** A request after which nothing is parsed. */
const LAST = 'GET /last HTTP/1.1\r\nHost: store\r\nUpgrade: tunnel\r\n\r\n';
/** As short as possible, so that one read has too many. */
const SHORT = 'GET / HTTP/1.1\r\nHost:x\r\n\r\n';

describe('The front door', () => {
  let server: Server;
  let door: FrontDoor;
  let served: ServerResponse[];
  let started: string[];
  let finished: string[];
  let dropped: string[];
  let unserved: number;
  let client: RawConnection;
  let socket: Socket;

  beforeEach(async () => {
    served = [];
    started = [];
    finished = [];
    dropped = [];
    unserved = 0;
    await start();
  });

  afterEach(stop);

  async function start(node = nodeInternals()): Promise<void> {
    server = createServer();
    door = doorOf(node);
    door.open({ server, handle, count: () => true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    [client, socket] = await connect();
  }

  async function stop(): Promise<void> {
    server.closeAllConnections();
    await until('finished', () => door.openRequests === 0);
    server.close();
  }

  function doorOf(node: NodeInternals): FrontDoor {
    const limits = {
      maxConnections: 1_500,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 15_000,
      keepAliveTimeoutMs: 68_000,
    };
    return new FrontDoor(
      limits,
      {
        started: ({ url }) => started.push(url!),
        finished: ({ url }, response) => {
          finished.push(`${url} ${response.writableFinished ? 'sent' : 'aborted'}`);
          server.emit('finished');
        },
        unserved: (count) => {
          unserved += count;
          server.emit('finished');
        },
        dropped: (reason) => dropped.push(reason),
      },
      node,
    );
  }

  function handle({ url }: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void {
    if (url === '/nowhere') return next();
    if (url === '/unreadable') return next(new URIError());
    served.push(response);
    server.emit('served');
    if (url === '/large') response.end(LARGE);
  }

  async function connect(): Promise<[RawConnection, Socket]> {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const connection = await RawConnection.open((server.address() as AddressInfo).port);
    return [connection, (await accepted)[0]];
  }

  async function until(event: 'served' | 'finished', isDone: () => boolean): Promise<void> {
    while (!isDone()) await once(server, event);
  }

  /** Resolves when no further connection is accepted. */
  async function drain(): Promise<void> {
    void door.drain(60_000);
    while (server.listening) await new Promise(setImmediate);
  }

  function get(path: string): string {
    return `GET ${path} HTTP/1.1\r\nHost: store\r\n\r\n`;
  }

  it('reports each request once as sent or aborted, even when its response never had the socket', async () => {
    client.send(['/first', '/second', '/third', '/fourth'].map(get).join(''));
    await until('served', () => served.length === 4);
    served[0]!.end('[]');
    served[1]!.on('finish', () => client.close());
    served[1]!.end('[]');
    served[3]!.end('[]');
    await until('finished', () => finished.length === 4);
    for (const response of served) response.emit('close');

    expect(started).toEqual(['/first', '/second', '/third', '/fourth']);
    expect(finished).toEqual(['/first sent', '/second sent', '/third aborted', '/fourth aborted']);
    expect(door.openRequests).toBe(0);
  });

  it.each([
    ['/nowhere', 404],
    ['/unreadable', 400],
  ])('responds to %s, which no route serves, with %d', async (path, status) => {
    client.send(get(path));

    const [response] = await client.until(1);
    expect(response!.status).toBe(status);
  });

  it('destroys a response that never had the socket, so later writes to it are dropped', async () => {
    client.send(GET.repeat(2));
    await until('served', () => served.length === 2);
    const closed = once(served[1]!, 'close');
    client.reset();
    await closed;

    expect(served[1]!.destroyed).toBe(true);
    served[1]!.end('[]');
    expect(served[1]!.writableLength).toBe(0);
  });

  it('serves all requests of a connection in their order, but only a limited number at once', async () => {
    const paths = Array.from({ length: 500 }, (_, index) => `/${index}`);
    client.send(paths.map(get).join(''));
    await until('served', () => served.length === SERVED_AT_ONCE);
    expect(served.map(({ req }) => req.url)).toEqual(paths.slice(0, SERVED_AT_ONCE));

    for (let index = 0; index < paths.length; index++) {
      await until('served', () => served.length > index);
      served[index]!.end('[]');
    }
    expect(await client.until(paths.length)).toHaveLength(paths.length);
    expect(served.map(({ req }) => req.url)).toEqual(paths);
  });

  it('reads nothing from a connection at this limit, even if other code resumes it', async () => {
    client.send(GET.repeat(SERVED_AT_ONCE));
    await until('served', () => served.length === SERVED_AT_ONCE);
    const read = socket.bytesRead;
    client.send(GET.repeat(100));
    socket.resume();
    const [other] = await connect();
    other.send(get('/other'));
    await until('served', () => served.length > SERVED_AT_ONCE);
    expect(served.at(-1)!.req.url).toBe('/other');
    expect(socket.bytesRead).toBe(read);

    for (let index = 0; index < SERVED_AT_ONCE; index++) served[index]!.end('[]');
    await until('served', () => served.length > SERVED_AT_ONCE + 1);
    expect(socket.bytesRead).toBeGreaterThan(read);
  });

  it('serves and parses nothing after a response that closes the connection', async () => {
    client.send(get('/first') + LAST + get('/next').repeat(100));
    await until('served', () => served.length === 2);
    client.send(get('/next').repeat(100));
    for (const response of [...served]) response.end('[]');
    const responses = await client.untilClosed();
    await until('finished', () => finished.length === 2);

    expect(responses.map(({ headers }) => headers['connection'])).toEqual(['keep-alive', 'close']);
    expect(started).toEqual(['/first', '/last']);
    expect(unserved).toBe(0);
  });

  it('serves nothing after such a response on an unknown Node either, and closes a connection that continues', async () => {
    await stop();
    await start(STOCK_NODE);
    const [second] = await connect();
    for (const one of [client, second]) one.send(LAST + get('/next'));
    await until('served', () => served.length === 2);
    second.send(SHORT.repeat(MAX_OPEN));
    await second.untilClosed();
    served[0]!.end('[]');

    expect((await client.untilClosed()).map(({ headers }) => headers['connection'])).toEqual(['close']);
    expect(started).toEqual(['/last', '/last']);
  });

  const expecting = 'GET /expecting HTTP/1.1\r\nHost: store\r\nExpect: 100-continue\r\n\r\n';

  it('serves what follows a response that may close the connection when it has not closed it', async () => {
    client.send(expecting + get('/next'));
    await until('served', () => served.length === 1);
    served[0]!.writeContinue();
    served[0]!.end('[]');
    await until('served', () => served.length === 2);

    expect(started).toEqual(['/expecting', '/next']);
  });

  it('does not serve it when the response has closed the connection', async () => {
    client.send(expecting + get('/next'));
    await until('served', () => served.length === 1);
    served[0]!.end('[]');
    const responses = await client.untilClosed();
    await until('finished', () => unserved > 0);

    expect(responses.map(({ headers }) => headers['connection'])).toEqual(['close']);
    expect(started).toEqual(['/expecting']);
    expect(unserved).toBe(1);
  });

  it('serves no further request of a connection while too many bytes wait for its client', async () => {
    client.socket.pause();
    client.send(get('/large').repeat(3));
    await until('served', () => served.length > 0);
    const [other] = await connect();
    other.send(get('/other'));
    await until('served', () => served.some(({ req }) => req.url === '/other'));
    expect(started).toEqual(['/large', '/other']);

    client.socket.resume();
    await until('served', () => started.length === 4);
    client.close();
    expect(started).toEqual(['/large', '/other', '/large', '/large']);
  });

  it('closes a connection with too many open requests, and serves no further request that was read from it', async () => {
    client.send(SHORT.repeat(3 * MAX_OPEN));
    await client.untilClosed();
    await until('finished', () => unserved > 0);

    // None is served when all were read in one turn of the event loop.
    expect(started.length).toBeLessThanOrEqual(SERVED_AT_ONCE);
    expect(finished).toHaveLength(started.length);
    expect(unserved).toBe(MAX_OPEN + 1 - started.length);
    expect(dropped).toEqual(['too many requests']);
    expect(door.openRequests).toBe(0);
  });

  it('stops the parser soon after the connection is closed', async () => {
    let parsed = 0;
    server.on('request', () => parsed++);
    client.send(SHORT.repeat(3 * MAX_OPEN));
    await client.untilClosed();
    await until('finished', () => unserved > 0);

    expect(parsed).toBeGreaterThan(MAX_OPEN);
    expect(parsed).toBeLessThan(MAX_OPEN + 5);

    const [next] = await connect();
    next.send(get('/first') + get('/second'));
    await until('served', () => served.at(-1)?.req.url === '/second');
  });

  it('closes only the connection whose pipelined request exceeds the limit of the server', async () => {
    const [second] = await connect();
    const [third] = await connect();
    client.send(SHORT.repeat(900));
    await until('served', () => served.length === SERVED_AT_ONCE);
    second.send(SHORT.repeat(900));
    await second.untilClosed();
    third.send(GET);
    await until('served', () => served.at(-1)!.req.headers.host === 'store');

    expect(dropped).toEqual(['too many requests']);
    expect(client.socket.closed).toBe(false);
  });

  it('closes an idle connection, and measures the idle time from the last response', async () => {
    client.send(GET);
    await until('served', () => served.length === 1);
    door.closeQuiet(0);
    served[0]!.end('[]');
    await until('finished', () => finished.length === 1);
    door.closeQuiet(50_000);
    door.closeQuiet(120_000);
    expect(socket.destroyed).toBe(false);

    door.closeQuiet(120_001);
    expect(socket.destroyed).toBe(true);
  });

  it('has an error listener on every socket, even on one that Node has detached for a tunnel', async () => {
    server.on('connect', (_, tunnel: Socket) => tunnel.emit('error', new Error('write ECONNRESET')));
    client.send('CONNECT store:443 HTTP/1.1\r\nHost: store\r\n\r\n');
    const [, tunnel] = (await once(server, 'connect')) as [IncomingMessage, Socket];

    expect(tunnel).toBe(socket);
    expect(tunnel.listenerCount('error')).toBeGreaterThan(0);
  });

  it('closes a connection with the last of its open responses when it drains, and serves nothing more', async () => {
    client.send(get('/first') + get('/second'));
    await until('served', () => served.length === 2);
    await drain();
    client.send(get('/third'));
    for (const response of [...served]) response.end('[]');
    const responses = await client.untilClosed();

    expect(responses.map(({ headers }) => headers['connection'])).toEqual(['keep-alive', 'close']);
    expect(started).toEqual(['/first', '/second']);
  });
});
