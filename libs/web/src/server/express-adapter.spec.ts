import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Express } from 'express';
import request from 'supertest';
import { JsonExpressAdapter } from './express-adapter.js';

// That it responds as Nest's ExpressAdapter does is tested with the adapter which it extends.
describe('JsonExpressAdapter', () => {
  let adapter: JsonExpressAdapter;
  let app: Express;
  let server: Server;

  beforeEach(() => {
    adapter = new JsonExpressAdapter();
    adapter.initHttpServer();
    app = adapter.getInstance();
    server = adapter.getHttpServer();
    // Here, because supertest would start and stop the server for each request.
    server.listen(0, '127.0.0.1');
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each([false, true])('listens with reusePort %s', (reusePort) => {
    const sharing = new JsonExpressAdapter(reusePort);
    sharing.initHttpServer();
    const listen = jest.spyOn(sharing.getHttpServer() as Server, 'listen').mockReturnThis();
    sharing.listen('3000', '127.0.0.1', () => undefined);

    expect(listen.mock.calls[0]![0]).toMatchObject({ port: 3000, host: '127.0.0.1', reusePort });
  });

  it('names neither Express nor a weak ETag, which Express makes of the text', async () => {
    app.get('/', (_, response) => void response.send('text'));

    const { headers } = await request(server).get('/');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('etag');
  });

  it('reads queries, the first time and again', async () => {
    app.get('/', (request, response) => void response.json(request.query));
    const cursor = 'x'.repeat(40);
    const queries = {
      '': {},
      'a=1': { a: '1' },
      'a=1&a=2': { a: ['1', '2'] },
      'a[b]=1&c': { 'a[b]': '1', c: '' },
    };

    for (let time = 0; time < 2; time++) {
      for (const [text, query] of Object.entries({ ...queries, [`cursor=${cursor}`]: { cursor } }))
        expect((await request(server).get(`/?${text}`)).body).toEqual(query);
    }
  });

  it('responds to a client that has half-closed its connection', async () => {
    let served = 0;
    app.get('/', (incoming, response) => {
      served++;
      adapter.reply(response, [1, 2, 3]);
      // The request and the end of the connection arrive at the same time.
      incoming.socket.emit('end');
    });
    if (!server.listening) await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end('GET / HTTP/1.1\r\nHost: store.example\r\n\r\n');

    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n\[1,2,3\]$/);
    expect(served).toBe(1);
  });
});
