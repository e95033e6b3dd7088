import { EventEmitter, on, once } from 'node:events';
import { Controller, Get, type MessageEvent, Module, Res, Sse } from '@nestjs/common';
import type { Response } from 'express';
import { fromEvent, map, type Observable } from 'rxjs';
import { Public } from '@animal-store/api-keys';
import { EventStream, FrontDoor, OpenStream, Streams } from '@animal-store/web';
import { RawConnection } from '@animal-store/web/testing';
import { ShutdownController } from '@animal-store/operations';
import { StoreKeyIssuer } from '../../src/access/application/key-issuer.service.js';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const PATIENCE_MS = 20_000;
const HEARTBEAT_MS = 15_000;
const FIVE_MINUTES_MS = 300_000;

const realNow = performance.now.bind(performance);
const heart = new EventEmitter();
const reasons: string[] = [];

async function* beats(signal: AbortSignal): AsyncGenerator<MessageEvent> {
  for await (const [data] of on(heart, 'beat', { signal })) yield { data: data as string };
}

@Controller('streams')
class StreamsController {
  @Sse('events')
  events(@OpenStream() stream: EventStream): Observable<MessageEvent> {
    return stream.send(beats(stream.signal));
  }

  @Sse('default')
  byDefault(): Observable<MessageEvent> {
    return fromEvent(heart, 'beat').pipe(map((data) => ({ data: data as string })));
  }

  @Get('lines')
  async lines(@OpenStream() { signal }: EventStream, @Res() response: Response): Promise<void> {
    response.type('application/x-ndjson').write('{}\n');
    if (!signal.aborted) await once(signal, 'abort');
    response.end('{"last":true}\n');
  }

  @Get('deaf')
  deaf(@OpenStream() _: EventStream, @Res() response: Response): void {
    response.write('on and on');
  }

  @Public()
  @Get('open')
  open(@OpenStream() { signal }: EventStream, @Res() response: Response): void {
    response.write('open to all');
    signal.addEventListener('abort', () => reasons.push('open'));
  }
}

@Module({ controllers: [StreamsController] })
class StreamsModule {}

describe('A response that stays open', () => {
  /** Of all tests, until one shuts it down. */
  let store: TestApp;
  let isShutDown = true;
  let key: string;
  let revoke: () => Promise<unknown>;
  let clients: RawConnection[];
  let passedMs: number;

  beforeEach(async () => {
    passedMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
    clients = [];
    reasons.length = 0;
    if (isShutDown)
      // Half of all is the most, whatever the setting of an account.
      store = await TestApp.startWith(StreamsModule, {
        MAX_STREAMS: '4',
        MAX_STREAMS_PER_ACCOUNT: '3',
        TRUST_PROXY: '1',
      });
    isShutDown = false;
    store.logLines.length = 0;
    const issued = await store.app.get(StoreKeyIssuer).issue({ name: 'test', plan: 'business' });
    key = issued.text;
    revoke = () => store.app.get(StoreKeyIssuer).revoke(issued.key.id);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    for (const client of clients) client.reset();
    await within(PATIENCE_MS, () => open() === 0);
    if (isShutDown) await store.stop();
  });

  afterAll(() => !isShutDown && store.stop());

  async function send(path: string, caller: string | null = key, from?: string): Promise<RawConnection> {
    const client = await RawConnection.open(store.port);
    clients.push(client);
    const header = from === undefined ? '' : `X-Forwarded-For: ${from}\r\n`;
    const credentials = caller === null ? header : `Authorization: Bearer ${caller}\r\n`;
    return client.send(`GET /v1/streams/${path} HTTP/1.1\r\nHost: x\r\n${credentials}\r\n`);
  }

  /** Resolves when the server has sent something. */
  async function stream(path: string, caller: string | null = key): Promise<RawConnection> {
    const client = await send(path, caller);
    await within(PATIENCE_MS, () => /\r\n\r\n.*\n/s.test(client.text) || client.text.includes('on and on'));
    return client;
  }

  /** Moves the clock by which quiet connections are closed. */
  function pass(ms: number): void {
    passedMs += ms;
    store.app.get(FrontDoor).closeQuiet(performance.now());
  }

  /** Whether the whole response has arrived. */
  const hasEnded = ({ text }: RawConnection): boolean => text.endsWith('\r\n0\r\n\r\n');
  const open = (): number => store.app.get(Streams).count;

  it.each(['events', 'default'])('lives for five minutes on a heartbeat every 15 s: %s', async (path) => {
    const client = await stream(path);
    for (let ms = 0; ms <= FIVE_MINUTES_MS; ms += HEARTBEAT_MS) {
      heart.emit('beat', `after ${ms} ms`);
      await within(PATIENCE_MS, () => client.text.includes(`after ${ms} ms`));
      pass(HEARTBEAT_MS);
    }

    expect(client.socket.closed).toBe(false);
    expect(hasEnded(client)).toBe(false);
  });

  it('may be silent, and only then needs heartbeats', async () => {
    const [open, other] = [await stream('events'), await stream('default')];
    // The first look finds what was sent last.
    pass(0);
    pass(FIVE_MINUTES_MS);
    await within(PATIENCE_MS, () => other.socket.closed);

    heart.emit('beat', 'still here');
    await within(PATIENCE_MS, () => open.text.includes('still here'));
  });

  it.each(['events', 'lines'])('ends at a shutdown, and no other opens: %s', async (path) => {
    const client = await stream(path);
    isShutDown = true;
    store.app.get(ShutdownController).abort();
    await within(PATIENCE_MS, () => hasEnded(client));

    const [response] = await (await send(path)).until(1);
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '10' } });
    expect(JSON.parse(response!.body)).toMatchObject({ code: 'service_unavailable' });
  });

  it.each(['events', 'lines'])('ends when its key is revoked, and no other one: %s', async (path) => {
    const [client, other] = [await stream(path), await stream(path, await store.key())];
    await revoke();
    await within(PATIENCE_MS, () => hasEnded(client));

    expect(hasEnded(other)).toBe(false);
    expect(open()).toBe(1);
  });

  it('is closed when its key is revoked and its handler does not end it', async () => {
    const client = await stream('deaf');
    await revoke();
    await within(PATIENCE_MS, () => client.socket.closed);

    expect(hasEnded(client)).toBe(false);
  });

  it('429 too_many_streams beyond those of the account, until one of them is closed', async () => {
    const [first] = [await stream('events'), await stream('lines')];
    const [refused] = await (await send('lines')).until(1);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '10' } });
    expect(JSON.parse(refused!.body)).toEqual({
      code: 'too_many_streams',
      message: 'No more than 2 streams may be open at a time.',
      status: 429,
    });

    first.close();
    await within(PATIENCE_MS, () => open() === 1);
    await stream('lines');
  });

  it('429 for another key of an account that has all it may, while another account still gets a stream', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => store.key('business', 'zoo')));
    for (const own of keys.slice(0, 2)) await stream('lines', own);
    const [refused] = await (await send('lines', keys[2])).until(1);
    expect(refused!.status).toBe(429);
    expect(JSON.parse(refused!.body)).toMatchObject({ code: 'too_many_streams' });

    await stream('lines');
  });

  it('503 service_unavailable beyond those of all', async () => {
    const other = await store.key();
    for (const caller of [key, key, other, other]) await stream('lines', caller);
    const [refused] = await (await send('lines', await store.key())).until(1);

    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '10' } });
  });

  it('ends when its client closes its half of the connection', async () => {
    const client = await stream('lines');
    client.socket.end();
    await within(PATIENCE_MS, () => hasEnded(client));
  });

  it('counts against the address of a caller without a key, and notifies its handler when the client has closed', async () => {
    const [first] = [await send('open', null), await send('open', null)];
    await within(PATIENCE_MS, () => open() === 2);
    expect((await (await send('open', null)).until(1))[0]!.status).toBe(429);

    first.close();
    await within(PATIENCE_MS, () => open() === 1);
    expect(reasons).toEqual(['open']);
  });

  it.each([
    ['an address', '192.0.2.1:51234', '192.0.2.1:51235', '192.0.2.1'],
    ['a /64', '[2001:db8::1]:443', '2001:db8::2', '2001:db8::3'],
  ])('counts against %s, whatever the proxy writes of the connection', async (_, ...from) => {
    for (const address of from.slice(0, 2)) await send('open', null, address);
    await within(PATIENCE_MS, () => open() === 2);
    expect((await (await send('open', null, from[2])).until(1))[0]!.status).toBe(429);
  });

  it('is logged with its status, although its client always leaves first', async () => {
    (await stream('events')).close();
    const line = await within(PATIENCE_MS, () =>
      store.logLines.find((one) => one.includes('"route":"/v1/streams/events"')),
    );

    expect(line).toContain('"status":200');
    expect(line).not.toContain('aborted');
  });
});
