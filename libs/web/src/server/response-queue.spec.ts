import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { RawConnection } from '../testing/raw-connection.js';
import { ResponseQueue } from './response-queue.js';

const GET = 'GET / HTTP/1.1\r\nHost: store\r\n\r\n';

describe('ResponseQueue', () => {
  let server: Server;
  let handle: RequestListener;
  let writes: string[];

  beforeEach(async () => {
    const queue = new ResponseQueue();
    writes = [];
    server = createServer((request, response) => handle(request, response));
    server.keepAliveTimeout = 100;
    server.on('connection', (socket: Socket) => queue.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const connect = () => RawConnection.open((server.address() as AddressInfo).port);

  it('sends responses that become ready at the same moment together, when all are ready', async () => {
    const responses: ServerResponse[] = [];
    handle = (_, response) => {
      responses.push(response);
      if (responses.length < 3) return;
      for (const one of responses) {
        one.end('whole');
        writes.push(`${one.socket!.writableLength > 0} ${one.writableEnded} ${one.writableFinished}`);
      }
      process.nextTick(() => writes.push(...responses.map(({ socket }) => `${socket!.writableLength}`)));
    };
    const clients = await Promise.all([connect(), connect(), connect()]);
    for (const client of clients) client.send(GET);
    for (const client of clients) expect((await client.until(1))[0]!.body).toBe('whole');

    expect(writes).toEqual([...Array<string>(3).fill('true true false'), '0', '0', '0']);
  });

  it('sends the first 32 responses when there are more', async () => {
    const responses: ServerResponse[] = [];
    handle = (_, response) => {
      responses.push(response);
      if (responses.length < 33) return;
      for (const one of responses) one.end('whole');
      writes.push(...responses.map(({ socket }) => (socket!.writableLength > 0 ? 'waits' : 'sent')));
    };
    const clients = await Promise.all(Array.from({ length: 33 }, connect));
    for (const client of clients) client.send(GET);
    for (const client of clients) await client.until(1);

    expect(writes).toEqual([...Array<string>(32).fill('sent'), 'waits']);
  });

  it('sends the responses of one connection in their order, whole or in pieces', async () => {
    let served = 0;
    handle = (_, response) => {
      if (++served !== 2) return void response.end('whole;');
      response.setHeader('Content-Length', 10);
      response.write('in ');
      response.end('pieces;');
    };
    const client = await connect();
    const bodies = (await client.send(GET.repeat(3)).until(3)).map(({ body }) => body);

    expect(bodies).toEqual(['whole;', 'in pieces;', 'whole;']);
  });

  it.each<[string, (response: ServerResponse, socket: Socket) => unknown]>([
    ['ends', (_, socket) => socket.end()],
    ['is destroyed soon', (_, socket) => socket.destroySoon()],
    ['is destroyed with its request', ({ req }) => req.destroy()],
    ['is destroyed with its response', (response) => response.destroy()],
    ['is closed as idle', () => server.closeIdleConnections()],
  ])('sends what waits when its connection %s', async (_, close) => {
    handle = (_request, response) => {
      const socket = response.socket!;
      response.end('whole');
      close(response, socket);
    };
    const client = await connect();
    const received = text(client.socket);
    client.socket.write(GET);

    expect(await received).toMatch(/\r\n\r\nwhole$/);
  });
});
