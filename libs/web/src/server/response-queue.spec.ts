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

  beforeEach(async () => {
    const queue = new ResponseQueue();
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
