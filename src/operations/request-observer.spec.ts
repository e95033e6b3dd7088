import { once } from 'node:events';
import { Agent, createServer, get, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { LogLevel } from '../config/settings.js';
import { Clock } from '../shared/clock.js';
import { JsonLogger } from './logging/json-logger.js';
import { RequestLog } from './logging/request-log.js';
import { Metrics } from './metrics/metrics.js';
import { RequestObserver } from './request-observer.js';

class StoppedClock extends Clock {
  now(): number {
    return 1_764_892_800_000;
  }
}

describe('RequestObserver', () => {
  let lines: string[];
  let elapsedMs: number;
  let observer: RequestObserver;
  let server: Server;
  let port: number;
  let answer: (response: ServerResponse) => void;
  const counted = jest.fn();

  function observerAt(level: LogLevel): RequestObserver {
    const logger = new JsonLogger(level, { write: (line) => void lines.push(line) }, () => 0);
    const metrics = new Metrics(false);
    jest.spyOn(metrics, 'requestFinished').mockImplementation(counted);
    return new RequestObserver(
      () => ({ route: '/v1/pets/:petId', operation: 'getPet' }),
      new RequestLog(logger, new StoppedClock()),
      metrics,
      () => elapsedMs,
    );
  }

  beforeEach(async () => {
    lines = [];
    elapsedMs = 5_000;
    counted.mockReset();
    observer = observerAt('info');
    answer = (response) => response.end('[]');
    server = createServer((request, response) => {
      observer.started(request, response);
      response.on('close', () => observer.finished(request, response));
      elapsedMs += 0.4567;
      answer(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function ask(path: string, headers: Record<string, string> = {}, agent?: Agent) {
    const sent = get({ port, path, headers, agent });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    await finishedRequests();
    return response;
  }

  /** The server sees its response close a moment after the client has read it. */
  async function finishedRequests(): Promise<void> {
    while (observer.runningCount > 0) await new Promise(setImmediate);
  }

  it('answers with the caller’s request id and logs one line under it', async () => {
    const response = await ask('/v1/pets/7?key=ask_live_secret', {
      'X-Request-Id': 'r-42',
      Authorization: 'Bearer ask_live_secret',
    });

    expect(response.headers['x-request-id']).toBe('r-42');
    expect(lines).toEqual([
      '{"level":"info","time":1764892800000,"requestId":"r-42","keyId":null,"method":"GET","route":"/v1/pets/:petId","status":200,"durationMs":0.457}\n',
    ]);
  });

  it('makes a request id where the caller has none', async () => {
    const response = await ask('/v1/pets/7');

    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/);
  });

  it('logs a 5xx as an error', async () => {
    answer = (response) => response.writeHead(503).end();
    await ask('/v1/pets/7');

    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'error', status: 503 });
  });

  it('logs nothing below its level, and counts all the same', async () => {
    observer = observerAt('warn');
    await ask('/v1/pets/7');

    expect(lines).toEqual([]);
    expect(counted).toHaveBeenCalledTimes(1);
  });

  it('counts a request by operation, status and seconds', async () => {
    await ask('/v1/pets/7');

    expect(counted.mock.calls).toEqual([['getPet', 200, expect.closeTo(0.0004567, 9)]]);
  });

  it('counts and logs a request once, however often it is told of its end', async () => {
    answer = (response) => {
      response.end();
      observer.finished(response.req, response);
    };
    await ask('/v1/pets/7');

    expect(lines).toHaveLength(1);
    expect(counted).toHaveBeenCalledTimes(1);
  });

  it('logs a request whose caller went away as aborted, without a status', async () => {
    const arrived = new Promise<ServerResponse>((resolve) => {
      answer = resolve;
    });
    const sent = get({ port, path: '/v1/pets/7' }).on('error', () => undefined);
    await arrived;
    sent.destroy();
    await finishedRequests();

    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', status: null, aborted: true });
    expect(counted.mock.calls[0]!.slice(0, 2)).toEqual(['getPet', 'aborted']);
  });

  it('lets callers keep their connection', async () => {
    const agent = new Agent({ keepAlive: true });
    expect((await ask('/v1/pets/7', {}, agent)).headers.connection).toBe('keep-alive');
    agent.destroy();
  });

  it('closes connections with the answer once told to, those of running requests among them', async () => {
    const agent = new Agent({ keepAlive: true });
    answer = (response) => {
      observer.closeConnectionsAfterAnswer();
      response.writeHead(200, ['Content-Type', 'application/json']).end('[]');
    };
    expect((await ask('/v1/pets/7', {}, agent)).headers.connection).toBe('close');

    answer = (response) => response.end('[]');
    expect((await ask('/v1/pets/7', {}, agent)).headers.connection).toBe('close');
    agent.destroy();
  });

  it('names the running answers of one connection in the order of their requests, whichever have finished', () => {
    const [connection, other] = [new Socket(), new Socket()];
    const begin = (socket: Socket) => {
      const request = new IncomingMessage(socket);
      const response = new ServerResponse(request);
      observer.started(request, response);
      return response;
    };
    const finish = (response: ServerResponse) => observer.finished(response.req, response);
    const elsewhere = begin(other);
    const [first, second, third, fourth] = [connection, connection, connection, connection].map(begin);
    expect(observer.runningOn(connection)).toEqual([first, second, third, fourth]);

    finish(elsewhere);
    finish(second!);
    finish(second!);
    expect(observer.runningOn(connection)).toEqual([first, third, fourth]);
    expect(observer.runningOn(other)).toEqual([]);
    expect(observer.runningCount).toBe(3);

    for (const response of [fourth!, first!, third!]) finish(response);
    expect(observer.runningCount).toBe(0);
  });
});
