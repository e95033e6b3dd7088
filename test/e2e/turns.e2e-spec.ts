import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Body, Controller, Get, Module, Param, Post } from '@nestjs/common';
import { type Context, context, type ContextManager, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { RawConnection, SERVED_A_TURN } from '@animal-store/web/testing';
import { AsSent } from '@animal-store/web';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const MAX_IN_A_TURN = 64;
const PATIENCE_MS = 20_000;

/** Set where a request is read, as tracing does it. */
const path = new AsyncLocalStorage<string>();

/** As that of OpenTelemetry's SDK for Node. */
class AsyncContexts implements ContextManager {
  private readonly storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.storage.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    call: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.storage.run(active, () => call.apply(self as ThisParameterType<F>, args));
  }

  bind<T>(active: Context, target: T): T {
    if (typeof target !== 'function') return target;
    return ((...args: unknown[]) => this.with(active, () => target(...args) as unknown)) as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.storage.disable();
    return this;
  }
}

@Controller('contexts')
class ContextsController {
  @Get(':request')
  async read(@Param('request') request: string): Promise<object> {
    await new Promise(setImmediate);
    return { request, path: path.getStore(), trace: traceId() };
  }

  @Post(':request')
  add(@Param('request') request: string, @Body(AsSent) sent: object): object {
    return { ...sent, request, path: path.getStore(), trace: traceId() };
  }
}

function traceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

/** Each request has a trace of its own. */
function traceOf(url: string): string {
  return Buffer.from(url).toString('hex').slice(-32).padStart(32, '1');
}

/** Begins a span for each request, as the instrumentation of `node:http` does. */
function trackRequests(server: NodeJS.EventEmitter): void {
  const emit = server.emit.bind(server);
  server.emit = (event, ...args: unknown[]) => {
    if (event !== 'request') return emit(event, ...args);
    const [{ url }] = args as [IncomingMessage];
    const spanContext = { traceId: traceOf(url!), spanId: '00f067aa0ba902b7', traceFlags: 1 };
    return context.with(trace.setSpanContext(ROOT_CONTEXT, spanContext), () => emit(event, ...args));
  };
}

@Module({ controllers: [ContextsController] })
class ContextsModule {}

/** Counts the responses that each connection of a server gets in one turn of the event loop. */
class Turns {
  /** The most of one connection in one turn. */
  most = 0;
  sent = 0;
  private readonly ofTurn = new Map<Socket, number>();
  private isWatching = true;

  constructor(server: TestApp['app']) {
    server
      .getHttpServer()
      .prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
        response.once('finish', () => this.count(request.socket));
      });
    this.endTurn();
  }

  stop(): void {
    this.isWatching = false;
  }

  private count(socket: Socket): void {
    const count = (this.ofTurn.get(socket) ?? 0) + 1;
    this.ofTurn.set(socket, count);
    this.most = Math.max(this.most, count);
    this.sent++;
  }

  private readonly endTurn = (): void => {
    this.ofTurn.clear();
    if (this.isWatching) setImmediate(this.endTurn);
  };
}

describe('One turn of the event loop', () => {
  let store: TestApp;
  let key: string;
  let turns: Turns;

  beforeAll(async () => {
    store = await TestApp.startWith(ContextsModule, {
      BUSINESS_PER_MINUTE: '100000',
      FREE_PER_MINUTE: '100000',
    });
    context.setGlobalContextManager(new AsyncContexts());
    const server = store.app.getHttpServer();
    trackRequests(server);
    server.prependListener('request', ({ url }: IncomingMessage) => path.enterWith(url!));
    key = await store.key();
    await store.send('GET', '/v1/pets', key).expect(200);
    turns = new Turns(store.app);
  });

  beforeEach(() => {
    turns.most = 0;
    turns.sent = 0;
  });

  afterAll(() => {
    turns.stop();
    context.disable();
    return store.stop();
  });

  const kinds: readonly (readonly [string, (...key: readonly string[]) => string])[] = [
    ['an unknown path', (...headers) => request('GET /x', ...headers)],
    ['a page of the documentation', (...headers) => request('GET /docs', ...headers)],
    ['a cached list', (...headers) => request('GET /v1/pets', ...headers)],
    [
      'an invalid body',
      (...headers) =>
        `${request('POST /v1/pets', 'Content-Type: application/json', 'Content-Length: 1', ...headers)}{`,
    ],
  ];
  const withAndWithoutKey = kinds.flatMap(
    ([name, text]) =>
      [
        [`${name}, without a key`, () => text()],
        [`${name}, with a key`, () => text(`Authorization: Bearer ${key}`)],
      ] as const,
  );

  function request(line: string, ...headers: readonly string[]): string {
    return [`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
  }

  /** Sends the same request many times on each of some connections, each in one write. */
  async function burst(text: string, count: number, connections: number): Promise<void> {
    const clients = await Promise.all(
      Array.from({ length: connections }, () => RawConnection.open(store.port)),
    );
    for (const client of clients) {
      // Reading them here would take the time of the server.
      client.socket.removeAllListeners('data').resume();
      client.send(text.repeat(count));
    }
    await within(PATIENCE_MS, () => turns.sent >= count * connections);
    for (const client of clients) client.close();
  }

  it.each(withAndWithoutKey)('gives one connection few responses of many to %s', async (_, text) => {
    await burst(text(), 4 * MAX_IN_A_TURN, 1);

    expect(turns.most).toBeLessThanOrEqual(MAX_IN_A_TURN);
  });

  it.each(withAndWithoutKey)(
    'gives each of five connections few responses of many to %s',
    async (_, text) => {
      await burst(text(), 1.5 * MAX_IN_A_TURN, 5);

      expect(turns.most).toBeLessThanOrEqual(MAX_IN_A_TURN);
    },
  );

  it('serves another client before the next requests of a connection that sends many', async () => {
    const [busy, other] = await Promise.all([1, 2].map(() => RawConnection.open(store.port)));
    let sentBefore = -1;
    store.app.getHttpServer().on('request', ({ url }: IncomingMessage, response: ServerResponse) => {
      if (url === '/health/live') response.once('finish', () => (sentBefore = turns.sent));
    });
    // Both are read in the same turn.
    busy!.send(request('GET /x').repeat(999));
    const [response] = await other!.send(request('GET /health/live')).until(1);
    for (const client of [busy!, other!]) client.close();

    expect(response!.status).toBe(200);
    expect(sentBefore).toBeLessThan(2 * SERVED_A_TURN);
  });

  it.each([
    ['pipelined requests', 1, 60, 1, (url: string) => request(`GET ${url}`, `Authorization: Bearer ${key}`)],
    [
      'requests that expect a 100',
      1,
      20,
      2,
      (url: string) =>
        `${request(`POST ${url}`, `Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue')}{}`,
    ],
    ['8 connections', 8, 60, 1, (url: string) => request(`GET ${url}`, `Authorization: Bearer ${key}`)],
  ])('runs %s in the context in which each was read', async (_, connections, count, responses, text) => {
    const bodies = Array.from({ length: connections }, async (_one, connection) => {
      const client = await RawConnection.open(store.port);
      const paths = Array.from({ length: count }, (_path, index) => `/v1/contexts/${connection}-${index}`);
      const received = await client.send(paths.map(text).join('')).until(responses * count);
      client.close();
      return received.filter(({ status }) => status !== 100).map(({ body }) => JSON.parse(body) as unknown);
    });
    const expected = Array.from({ length: connections }, (_one, connection) =>
      Array.from({ length: count }, (_path, index) => ({
        request: `${connection}-${index}`,
        path: `/v1/contexts/${connection}-${index}`,
        trace: traceOf(`/v1/contexts/${connection}-${index}`),
      })),
    );

    expect(await Promise.all(bodies)).toEqual(expected);
    const logged = store.logLines.filter((line) => line.includes('"route":"/v1/contexts/:request"'));
    const traces = new Set(logged.map((line) => (JSON.parse(line) as { trace_id: string }).trace_id));
    for (const { path } of expected.flat()) expect(traces).toContain(traceOf(path));
  });
});
