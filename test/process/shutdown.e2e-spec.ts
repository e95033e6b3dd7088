import { once } from 'node:events';
import { Agent, request } from 'node:http';
import SqliteConnection from 'better-sqlite3';
import { RawConnection } from '@animal-store/web/testing';
import { FirstServer } from '../support/first-server.js';
import { type ServerProcess, within } from '../support/server-process.js';

const CALLERS = 16;
const ANIMAL = '{"name":"Rex","categoryId":7}';

describe('A server that is told to stop', () => {
  let first: FirstServer;
  let key: string;
  let server: ServerProcess;

  beforeAll(async () => {
    first = await FirstServer.start();
    ({ key, process: server } = first);
  });

  afterAll(() => first.remove());

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

  /** Sends one request on a keep-alive connection. Returns the status, or the code of the error. */
  async function ask(agent: Agent, method: string): Promise<number | string> {
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

  it('completes every accepted request, saves every count, and exits with 0', async () => {
    const tally = new Map<number | string, number>();
    const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
    async function call(caller: number): Promise<void> {
      for (let outcome: number | string = 200; typeof outcome === 'number';) {
        outcome = await ask(agent, caller % 4 === 0 ? 'POST' : 'GET');
        tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
      }
    }
    const callers = Array.from({ length: CALLERS }, (_, caller) => call(caller));
    await within(10_000, () => (tally.get(200) ?? 0) > 300);
    const ended = server.stop('SIGTERM');
    await Promise.all(callers);
    agent.destroy();

    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // The refused requests never reached the server, which no longer listened.
    expect([...tally.keys()].map(String).sort()).toEqual(['200', '201', 'ECONNREFUSED']);
    const database = new SqliteConnection(first.file, { readonly: true });
    const counted = database
      .prepare("SELECT day_count AS requests FROM rate_limit_usage WHERE subject LIKE 'key_%'")
      .get() as { requests: number };
    const animals = database.prepare('SELECT count(*) AS added FROM pets').get() as { added: number };
    database.close();
    expect(counted.requests).toBe(tally.get(200)! + tally.get(201)!);
    expect(animals.added).toBe(tally.get(201));
  });

  it('is no longer ready, accepts no connection, and waits for a running request', async () => {
    await first.restart();
    server = first.process;
    const sender = await slowSender();
    const probe = await RawConnection.open(server.port);
    await probe.send('GET /health/ready HTTP/1.1\r\nHost: store\r\n\r\n').until(1);

    const ended = server.stop('SIGINT');
    await within(5_000, () => server.stdout.includes('shutting down'));
    const [, notReady] = await probe.send('GET /health/ready HTTP/1.1\r\nHost: store\r\n\r\n').until(2);
    expect(notReady).toMatchObject({
      status: 503,
      headers: { connection: 'close' },
      body: '{"code":"service_unavailable","message":"The server is shutting down.","status":503}',
    });
    await expect(RawConnection.open(server.port)).rejects.toThrow('ECONNREFUSED');

    const responses = await sender.send(ANIMAL.slice(10)).untilClosed();
    expect(responses).toMatchObject([{ status: 201, headers: { connection: 'close' } }]);
    expect((await ended).code).toBe(0);
  });
});
