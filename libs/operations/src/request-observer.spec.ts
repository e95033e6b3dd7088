import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keyRemover } from '@animal-store/api-keys';
import { type RouteTable } from '@animal-store/http-errors';
import { factsOf } from '@animal-store/web';
import { HealthController } from './health/health.controller.js';
import { type LogLevel, JsonLogger } from './logging/json-logger.js';
import { Metrics } from './metrics/metrics.js';
import { RequestObserver } from './request-observer.js';

const ROUTE = { method: 'GET', path: '/v1/pets/:petId', name: 'getPet' };

const withoutKeys = keyRemover(['ask_live_', 'ask_test_']);

describe('RequestObserver', () => {
  let lines: string[];
  let elapsedMs: number;
  let observer: RequestObserver;
  let server: Server;
  let port: number;
  let route: object;
  let respond: (response: ServerResponse) => void;
  const counted = jest.fn();

  function observerAt(level: LogLevel): RequestObserver {
    const logger = new JsonLogger(
      level,
      { write: (line) => void lines.push(line) },
      () => 0,
      null,
      withoutKeys,
    );
    const metrics = new Metrics(false);
    jest.spyOn(metrics, 'requestFinished').mockImplementation(counted);
    return new RequestObserver({ routes: [route] } as unknown as RouteTable, logger, metrics, {
      isReal: true,
      now: () => 1_764_892_800_000,
      monotonicMs: () => elapsedMs,
    });
  }

  beforeEach(async () => {
    lines = [];
    route = ROUTE;
    elapsedMs = 5_000;
    counted.mockReset();
    observer = observerAt('info');
    respond = (response) => response.end('[]');
    server = createServer((request, response) => {
      observer.started(request, response);
      Object.assign(request, { route: { path: ROUTE.path, methods: { get: true } } });
      response.on('close', () => {
        observer.finished(request, response);
        server.emit('finished');
      });
      elapsedMs += 0.4567;
      respond(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function send(path: string, headers: Record<string, string> = {}) {
    const finished = once(server, 'finished');
    const sent = get({ port, path, headers });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    // The response closes at the server a moment after the client has read it.
    await finished;
    return response;
  }

  it('sends the caller’s request id and logs one line under it', async () => {
    const response = await send('/v1/pets/7?key=ask_live_secret', {
      'X-Request-Id': 'r-42',
      Authorization: 'Bearer ask_live_secret',
    });

    expect(response.headers['x-request-id']).toBe('r-42');
    expect(lines).toEqual([
      '{"level":"info","time":1764892800000,"requestId":"r-42","keyId":null,"method":"GET","route":"/v1/pets/:petId","status":200,"durationMs":0.457}\n',
    ]);
  });

  function idFor(header: string | undefined): string {
    const request = { headers: { 'x-request-id': header } } as unknown as IncomingMessage;
    const response = { setHeader: () => response } as unknown as ServerResponse;
    observer.started(request, response);
    return factsOf(request).requestId;
  }

  it.each(['a', '7f3c-42', 'trace:00-4bf92f35/01@eu', 'x'.repeat(128)])('keeps the caller’s id %s', (id) => {
    expect(idFor(id)).toBe(id);
  });

  it.each([
    ['a missing id', undefined],
    ['an empty one', ''],
    ['one that is too long', 'x'.repeat(129)],
    ['two of them', 'first, second'],
    ['one with a double quote', 'a"b'],
    ['one with a single quote', "a'b"],
    ['one with a backslash', 'a\\b'],
    ['one with a control character', 'a\u0007b'],
    ['one with a character outside ASCII', 'zebra-é'],
    ['an API key', 'ask_live_4fJq0Zt8Yw2Lr6Kd9Xs3Vn7Bm1Hc5Gp0aB3dE1'],
  ])('replaces %s by one of its own, which it makes only once', (_, header) => {
    const made = idFor(header);

    expect(made).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/);
    expect(idFor(header)).not.toBe(made);
  });

  it('logs the trace that the caller names, and none that is malformed', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    await send('/v1/pets/7', { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    for (const malformed of ['-', `00-${trace}-01`, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])
      await send('/v1/pets/7', { traceparent: malformed });

    const logged = lines.map((line) => (JSON.parse(line) as { trace_id?: string }).trace_id);
    expect(logged).toEqual([trace, undefined, undefined, undefined]);
  });

  it('logs why a request failed', async () => {
    respond = (response) => {
      factsOf(response.req).failure = 'connect "refused"';
      response.writeHead(503).end();
    };
    await send('/v1/pets/7');

    expect(JSON.parse(lines[0]!)).toMatchObject({ status: 503, cause: 'connect "refused"' });
  });

  it('logs a health check at debug level, failed or not', async () => {
    route = { ...ROUTE, controller: HealthController };
    respond = (response) => response.writeHead(503).end();
    observer = observerAt('info');
    await send('/health/ready');
    expect(lines).toEqual([]);

    observer = observerAt('debug');
    await send('/health/ready');
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'debug', status: 503 });
  });

  it('logs nothing below its level, but still counts the request', async () => {
    observer = observerAt('warn');
    await send('/v1/pets/7');

    expect(lines).toEqual([]);
    expect(counted).toHaveBeenCalledTimes(1);
  });

  it('counts a request by operation, status and seconds', async () => {
    await send('/v1/pets/7');

    expect(counted.mock.calls).toEqual([['getPet', 200, expect.closeTo(0.0004567, 9)]]);
  });

  it('counts no seconds in which it waited for a body', async () => {
    respond = (response) => {
      elapsedMs += 9_000;
      factsOf(response.req).bodyWaitMs = 9_000;
      response.end('[]');
    };
    await send('/v1/pets/7');

    expect(counted.mock.calls).toEqual([['getPet', 200, expect.closeTo(0.0004567, 9)]]);
    expect(JSON.parse(lines[0]!)).toMatchObject({ durationMs: 9_000.457 });
  });

  it('logs a request whose caller disconnected as aborted, without a status', async () => {
    const arrived = new Promise<ServerResponse>((resolve) => {
      respond = resolve;
    });
    const sent = get({ port, path: '/v1/pets/7' }).on('error', () => undefined);
    await arrived;
    const finished = once(server, 'finished');
    sent.destroy();
    await finished;

    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', status: null, aborted: true });
    expect(counted.mock.calls[0]!.slice(0, 2)).toEqual(['getPet', 'aborted']);
  });

  it('logs once a minute that connections are dropped, and why', () => {
    observer.dropped('too many connections');
    observer.dropped('too many requests');
    elapsedMs += 59_999;
    observer.dropped('too many connections');
    observer.unserved(10);
    observer.unserved(900);
    elapsedMs += 1;
    observer.dropped('too many connections');

    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'New connections are dropped: MAX_CONNECTIONS are open.',
      'Connections are closed: too many pipelined requests wait for their response.',
      'Connections closed before their requests were handled.',
      'New connections are dropped: MAX_CONNECTIONS are open.',
    ]);
  });
});
