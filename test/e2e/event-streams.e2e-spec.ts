import { EventEmitter, on } from 'node:events';
import { Controller, Get, type MessageEvent, Module, Sse } from '@nestjs/common';
import { NEVER, type Observable } from 'rxjs';
import { DomainError, StorageUnavailable } from '@animal-store/kernel';
import { Int64Field, Operation, Tag, TextField } from '@animal-store/openapi';
import { ShutdownController } from '@animal-store/operations';
import { EventStream, LastEventId, OpenStream, Streams } from '@animal-store/web';
import { RawConnection } from '@animal-store/web/testing';
import { StoreKeyIssuer } from '../../src/access/application/key-issuer.service.js';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const PATIENCE_MS = 20_000;
const BIG = 9_007_199_254_740_993n;
/** More than fits in the sockets and the buffers of a connection. */
const MANY = 100_000;
/** The first chunk of a stream, which has no event yet. */
const OPEN = '1\r\n\n\r\n';
const COMMENT = '4\r\n: \n\n\r\n';
const KILOBYTE = 'x'.repeat(1_000);

class Tide {
  @Int64Field({ description: 'Its id.', example: 1 })
  id: bigint;

  @TextField({ description: 'What the water does.', example: 'rises', maxLength: 2_000 })
  text: string;
}

class NoSuchHarbour extends DomainError {
  static readonly when = 'There is no such harbour.';
  static readonly fix = 'Look for its name.';
  static readonly example = new NoSuchHarbour();

  constructor() {
    super('no_such_harbour', 'not-found', 'There is no such harbour.');
  }
}

/** What the tests change. */
let tides: Tide[];
let problem: Error | null;
let read: number;
let ended: number;
let news: EventEmitter;
let listeners: number;

async function* newsUntil(signal: AbortSignal): AsyncGenerator<MessageEvent> {
  listeners++;
  try {
    for await (const [event] of on(news, 'tide', { signal })) yield event as MessageEvent;
  } finally {
    listeners--;
  }
}

async function* flood(): AsyncGenerator<MessageEvent> {
  try {
    for (;;) {
      yield { data: KILOBYTE };
      read++;
    }
  } finally {
    ended++;
  }
}

const DESCRIBED = { description: 'The water, as it moves.', response: { stream: Tide } } as const;

@Tag('Tides', 'Water.')
@Controller({ path: 'tides', version: '1' })
class TidesController {
  @Sse()
  @Operation({ ...DESCRIBED, summary: 'Watch the tides', errors: [NoSuchHarbour] })
  async watchTides(
    @LastEventId() after: bigint | null,
    @OpenStream() stream: EventStream,
  ): Promise<Observable<MessageEvent>> {
    return stream.follow({
      after: after ?? 0n,
      everyMs: 5,
      read: async (id) => {
        await new Promise(setImmediate);
        if (problem) throw problem;
        return tides.filter((tide) => tide.id > id).slice(0, 100);
      },
      toData: (tide) => tide,
    });
  }

  /** Never ends by itself, and is as fast as it can be. */
  @Sse('flood')
  @Operation({ ...DESCRIBED, summary: 'Watch a flood' })
  watchFlood(@OpenStream() stream: EventStream): Observable<MessageEvent> {
    return stream.send(flood());
  }

  @Sse('notified')
  @Operation({ ...DESCRIBED, summary: 'Notifies of the tides' })
  notify(@OpenStream() stream: EventStream): Observable<MessageEvent> {
    return stream.send(newsUntil(stream.signal));
  }
}

@Module({ controllers: [TidesController] })
class TidesModule {}

describe('A stream of events', () => {
  /** Of all tests, until one shuts it down. */
  let store: TestApp;
  let isShutDown = true;
  let key: string;
  let clients: RawConnection[];

  beforeEach(async () => {
    [tides, problem, read, ended, listeners] = [[], null, 0, 0, 0];
    news = new EventEmitter().setMaxListeners(0);
    clients = [];
    if (isShutDown) {
      store = await TestApp.startWith(TidesModule, {
        MAX_STREAMS_PER_ACCOUNT: '1000',
        BUSINESS_PER_MINUTE: '100000',
      });
      isShutDown = false;
    }
    store.logLines.length = 0;
    key = await store.key();
  });

  afterEach(async () => {
    for (const client of clients) client.reset();
    await within(PATIENCE_MS, () => count() === 0);
    if (isShutDown) await store.stop();
  });

  afterAll(() => !isShutDown && store.stop());

  function shutDown(): void {
    isShutDown = true;
    store.app.get(ShutdownController).abort();
  }

  function request(path = '', headers = '', start = 'GET', version = '1.1'): string {
    return `${start} /v1/tides${path} HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`;
  }

  async function open(text = request()): Promise<RawConnection> {
    const client = await RawConnection.open(store.port);
    clients.push(client);
    return client.send(text);
  }

  const received = (client: RawConnection, text: string) =>
    within(PATIENCE_MS, () => client.text.includes(text));
  const hasEnded = ({ text }: RawConnection): boolean => text.endsWith('\r\n0\r\n\r\n');
  const count = (): number => store.app.get(Streams).count;

  it('200: sends what there is and what comes, with exact int64s, and counts once', async () => {
    tides = [{ id: BIG, text: 'rises' }];
    const client = await open();
    await received(client, `id: ${BIG}\ndata: {"id":${BIG},"text":"rises"}\n\n`);
    tides = [...tides, { id: BIG + 1n, text: 'two\nlines' }];
    await received(client, `id: ${BIG + 1n}\ndata: {"id":${BIG + 1n},"text":"two\\nlines"}\n\n`);

    const [{ status, headers }] = client.responses as [(typeof client.responses)[0]];
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': expect.stringMatching(/\bno-store\b.*\bno-transform\b/) as unknown,
      'x-accel-buffering': 'no',
      'x-ratelimit-remaining': `${Number(headers['x-ratelimit-limit']) - 1}`,
    });
    expect(headers).not.toHaveProperty('vary');
    const { headers: next } = await store.send('GET', '/v1/pets', key);
    expect(Number(headers['x-ratelimit-remaining']) - Number(next['x-ratelimit-remaining'])).toBe(1);
  });

  it('is open before there is an event', async () => {
    await received(await open(), OPEN);
    await received(await open(request('/notified')), OPEN);
  });

  it('sends every field of an event', async () => {
    const client = await open(request('/notified'));
    await within(PATIENCE_MS, () => listeners === 1);
    news.emit('tide', { data: 'Brest', id: '7', type: 'tide', retry: 5 });
    await received(client, 'event: tide\nid: 7\nretry: 5\ndata: Brest\n\n');
  });

  it.each(['x', '-1', '9223372036854775808', '1, 2'])('400: refuses the Last-Event-ID %s', async (id) => {
    const { body } = await store.send('GET', '/v1/tides', key).set('Last-Event-ID', id).expect(400);

    expect(body).toEqual({
      code: 'invalid_parameter',
      message: 'Last-Event-ID must be the id of an event of the stream.',
      status: 400,
    });
    expect(count()).toBe(0);
  });

  it('continues after the last event, after one that was removed, and from the beginning of a stream without events', async () => {
    const from = (id: number) => open(request('', `Last-Event-ID: ${id}\r\n`));
    const early = await from(0);
    await received(early, OPEN);
    tides = [1n, 3n].map((id) => ({ id, text: `tide ${id}` }));
    const [afterGone, afterLast] = [await from(2), await from(3)];
    await received(afterLast, OPEN);
    tides = [...tides, { id: 4n, text: 'tide 4' }];

    for (const client of [early, afterGone, afterLast]) await received(client, 'tide 4');
    for (const client of [early, afterGone, afterLast]) expect(client.text.match(/tide 4/g)).toHaveLength(1);
    expect([early, afterGone, afterLast].map(({ text }) => text.match(/\d+(?="})/g)!.join())).toEqual([
      '1,3,4',
      '3,4',
      '4',
    ]);
  });

  it('400: refuses a Last-Event-ID ahead of the stream, whose events until then would be lost without a word', async () => {
    tides = [{ id: 3n, text: 'rises' }];
    const { body } = await store.send('GET', '/v1/tides', key).set('Last-Event-ID', '4').expect(400);

    expect(body).toMatchObject({
      code: 'invalid_parameter',
      message: 'Last-Event-ID must be the id of an event of the stream.',
    });
    expect(count()).toBe(0);
  });

  it.each([
    [404, 'no_such_harbour', new NoSuchHarbour()],
    [503, 'service_unavailable', new StorageUnavailable(new Error('planted'))],
    [500, 'internal_error', new Error('planted')],
  ])('%i %s: an error before the first event has its status', async (status, code, error) => {
    problem = error;

    for (const method of ['GET', 'HEAD']) {
      const { body, headers } = await store.send(method, '/v1/tides', key).expect(status);
      if (method === 'GET') expect(body).toMatchObject({ code });
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
    }
    await within(PATIENCE_MS, () => count() === 0);
  });

  it('closes the connection when a later event cannot be read, so that its client does not think it has all', async () => {
    const client = await open();
    await received(client, OPEN);
    problem = new Error('planted');
    await within(PATIENCE_MS, () => client.socket.closed);

    expect(hasEnded(client)).toBe(false);
    expect(store.logLines.filter((line) => line.includes('planted'))).toHaveLength(1);
    expect(client.text).not.toContain('planted');
  });

  it('sends a comment every 15 s when there is nothing else', async () => {
    const inTime = setInterval;
    const timers = jest
      .spyOn(globalThis, 'setInterval')
      .mockImplementation((run: () => void, ms) => inTime(run, ms === 15_000 ? 0 : ms));
    tides = [{ id: 1n, text: 'rises' }];
    await received(await open(), COMMENT + COMMENT);
    await received(await open(request('/notified')), COMMENT + COMMENT);
    timers.mockRestore();
  });

  it('ends within a second of a shutdown', async () => {
    const streams = [await open(), await open(request('/notified')), await open(request('/flood'))];
    await within(PATIENCE_MS, () => count() === 3);
    for (const client of streams) await received(client, OPEN);
    shutDown();

    for (const client of streams) await within(1_000, () => hasEnded(client));
    await within(PATIENCE_MS, () => count() === 0);
    expect([listeners, ended]).toEqual([0, 1]);
  });

  it('ends when its key was revoked while it opened', async () => {
    const issued = await store.app.get(StoreKeyIssuer).issue({ name: 'test', plan: 'business' });
    key = issued.text;
    await store.send('GET', '/v1/pets', key).expect(200);
    await store.app.get(StoreKeyIssuer).revoke(issued.key.id);
    const client = await open();

    await within(5_000, () => hasEnded(client) || client.responses[0]?.status === 401);
    await within(PATIENCE_MS, () => count() === 0);
  });

  it('reads nothing for a client that does not read', async () => {
    const client = await open(request('/flood'));
    client.socket.pause();
    let before = -1;
    await within(PATIENCE_MS, async () => {
      const isSame = read === before && read > 0;
      before = read;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return isSame;
    });
    expect(read).toBeLessThan(MANY);

    client.socket.resume();
    await within(PATIENCE_MS, () => read > before);
    client.close();
    await within(PATIENCE_MS, () => ended === 1);
  });

  it('gives everything back after a thousand were opened and left', async () => {
    for (let round = 0; round < 20; round++) {
      const opened = await Promise.all(
        Array.from({ length: 50 }, (_, index) => open(request(index % 2 ? '/notified' : ''))),
      );
      await within(PATIENCE_MS, () => listeners === 25);
      if (round % 2) news.emit('tide', { data: 'rises' });
      // In the other rounds half of them are left before the first byte has come.
      const answered = opened.filter((_, index) => round % 2 || index % 2 === 0);
      await within(PATIENCE_MS, () => answered.every(({ text }) => text.includes(OPEN)));
      for (const client of opened) client.reset();
      await within(PATIENCE_MS, () => count() === 0 && listeners === 0);
    }

    // What follows the rows reads no more of them.
    const filter = jest.spyOn(tides, 'filter');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(filter).not.toHaveBeenCalled();
  });

  it('has the headers of GET for HEAD, and methods for OPTIONS', async () => {
    const { headers, text } = await store.send('HEAD', '/v1/tides', key).expect(200);
    expect(headers['content-type']).toBe('text/event-stream');
    expect(text).toBeUndefined();
    await within(PATIENCE_MS, () => count() === 0);

    const { headers: options } = await store.send('OPTIONS', '/v1/tides', key).expect(204);
    expect(options['allow']).toBe('GET, HEAD, OPTIONS');
  });

  it('is closed at its end for HTTP/1.0, which has no chunks', async () => {
    const client = await open(request('', 'Connection: keep-alive\r\n', 'GET', '1.0'));
    await received(client, '\r\n\r\n\n');
    expect(client.text).not.toMatch(/transfer-encoding/i);
    shutDown();

    await client.untilClosed();
  });

  it('is what the operation sends, whatever is accepted', async () => {
    const { headers } = await store
      .send('GET', '/v1/tides', key)
      .set('Accept', 'application/json')
      .set('Accept-Encoding', 'gzip')
      .expect(200);

    expect(headers['content-type']).toBe('text/event-stream');
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('lets the requests after it on its connection wait', async () => {
    const client = await open(request() + request('/none'));
    await received(client, OPEN);
    shutDown();

    await within(PATIENCE_MS, () => client.text.includes('HTTP/1.1 404'));
  });

  it('is in the document with the schema of one event', async () => {
    const { body } = await store.send('GET', '/openapi.json', null).expect(200);
    const { paths } = body as { paths: Record<string, { get: Record<string, unknown> }> };

    expect(paths['/tides']!.get).toMatchObject({
      parameters: [{ name: 'Last-Event-ID', in: 'header', required: false }],
      responses: {
        200: { content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/Tide' } } } },
        429: { content: { 'application/json': { examples: { too_many_streams: {} } } } },
      },
    });
  });
});

it('A stream that is declared with @Get() stops the start', async () => {
  class HalfController {
    @Get()
    @Operation({ ...DESCRIBED, summary: 'Watch' })
    watchHalf(): Observable<MessageEvent> {
      return NEVER;
    }
  }
  Controller({ path: 'half', version: '1' })(HalfController);
  class HalfModule {}
  Module({ controllers: [HalfController] })(HalfModule);

  await expect(TestApp.startWith(HalfModule)).rejects.toThrow(
    'watchHalf: an operation with the response `stream` needs @Sse() in place of @Get().',
  );
});
