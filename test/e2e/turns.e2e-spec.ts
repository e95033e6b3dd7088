import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Body, Controller, Get, Module, Param, Post } from '@nestjs/common';
import { RawConnection } from '@animal-store/web/testing';
import { AsSent, SERVED_A_TURN } from '@animal-store/web';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const MOST_IN_A_TURN = 64;
const PATIENCE_MS = 20_000;

/** Set where a request is read, as tracing does it. */
const context = new AsyncLocalStorage<string>();

@Controller('v1/contexts')
class ContextsController {
  @Get(':request')
  async read(@Param('request') request: string): Promise<object> {
    await new Promise(setImmediate);
    return { request, context: context.getStore() };
  }

  @Post(':request')
  add(@Param('request') request: string, @Body(AsSent) sent: object): object {
    return { ...sent, request, context: context.getStore() };
  }
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
    store.app
      .getHttpServer()
      .prependListener('request', ({ url }: IncomingMessage) => context.enterWith(url!));
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
    return store.stop();
  });

  const kinds: readonly (readonly [string, () => string])[] = [
    ['an unknown path without a key', () => request('GET /x')],
    ['a page of the documentation', () => request('GET /docs')],
    ['a cached list', () => request('GET /v1/pets', `Authorization: Bearer ${key}`)],
    ['an unknown path with a key', () => request('GET /x', `Authorization: Bearer ${key}`)],
    [
      'an invalid body',
      () =>
        `${request('POST /v1/pets', `Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Content-Length: 1')}{`,
    ],
  ];

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

  it.each(kinds)('gives one connection few responses of many to %s', async (_, text) => {
    await burst(text(), 999, 1);

    expect(turns.most).toBeLessThanOrEqual(MOST_IN_A_TURN);
  });

  it.each(kinds)('gives each of ten connections few responses of many to %s', async (_, text) => {
    await burst(text(), 150, 10);

    expect(turns.most).toBeLessThanOrEqual(MOST_IN_A_TURN);
  });

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
    [
      'pipelined requests',
      1,
      60,
      1,
      (path: string) => request(`GET ${path}`, `Authorization: Bearer ${key}`),
    ],
    [
      'requests that expect a 100',
      1,
      20,
      2,
      (path: string) =>
        `${request(`POST ${path}`, `Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue')}{}`,
    ],
    ['20 connections', 20, 60, 1, (path: string) => request(`GET ${path}`, `Authorization: Bearer ${key}`)],
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
        context: `/v1/contexts/${connection}-${index}`,
      })),
    );

    expect(await Promise.all(bodies)).toEqual(expected);
  });
});
