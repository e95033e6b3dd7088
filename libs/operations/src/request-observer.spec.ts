import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendError } from '@animal-store/http-errors';
import { Clock } from '@animal-store/kernel';
import { ConnectionDrops } from './connection-drops.js';
import { type LogLevel, JsonLogger } from './logging/json-logger.js';
import { Metrics } from './metrics/metrics.js';
import { RequestObserver } from './request-observer.js';

class StoppedClock extends Clock {
  now(): number {
    return 1_764_892_800_000;
  }

  monotonicMs(): number {
    return 0;
  }
}

describe('RequestObserver', () => {
  let lines: string[];
  let elapsedMs: number;
  let observer: RequestObserver;
  let server: Server;
  let port: number;
  let respond: (response: ServerResponse) => void;
  const counted = jest.fn();

  function observerAt(level: LogLevel): RequestObserver {
    const logger = new JsonLogger(level, { write: (line) => void lines.push(line) }, () => 0);
    const metrics = new Metrics(false);
    jest.spyOn(metrics, 'requestFinished').mockImplementation(counted);
    return new RequestObserver(
      () => ({ route: '/v1/pets/:petId', operation: 'getPet' }),
      logger,
      metrics,
      new ConnectionDrops(logger, metrics, () => elapsedMs),
      Object.assign(new StoppedClock(), { monotonicMs: () => elapsedMs }),
    );
  }

  beforeEach(async () => {
    lines = [];
    elapsedMs = 5_000;
    counted.mockReset();
    observer = observerAt('info');
    respond = (response) => response.end('[]');
    server = createServer((request, response) => {
      observer.started(request, response);
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

  async function ask(path: string, headers: Record<string, string> = {}) {
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
    const response = await ask('/v1/pets/7?key=ask_live_secret', {
      'X-Request-Id': 'r-42',
      Authorization: 'Bearer ask_live_secret',
    });

    expect(response.headers['x-request-id']).toBe('r-42');
    expect(lines).toEqual([
      '{"level":"info","time":1764892800000,"requestId":"r-42","keyId":null,"method":"GET","route":"/v1/pets/:petId","status":200,"durationMs":0.457}\n',
    ]);
  });

  it('generates a request id when the caller sends none', async () => {
    const response = await ask('/v1/pets/7');

    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/);
  });

  it('logs a 5xx as an error', async () => {
    respond = (response) => response.writeHead(503).end();
    await ask('/v1/pets/7');

    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'error', status: 503 });
  });

  it('logs and counts the code of the error that was sent', async () => {
    const errorSent = jest.spyOn(Metrics.prototype, 'errorSent').mockImplementation();
    respond = (response) => sendError(response, { status: 404, code: 'pet_not_found', message: 'No.' });
    await ask('/v1/pets/7');

    expect(lines[0]).toContain('"status":404,"code":"pet_not_found","durationMs":');
    expect(errorSent.mock.calls).toEqual([['pet_not_found']]);
    errorSent.mockRestore();
  });

  it('logs nothing below its level, but still counts the request', async () => {
    observer = observerAt('warn');
    await ask('/v1/pets/7');

    expect(lines).toEqual([]);
    expect(counted).toHaveBeenCalledTimes(1);
  });

  it('counts a request by operation, status and seconds', async () => {
    await ask('/v1/pets/7');

    expect(counted.mock.calls).toEqual([['getPet', 200, expect.closeTo(0.0004567, 9)]]);
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
});
