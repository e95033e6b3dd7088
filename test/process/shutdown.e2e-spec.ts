import { once } from 'node:events';
import { Agent, request } from 'node:http';
import SqliteConnection from 'better-sqlite3';
import { RawConnection, type RawResponse } from '@animal-store/web/testing';
import { FirstServer } from '../support/first-server.js';
import { bearer, get } from '../support/hostile-requests.js';
import { type Ended, type ServerProcess, within } from '../support/server-process.js';

const CALLERS = 16;
const PIPELINES = 20;
const ANIMAL = '{"name":"Rex","categoryId":7}';
const READINESS = get('/health/ready');

/** Everybody who has sent a request when the server gets the signal. */
describe('A server that gets a signal to stop', () => {
  let first: FirstServer;
  let key: string;
  let server: ServerProcess;
  let ended: Ended;
  /** How often each status, or code of an error, came back on keep-alive connections. */
  const tally = new Map<number | string, number>();
  let pipelined: RawResponse[];
  let notReady: RawResponse | undefined;
  let slow: RawResponse[];

  beforeAll(async () => {
    first = await FirstServer.start();
    ({ key, process: server } = first);
    const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
    const callers = Array.from({ length: CALLERS }, (_, caller) => call(agent, caller));
    await within(20_000, () => (tally.get(200) ?? 0) > 100);
    const pipelines = await Promise.all(
      Array.from({ length: PIPELINES }, () => RawConnection.open(server.port)),
    );
    for (const pipeline of pipelines) sendOnAndOn(pipeline);
    await within(20_000, () => pipelines.filter(({ text }) => text !== '').length > PIPELINES / 2);

    // The rest of these two is sent after the signal. An idle connection would be closed half a second after it.
    const probe = await RawConnection.open(server.port);
    await probe.send(READINESS).until(1);
    probe.send(READINESS.slice(0, -2));
    const sender = await slowSender();
    const end = server.stop('SIGTERM');
    await within(10_000, () => server.stdout.includes('shutting down'));
    await within(10_000, isRefused);
    [, notReady] = await probe.send('\r\n').until(2);
    slow = await sender.send(ANIMAL.slice(10)).untilClosed();
    await Promise.all(callers);
    agent.destroy();
    pipelined = (await Promise.all(pipelines.map((pipeline) => pipeline.untilClosed()))).flat();
    ended = await end;
  }, 60_000);

  afterAll(() => first.remove());

  /** Whether a new connection is refused. One that comes as the server stops listening is reset. */
  function isRefused(): Promise<boolean> {
    return RawConnection.open(server.port).then(
      (connection) => {
        connection.close();
        return false;
      },
      ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED',
    );
  }

  /** Sends a POST without the end of its body. */
  async function slowSender(): Promise<RawConnection> {
    const connection = await RawConnection.open(server.port);
    const head = `POST /v1/pets HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer ${key}\r\n`;
    connection.send(
      `${head}Content-Type: application/json\r\nContent-Length: 29\r\n\r\n${ANIMAL.slice(0, 10)}`,
    );
    // One thread handles all requests, so the slow request has arrived when this one is done.
    await server.get('/health/live');
    return connection;
  }

  /** Sends one request after the other on a keep-alive connection, until one gets no response. */
  async function call(agent: Agent, caller: number): Promise<void> {
    for (let outcome: number | string = 200; typeof outcome === 'number';) {
      outcome = await statusOf(agent, caller % 4 === 0 ? 'POST' : 'GET');
      tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
    }
  }

  /** Returns the status, or the code of the error. */
  async function statusOf(agent: Agent, method: string): Promise<number | string> {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const sent = request({ port: server.port, path: '/v1/pets', method, headers, agent });
    sent.end(method === 'POST' ? ANIMAL : undefined);
    try {
      const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
      response.resume();
      await once(response, 'end');
      return response.statusCode;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  }

  /** Sends pipelines until the connection is closed. */
  function sendOnAndOn({ socket }: RawConnection): void {
    const pipeline = get('/v1/pets', bearer(key), `X-Padding: ${'x'.repeat(2_000)}`).repeat(16);
    const send = () => {
      if (socket.writable) socket.write(pipeline, 'latin1', () => setImmediate(send));
    };
    send();
  }

  function saved(sql: string): unknown {
    const database = new SqliteConnection(first.file, { readonly: true });
    const value = database.prepare(sql).pluck().get();
    database.close();
    return value;
  }

  it('refuses new connections, and exits with 0', () => {
    // The set-up waits for the refusal.
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('is no longer ready', () => {
    expect(notReady).toMatchObject({
      status: 503,
      headers: { connection: 'close' },
      body: '{"code":"service_unavailable","message":"The server is shutting down.","status":503}',
    });
  });

  it('waits for a running request', () => {
    expect(slow).toMatchObject([{ status: 201, headers: { connection: 'close' } }]);
  });

  it('completes every accepted request, and saves every count', () => {
    // The refused requests never reached the server, which no longer listened.
    expect([...tally.keys()].map(String).sort()).toEqual(['200', '201', 'ECONNREFUSED']);
    expect(new Set(pipelined.map(({ status }) => status))).toEqual(new Set([200]));
    const additions = tally.get(201)! + slow.length;
    expect(saved('SELECT count(*) FROM pets')).toBe(additions);
    expect(saved("SELECT day_count FROM rate_limit_usage WHERE subject LIKE 'key_%'")).toBe(
      tally.get(200)! + additions + pipelined.length,
    );
  });
});
