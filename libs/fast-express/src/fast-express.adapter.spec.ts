import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely, Server as SecureServer } from 'node:tls';
import {
  Controller,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  Module,
  type NestApplicationOptions,
  Redirect,
  Res,
  Sse,
  StreamableFile,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express, type RequestHandler, type Response } from 'express';
import { of } from 'rxjs';
import { FastExpressAdapter } from './index.js';

/** Sets a header just before the head is sent, as users of on-headers do. */
const onHeaders: RequestHandler = (_, response, next) => {
  const { writeHead } = response;
  response.writeHead = function (this: Response, ...parameters: unknown[]) {
    this.setHeader('X-Last', String(this.getHeaderNames().length));
    return Reflect.apply(writeHead, this, parameters) as Response;
  };
  next();
};

/** Compresses with the middleware of Express, for a client that accepts gzip. */
const compressed: RequestHandler = (request, response, next) => {
  request.headers['accept-encoding'] = 'gzip';
  compress(request, response, next);
};
const compress = middleware('compression', { threshold: 0 });

/** Saves a new session before the response ends. */
const session = middleware('express-session', {
  secret: 'not one',
  genid: () => 'session',
  resave: true,
  saveUninitialized: true,
});

function middleware(name: string, options: object): RequestHandler {
  return jest.requireActual<(options: object) => RequestHandler>(name)(options);
}

const NEVER_ENDED_MS = 20_000;

/** Both ends know a secret, so that no certificate is needed. */
const psk = Buffer.from('a secret of both');
const httpsOptions = { ciphers: 'PSK', pskCallback: () => psk };

function connectionTo(server: Server): Socket {
  const { port } = server.address() as AddressInfo;
  if (!(server instanceof SecureServer)) return connect(port, '127.0.0.1');
  const pskCallback = () => ({ psk, identity: 'client' });
  return connectSecurely({
    port,
    host: '127.0.0.1',
    ciphers: 'PSK',
    pskCallback,
    checkServerIdentity: () => undefined,
  });
}

/** What happened to a response. */
let events: string[] = [];

/** Each reads something else of Express's prototypes, or ends a response in another way. */
const handlers: Record<string, (response: Response, folder: string) => unknown> = {
  '/json': (response) => response.json({ name: 'Rex', tags: ['a', 'ü', '🦜'] }),
  '/send': (response) => response.status(201).send('Łucja'),
  '/end': (response) => response.status(204).end(),
  '/redirect': (response) => response.redirect('/json'),
  '/format': (response) =>
    response.format({
      'text/plain': () => response.send('text'),
      'application/json': () => response.json(1),
    }),
  '/append': (response) => response.append('Link', '<a>').append('Link', ['<b>']).vary('Origin').end(),
  '/not-modified': (response) => response.set('ETag', '"a"').status(304).json(1),
  '/json-settings': (response) => {
    response.app.set('json spaces', 2).set('json escape', true);
    response.app.set('json replacer', (_: string, value: unknown) => (value === 'Rex' ? 'Łucja' : value));
    response.json({ name: 'Rex', html: '<b>' });
    response.app.disable('json spaces').disable('json escape').disable('json replacer');
  },
  '/cookie': (response) => response.cookie('a', '1').clearCookie('c').send('ok'),
  '/read': (response) => {
    response.setHeader('X-Number', 7).setHeader('X-List', ['a', 'b']);
    response.json([response.getHeaders(), response.get('x-number'), response.headersSent]);
  },
  '/write-head': (response) =>
    response.setHeader('X-Before', '1').writeHead(202, 'Fine', { 'X-Before': '2' }).end('body'),
  '/chunks': (response) => {
    response.write('one ');
    response.end('two');
  },
  '/stream': (response) => Readable.from(['a', 'b', 'c']).pipe(response),
  '/download': (response, folder) => response.download(join(folder, 'file.txt')),
  '/throws': () => {
    // The page would show the stack, which differs between the adapters.
    throw Object.assign(new Error('on purpose'), { status: 418, expose: true, stack: 'on purpose' });
  },
};

function giveRoutes(app: Express, folder: string): void {
  const all = (under: string, ...before: RequestHandler[]) => {
    for (const [path, handle] of Object.entries(handlers)) {
      app.get(`${under}${path}`, ...before, (_, response) => void handle(response, folder));
    }
  };
  all('');
  all('/on-headers', onHeaders);
  all('/compressed', compressed);
  all('/session', session);
  app.use('/static', express.static(folder));
  const mounted = express();
  const called = express();
  for (const [path, handle] of Object.entries(handlers)) {
    for (const inner of [mounted, called]) inner.get(path, (_, response) => void handle(response, folder));
  }
  const before: RequestHandler = (_, response, next) => {
    response.setHeader('X-Outer', '1');
    next();
  };
  app.use('/mounted', before, mounted);
  const call = called as unknown as RequestHandler;
  const asFunction: RequestHandler = (incoming, response, next) => void call(incoming, response, next);
  app.use('/called', before, asFunction);
  app.use('/captured', session, compressed, before, asFunction);
}

const folder = mkdtempSync(join(tmpdir(), 'fast-express-'));
writeFileSync(join(folder, 'file.txt'), 'from a file');
afterAll(() => rmSync(folder, { recursive: true }));

interface Exchanged {
  readonly bytes: string;
  readonly events: readonly string[];
}

describe('FastExpressAdapter', () => {
  const makeAdapter = (instance: Express) => new FastExpressAdapter({ instance });
  const started: Server[] = [];
  let ours: Server;
  let nests: Server;

  beforeAll(async () => {
    ours = await serve(makeAdapter);
    nests = await serve((app) => new ExpressAdapter(app));
  });

  afterAll(() => {
    for (const server of started) server.closeAllConnections();
    for (const server of started) server.close();
  });

  async function serve(
    make: (app: Express) => ExpressAdapter,
    options: NestApplicationOptions = {},
  ): Promise<Server> {
    const adapter = make(express());
    adapter.initHttpServer(options);
    giveRoutes(adapter.getInstance<Express>(), folder);
    const server = adapter.getHttpServer() as Server;
    server.prependListener('request', (_incoming, response) => {
      // Whether it is finished then depends on the socket: a secure one takes longer.
      response.on('prefinish', () => events.push(`prefinish ${response.writableEnded}`));
      for (const name of ['pipe', 'finish', 'close']) {
        response.on(name, () =>
          events.push(`${name} ${response.writableEnded} ${response.writableFinished}`),
        );
      }
    });
    return listening(server);
  }

  async function listening(server: Server): Promise<Server> {
    started.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  /** All bytes of the responses without those of the date, and the events of the response. */
  async function exchange(server: Server, ...heads: string[]): Promise<Exchanged> {
    events = [];
    const socket = connectionTo(server).setEncoding('latin1');
    socket.setTimeout(NEVER_ENDED_MS, () => socket.destroy(new Error(`${heads.join()} never ended`)));
    const last = heads.length - 1;
    socket.write(
      heads
        .map(
          (head, index) =>
            `${head} HTTP/1.1\r\nHost: a\r\n${index < last ? '' : 'Connection: close\r\n'}\r\n`,
        )
        .join(''),
    );
    const bytes = await text(socket);
    await new Promise(setImmediate);
    return { bytes: bytes.replace(/^(Date|Last-Modified|Expires): .*$/gm, '$1'), events };
  }

  it.each(
    ['/on-headers', '/compressed', '/session', '/mounted', '/called', '/captured']
      .flatMap((under) => Object.keys(handlers).map((path) => `${under}${path}`))
      .concat(Object.keys(handlers), '/static/file.txt', '/static/none.txt', '/nothing'),
  )('responds to GET and HEAD %s with the same bytes and events as Nest’s ExpressAdapter', async (path) => {
    for (const head of [`GET ${path}`, `HEAD ${path}`]) {
      expect(await exchange(ours, head)).toEqual(await exchange(nests, head));
    }
  });

  it('responds to pipelined requests with the same bytes as Nest’s ExpressAdapter', async () => {
    const heads = Object.keys(handlers).map((path) => `GET ${path}`);
    expect((await exchange(ours, ...heads)).bytes).toEqual((await exchange(nests, ...heads)).bytes);
  });

  it('works with compression and sessions', async () => {
    expect((await exchange(ours, 'GET /compressed/json')).bytes).toContain('Content-Encoding: gzip');
    expect((await exchange(ours, 'GET /session/json')).bytes).toContain('Set-Cookie: connect.sid=');
  });

  it('responds over HTTPS with the same bytes and events as Nest’s ExpressAdapter', async () => {
    const secureOurs = await serve(makeAdapter, { httpsOptions });
    const secureNests = await serve((app) => new ExpressAdapter(app), { httpsOptions });
    expect(secureOurs).toBeInstanceOf(SecureServer);
    for (const path of [...Object.keys(handlers), '/compressed/json', '/session/json', '/static/file.txt']) {
      const expected = await exchange(secureNests, `GET ${path}`);
      expect({ path, ...(await exchange(secureOurs, `GET ${path}`)) }).toEqual({ path, ...expected });
    }
  });

  it.each([
    ['HTTP', {}],
    ['HTTPS', { httpsOptions }],
  ])('never changes the prototype of a request or response over %s', async (_, options) => {
    const born: unknown[] = [];
    const now: unknown[] = [];
    const server = await serve((instance) => {
      instance.get('/', (incoming, response) => {
        now.push(Object.getPrototypeOf(incoming), Object.getPrototypeOf(response));
        response.end();
      });
      return makeAdapter(instance);
    }, options);
    server.prependListener('request', (incoming, response) => {
      born.push(Object.getPrototypeOf(incoming), Object.getPrototypeOf(response));
    });
    await exchange(server, 'GET /');

    expect(now).toHaveLength(2);
    expect(now.every((prototype, index) => prototype === born[index])).toBe(true);
  });

  it('also serves a plain Node server, with the responses of Node', async () => {
    const adapter = makeAdapter(express());
    adapter.initHttpServer({});
    const app = adapter.getInstance<Express>();
    giveRoutes(app, folder);
    const beside = await listening(createServer(app));

    const { bytes } = await exchange(beside, 'GET /read');
    expect(bytes).toBe((await exchange(nests, 'GET /read')).bytes);
  });

  it('can be mounted in another Express application, like Nest’s adapter', async () => {
    const bytes: string[] = [];
    for (const make of [makeAdapter, (instance: Express) => new ExpressAdapter(instance)]) {
      const adapter = make(express());
      const app = adapter.getInstance<Express>();
      adapter.initHttpServer({});
      app.get('/whose', (incoming, response) => {
        response.json([incoming.app === app, response.app === app, incoming.baseUrl]);
      });
      giveRoutes(app, folder);
      const server = await listening(createServer(express().use('/inner', app)));
      const paths = ['/whose', ...Object.keys(handlers)];
      for (const path of paths) bytes.push((await exchange(server, `GET /inner${path}`)).bytes);
    }
    expect(bytes.splice(bytes.length / 2)).toEqual(bytes);
  });

  it('preserves what the application adds to the prototypes of requests and responses', async () => {
    const server = await serve((instance) => {
      const adapter = makeAdapter(instance);
      Object.assign(instance.response, {
        greet(this: Response) {
          this.end('hello');
        },
      });
      instance.get('/', (_, response) => (response as unknown as { greet: () => void }).greet());
      return adapter;
    });

    expect((await exchange(server, 'GET /')).bytes).toMatch(/hello/);
  });

  it('lets a listener before Express assign what Express reads, like Nest’s adapter', async () => {
    const getters = Object.entries(Object.getOwnPropertyDescriptors(express.request))
      .filter(([, property]) => property.get !== undefined)
      .map(([key]) => key);
    const bytes: string[] = [];
    for (const make of [makeAdapter, (instance: Express) => new ExpressAdapter(instance)]) {
      const server = await serve((instance) => {
        instance.get('/', (incoming, response) => {
          response.json(getters.map((key) => [key, incoming[key as 'query']]));
        });
        return make(instance);
      });
      server.prependListener('request', (incoming) => {
        Object.assign(incoming, Object.fromEntries(getters.map((key) => [key, ''])));
      });
      bytes.push((await exchange(server, 'GET /?a=1')).bytes);
    }
    expect(bytes[0]).toContain('["query",""]');
    expect(bytes[0]).toBe(bytes[1]);
  });

  it.each(['before', 'after'])(
    'calls hooks that are set %s the routes, and does not change `use`',
    async (when) => {
      const calls: string[] = [];
      const instance = express();
      const { use } = instance;
      const adapter = makeAdapter(instance);
      const setHooks = () => {
        adapter.setOnRequestHook((request, _response, done) => {
          calls.push(`request for ${request.url}`);
          done();
        });
        adapter.setOnResponseHook(
          (_request, response) => void calls.push(`responded with ${response.statusCode}`),
        );
      };
      if (when === 'before') setHooks();
      adapter.initHttpServer({});
      instance.get('/', (_, response) => void response.json([]));
      if (when === 'after') setHooks();
      await exchange(await listening(adapter.getHttpServer()), 'GET /');

      expect(instance.use).toBe(use);
      expect(calls).toEqual(['request for /', 'responded with 200']);
    },
  );
});

@Controller()
class PlainController {
  @Sse('events')
  events() {
    return of({ data: { a: 1 }, id: '7' });
  }

  @Get('redirect')
  @Redirect('/object', 301)
  redirect() {
    return undefined;
  }

  @Get('no-content')
  @HttpCode(204)
  noContent() {
    return undefined;
  }

  @Get('refused')
  refused() {
    throw new ForbiddenException('not yours');
  }

  @Get('object')
  object() {
    return { a: [1, null, 'ü'] };
  }

  @Get('text')
  @Header('X-Given', '1')
  text() {
    return 'text';
  }

  @Get('stream')
  stream() {
    return new StreamableFile(Buffer.from('bytes'));
  }

  @Get('pass')
  pass(@Res({ passthrough: true }) response: Response) {
    response.cookie('a', '1').status(202);
    return [1];
  }
}

@Module({ controllers: [PlainController] })
class PlainModule {}

describe('A Nest application', () => {
  const paths = 'object text stream pass events redirect no-content refused nothing a'
    .split(' ')
    .map((path) => `/${path}`);

  it('responds as with Nest’s ExpressAdapter', async () => {
    const responses: string[][] = [];
    for (const adapter of [new ExpressAdapter(), new FastExpressAdapter()]) {
      const app = await NestFactory.create<NestExpressApplication>(PlainModule, adapter, {
        logger: false,
        return503OnClosing: true,
        forceCloseConnections: true,
      });
      await app.listen(0, '127.0.0.1');
      const { port } = app.getHttpServer().address() as AddressInfo;
      const get = async (path: string) => {
        const socket = connect(port, '127.0.0.1').setEncoding('latin1');
        socket.setTimeout(NEVER_ENDED_MS, () => socket.destroy(new Error(`${path} never ended`)));
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
        let received = '';
        for await (const piece of socket) {
          received += piece;
          // The event stream ends only when its reader disconnects.
          if (received.includes('data: {"a":1}\n\n')) break;
        }
        return received.replace(/^Date: .*$/m, '');
      };
      responses.push(await Promise.all(paths.map(get)));
      await app.close();
    }
    expect(responses[1]).toEqual(responses[0]);
  });

  it('can share the adapter with another one, also with a class for responses', async () => {
    const adapter = new FastExpressAdapter({
      server: { ServerResponse: class<From extends IncomingMessage> extends ServerResponse<From> {} },
    });
    const servers: Server[] = [];
    try {
      for (const prefix of ['one', 'two']) {
        const app = await NestFactory.create<NestExpressApplication>(PlainModule, adapter, { logger: false });
        app.setGlobalPrefix(prefix);
        servers.push(app.getHttpServer());
        await app.listen(0, '127.0.0.1');
      }
      for (const server of servers) {
        const { port } = server.address() as AddressInfo;
        for (const prefix of ['one', 'two']) {
          expect(await (await fetch(`http://127.0.0.1:${port}/${prefix}/text`)).text()).toBe('text');
        }
      }
    } finally {
      for (const server of servers) server.close().closeAllConnections();
    }
  });
});
