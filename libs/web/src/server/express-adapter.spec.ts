import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import express, { type Express } from 'express';
import request from 'supertest';
import { JsonExpressAdapter } from './express-adapter.js';

/** A route for each way in which Express can write a response. */
function giveRoutes(app: Express, folder: string): void {
  app.get('/json', (_, response) => void response.json({ name: 'Rex', tags: ['a', 'ü', '🦜'] }));
  app.get('/send', (_, response) => void response.status(201).send('Łucja'));
  app.get('/buffer', (_, response) => void response.send(Buffer.from([1, 2, 3])));
  app.get('/type', (_, response) => void response.type('text/plain').send('plain'));
  app.get('/end', (_, response) => void response.status(204).end());
  app.get('/redirect', (_, response) => response.redirect('/json'));
  app.get('/location', (_, response) => void response.location('/ü').status(201).end());
  app.get(
    '/set',
    (_, response) => void response.set({ 'X-One': '1', 'x-two': 'b' }).set('X-ONE', 'again').end('x'),
  );
  app.get('/append', (_, response) => {
    response
      .append('Link', '<a>')
      .append('Link', ['<b>', '<c>'])
      .append('Vary', 'Accept')
      .vary('Origin')
      .end();
  });
  app.get('/cookie', (_, response) => void response.cookie('a', '1').cookie('b', '2').send('ok'));
  app.get('/remove', (_, response) => {
    response.set('X-Gone', '1').removeHeader('x-gone');
    response.removeHeader('Date');
    response.json([response.hasHeader('X-Gone'), response.getHeader('X-Gone') ?? null]);
  });
  app.get('/read', (_, response) => {
    response.setHeader('X-Number', 7);
    response.setHeader('X-List', ['a', 'b']);
    response.json([
      response.getHeaders(),
      response.getHeaderNames(),
      response.get('x-number'),
      response.headersSent,
    ]);
  });
  app.get('/write-head', (_, response) => {
    response.setHeader('X-Before', '1');
    response.writeHead(202, 'Fine', { 'X-Before': '2', 'X-After': '3' }).end('body');
  });
  app.get('/write-head-array', (_, response) => void response.writeHead(200, ['X-A', '1', 'X-B', '2']).end());
  app.get('/chunks', (_, response) => {
    response.write('one ');
    response.end('two');
  });
  app.get('/stream', (_, response) => void Readable.from(['a', 'b', 'c']).pipe(response));
  app.get('/file', (_, response) => response.sendFile(join(folder, 'file.txt')));
  app.use('/static', express.static(folder));
  app.get('/request', (incoming, response) => {
    const { path, query, hostname, protocol, ip, originalUrl } = incoming;
    response.json({
      path,
      query,
      hostname,
      protocol,
      ip,
      originalUrl,
      is: incoming.is('json'),
      get: incoming.get('x-a'),
    });
  });
  app.get('/late', (_, response) => {
    response.write('started ');
    try {
      response.setHeader('X-Late', '1');
    } catch (error) {
      response.end((error as { code: string }).code);
    }
  });
  app.get('/throws', () => {
    throw Object.assign(new Error('on purpose'), { status: 418, expose: true });
  });
}

describe('JsonExpressAdapter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'express-adapter-'));
  const started: Server[] = [];
  let ours: Server;
  let plain: Server;

  beforeAll(() => {
    writeFileSync(join(folder, 'file.txt'), 'from a file');
    const adapter = new JsonExpressAdapter();
    adapter.initHttpServer();
    giveRoutes(adapter.getInstance(), folder);
    ours = start(adapter.getHttpServer());
    const app = express().disable('x-powered-by').disable('etag');
    app.set('env', 'test');
    giveRoutes(app, folder);
    plain = start(createServer(app));
  });

  afterAll(() => {
    for (const server of started) server.closeAllConnections();
    for (const server of started) server.close();
    rmSync(folder, { recursive: true });
  });

  /** Starts listening here, because supertest would start and stop the server for each request. */
  function start(server: Server): Server {
    started.push(server);
    return server.listen(0, '127.0.0.1');
  }

  it.each(
    [
      ['/json'],
      ['/send'],
      ['/buffer'],
      ['/type'],
      ['/end'],
      ['/redirect'],
      ['/location'],
      ['/set'],
      ['/append'],
      ['/cookie'],
      ['/remove'],
      ['/read'],
      ['/write-head'],
      ['/write-head-array'],
      ['/chunks'],
      ['/stream'],
      ['/file'],
      ['/static/file.txt'],
      ['/static/none.txt'],
      ['/request?a=1&a=2'],
      ['/late'],
    ].flatMap(([path]) => [
      ['GET', path!],
      ['HEAD', path!],
    ]),
  )('responds to %s %s like Express on a plain Node server', async (method, path) => {
    const ask = (server: Server) =>
      request(server)
        [method === 'GET' ? 'get' : 'head'](path)
        .set('Host', 'store.example')
        .set('X-A', 'b')
        .redirects(0)
        .ok(() => true);
    const [response, expected] = await Promise.all([ask(ours), ask(plain)]);

    const facts = ({ status, headers, text, body }: typeof response) => ({
      status,
      headers: { ...headers, date: typeof headers['date'], 'last-modified': typeof headers['last-modified'] },
      text,
      body: body as unknown,
    });
    expect(facts(response)).toEqual(facts(expected));
  });

  it('never changes the prototype of a request or response', async () => {
    const adapter = new JsonExpressAdapter();
    adapter.initHttpServer();
    const app = adapter.getInstance<Express>();
    const born: object[] = [];
    const server = start(adapter.getHttpServer());
    server.prependListener('request', (incoming, response) => {
      born.push(Object.getPrototypeOf(incoming) as object, Object.getPrototypeOf(response) as object);
    });
    app.get('/', (incoming, response) => {
      const now = [Object.getPrototypeOf(incoming), Object.getPrototypeOf(response)] as object[];
      response.json(now.map((prototype, index) => prototype === born[index]));
    });

    expect((await request(server).get('/')).body).toEqual([true, true]);
  });

  it('writes a response with its headers, a strong ETag and exact characters', async () => {
    const adapter = new JsonExpressAdapter();
    adapter.initHttpServer();
    adapter
      .getInstance<Express>()
      .get('/', (_, response) => void adapter.reply(response.append('Link', '<next>'), { name: 'Łucja 🦜' }));
    const server = start(adapter.getHttpServer());

    const response = await request(server).get('/');
    expect(response.body).toEqual({ name: 'Łucja 🦜' });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '22',
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
      link: '<next>',
      etag: expect.stringMatching(/^"[\w-]{27}"$/) as string,
    });
    const tag = response.headers['etag']!;
    for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await request(server).get('/').set('If-None-Match', condition).expect(304);
      expect(again.text).toBe('');
      expect(again.headers['etag']).toBe(tag);
    }
    await request(server).get('/').set('If-None-Match', '"other"').expect(200);
  });

  it.each(['before', 'after'])('calls hooks that are set %s the routes', async (when) => {
    const calls: string[] = [];
    const [onRequest, onResponse] = [new JsonExpressAdapter(), new JsonExpressAdapter()];
    const setHooks = () => {
      onRequest.setOnRequestHook((asked, _, done) => {
        calls.push(`asked for ${asked.url}`);
        done();
      });
      onResponse.setOnResponseHook((_, response) => void calls.push(`responded with ${response.statusCode}`));
    };
    if (when === 'before') setHooks();
    for (const adapter of [onRequest, onResponse]) {
      adapter.initHttpServer();
      adapter.getInstance<Express>().get('/json', (_, response) => void response.json([]));
    }
    if (when === 'after') setHooks();

    for (const adapter of [onRequest, onResponse]) {
      await request(adapter.getHttpServer() as Server)
        .get('/json')
        .expect(200);
    }

    expect(calls).toEqual(['asked for /json', 'responded with 200']);
  });

  it('responds to a client that has half-closed its connection', async () => {
    const adapter = new JsonExpressAdapter();
    adapter.initHttpServer();
    adapter.getInstance<Express>().get('/', (incoming, response) => {
      adapter.reply(response, [1, 2, 3]);
      // The request and the end of the connection arrive at the same time.
      incoming.socket.emit('end');
    });
    const server = start(adapter.getHttpServer());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end('GET / HTTP/1.1\r\nHost: store.example\r\n\r\n');

    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n\[1,2,3\]$/);
  });
});
