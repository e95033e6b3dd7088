import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { RawConnection } from '../testing/raw-connection.js';
import { Connections, OPEN_AT_MOST, SERVED_AT_ONCE } from './connections.js';

const GET = 'GET / HTTP/1.1\r\nHost: store\r\n\r\n';
/** More than the kernel takes for a client that does not read. */
const LARGE = Buffer.alloc(8_388_608, 'x');

describe('Connections', () => {
  let server: Server;
  let connections: Connections;
  let served: ServerResponse[];
  let started: string[];
  let finished: string[];
  let overloaded: number;
  let unserved: number;
  let client: RawConnection;
  let socket: Socket;

  beforeEach(async () => {
    served = [];
    started = [];
    finished = [];
    overloaded = 0;
    unserved = 0;
    connections = new Connections(
      { maxPipelined: 1_500, stalledAfterMs: 60_000, idleAfterMs: 70_000 },
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
        overloaded: () => overloaded++,
      },
    );
    server = createServer({ requireHostHeader: false });
    connections.guard(
      server,
      ({ url }: IncomingMessage, response: ServerResponse) => {
        served.push(response);
        server.emit('served');
        if (url === '/large') response.end(LARGE);
      },
      ({ url }, response) => {
        if (url === '/last') response.shouldKeepAlive = false;
      },
    );
    server.on('checkContinue', (request, response) => server.emit('request', request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    [client, socket] = await connect();
  });

  afterEach(async () => {
    connections.closeAll();
    await until('finished', () => connections.openRequests === 0);
    server.close();
  });

  async function connect(): Promise<[RawConnection, Socket]> {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const connection = await RawConnection.open((server.address() as AddressInfo).port);
    return [connection, (await accepted)[0]];
  }

  async function until(event: 'served' | 'finished', isDone: () => boolean): Promise<void> {
    while (!isDone()) await once(server, event);
  }

  function get(path: string): string {
    return `GET ${path} HTTP/1.1\r\nHost: store\r\n\r\n`;
  }

  it('report each request once as sent or aborted, even when its response never had the socket', async () => {
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
    expect(connections.openRequests).toBe(0);
  });

  it('report the requests that were never served as one number', async () => {
    client.send(GET.repeat(SERVED_AT_ONCE + 10));
    await until('served', () => served.length === SERVED_AT_ONCE);
    socket.destroy();
    await until('finished', () => unserved > 0);

    expect(unserved).toBe(10);
    expect(started).toHaveLength(SERVED_AT_ONCE);
    expect(finished).toHaveLength(SERVED_AT_ONCE);
  });

  it('destroy a response that never had the socket, so later writes to it are dropped', async () => {
    client.send(GET.repeat(2));
    await until('served', () => served.length === 2);
    const closed = once(served[1]!, 'close');
    client.close();
    await closed;

    expect(served[1]!.destroyed).toBe(true);
    served[1]!.end('[]');
    expect(served[1]!.writableLength).toBe(0);
  });

  it('serve all requests of a connection in their order, but only a limited number at once', async () => {
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

  it('read nothing from a connection at this limit, even if other code resumes it', async () => {
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

  it('serve and parse nothing behind a response that closes the connection', async () => {
    client.send(get('/first') + get('/last') + get('/behind').repeat(100));
    await until('served', () => served.length === 2);
    client.send(get('/behind').repeat(100));
    for (const response of [...served]) response.end('[]');
    const responses = await client.untilClosed();
    await until('finished', () => finished.length === 2);

    expect(responses.map(({ headers }) => headers['connection'])).toEqual(['keep-alive', 'close']);
    expect(started).toEqual(['/first', '/last']);
    expect(unserved).toBe(0);
  });

  const asking = 'GET /asking HTTP/1.1\r\nHost: store\r\nExpect: 100-continue\r\n\r\n';

  it('serve what stands behind a response that may close the connection when it has not closed it', async () => {
    client.send(asking + get('/behind'));
    await until('served', () => served.length === 1);
    served[0]!.writeContinue();
    served[0]!.end('[]');
    await until('served', () => served.length === 2);

    expect(started).toEqual(['/asking', '/behind']);
  });

  it('do not serve it when the response has closed the connection', async () => {
    client.send(asking + get('/behind'));
    await until('served', () => served.length === 1);
    served[0]!.end('[]');
    const responses = await client.untilClosed();
    await until('finished', () => unserved > 0);

    expect(responses.map(({ headers }) => headers['connection'])).toEqual(['close']);
    expect(started).toEqual(['/asking']);
    expect(unserved).toBe(1);
  });

  it('serve no further request of a connection while too many bytes wait for its client', async () => {
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

  it('close a connection with too many open requests, and serve no further request that was read from it', async () => {
    client.send('GET / HTTP/1.1\r\n\r\n'.repeat(3 * OPEN_AT_MOST));
    await client.untilClosed();
    await until('finished', () => unserved > 0);

    // None is served when all were read in one turn of the event loop.
    expect(started.length).toBeLessThanOrEqual(SERVED_AT_ONCE);
    expect(finished).toHaveLength(started.length);
    expect(unserved).toBe(OPEN_AT_MOST + 1 - started.length);
    expect(overloaded).toBe(1);
    expect(connections.openRequests).toBe(0);
  });

  it('stop the parser soon after the connection is closed', async () => {
    let parsed = 0;
    server.on('request', () => parsed++);
    client.send('GET / HTTP/1.1\r\n\r\n'.repeat(3 * OPEN_AT_MOST));
    await client.untilClosed();
    await until('finished', () => unserved > 0);

    expect(parsed).toBeGreaterThan(OPEN_AT_MOST);
    expect(parsed).toBeLessThan(OPEN_AT_MOST + 5);

    const [next] = await connect();
    next.send(get('/first') + get('/second'));
    await until('served', () => served.at(-1)?.req.url === '/second');
  });

  it('close only the connection whose pipelined request exceeds the limit of the server', async () => {
    const [second] = await connect();
    const [third] = await connect();
    client.send('GET / HTTP/1.1\r\n\r\n'.repeat(900));
    await until('served', () => served.length === SERVED_AT_ONCE);
    second.send('GET / HTTP/1.1\r\n\r\n'.repeat(900));
    await second.untilClosed();
    third.send(GET);
    await until('served', () => served.at(-1)!.req.headers.host === 'store');

    expect(overloaded).toBe(1);
    expect(client.socket.closed).toBe(false);
  });

  it('close a connection whose client does not read the response, even if it sends bytes', async () => {
    client.send(GET);
    await until('served', () => served.length === 1);
    connections.closeQuiet(0);
    client.send('\r\n');
    connections.closeQuiet(60_000);
    expect(socket.destroyed).toBe(false);

    connections.closeQuiet(60_001);
    await client.untilClosed();
    await until('finished', () => finished.length === 1);
    expect(finished).toEqual(['/ aborted']);
  });

  it('close an idle connection, and measure the idle time from the last response', async () => {
    client.send(GET);
    await until('served', () => served.length === 1);
    connections.closeQuiet(0);
    served[0]!.end('[]');
    await until('finished', () => finished.length === 1);
    connections.closeQuiet(50_000);
    connections.closeQuiet(120_000);
    expect(socket.destroyed).toBe(false);

    connections.closeQuiet(120_001);
    expect(socket.destroyed).toBe(true);
  });

  it('have an error listener on every socket, even on one that Node has detached for a tunnel', async () => {
    server.on('connect', (_, tunnel: Socket) => tunnel.emit('error', new Error('write ECONNRESET')));
    client.send('CONNECT store:443 HTTP/1.1\r\nHost: store\r\n\r\n');
    const [, tunnel] = (await once(server, 'connect')) as [IncomingMessage, Socket];

    expect(tunnel).toBe(socket);
    expect(tunnel.listenerCount('error')).toBeGreaterThan(0);
  });

  it('close a connection with the last of its open responses after closeAfterResponses(), and serve nothing more', async () => {
    client.send(get('/first') + get('/second'));
    await until('served', () => served.length === 2);
    connections.closeAfterResponses();
    client.send(get('/third'));
    for (const response of [...served]) response.end('[]');
    const responses = await client.untilClosed();

    expect(responses.map(({ headers }) => headers['connection'])).toEqual(['keep-alive', 'close']);
    expect(started).toEqual(['/first', '/second']);
  });

  it('serve one more request after closeAfterResponses() when the response before has been sent', async () => {
    client.send(GET);
    await until('served', () => served.length === 1);
    served[0]!.writeHead(200, { 'Content-Length': 2 });
    connections.closeAfterResponses();
    served[0]!.end('[]');
    await client.until(1);
    client.send(get('/more'));
    await until('served', () => served.length === 2);
    served[1]!.end('[]');

    expect((await client.untilClosed()).map(({ headers }) => headers['connection'])).toEqual([
      'keep-alive',
      'close',
    ]);
  });

  it('send Connection: close with every response after closeAfterResponses()', async () => {
    client.send(GET);
    const [second] = await connect();
    const [third] = await connect();
    second.send(GET);
    await until('served', () => served.length === 2);
    connections.closeAfterResponses();
    third.send(GET);
    await until('served', () => served.length === 3);
    for (const response of served) response.end('[]');

    for (const connection of [client, second, third]) {
      expect((await connection.untilClosed()).map(({ headers }) => headers['connection'])).toEqual(['close']);
    }
  });
});
