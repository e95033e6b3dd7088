import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { hasPostgres, PostgresServer } from '@animal-store/database/testing';
import { freePort } from '@animal-store/kernel/testing';
import { hasRedisServer, RedisServer } from '@animal-store/rate-limiting/testing';
import { RawConnection } from '@animal-store/web/testing';
import { insertKey } from '../support/insert-key.js';
import { runProgram, ServerProcess, within } from '../support/server-process.js';

const LIMIT_MS = 25_000;
/** For what starts two processes, one after the other. */
const WITH_START_MS = 90_000;
const ANIMAL = '{"name":"Rex","categoryId":7}';

/** Each response names the process that it is from. */
const NAME_PROCESS = `data:text/javascript,
  import { subscribe } from 'node:diagnostics_channel';
  subscribe('http.server.request.start', ({ response }) => response.setHeader('x-process', process.pid));`;

const describeHere = hasPostgres() && hasRedisServer() ? describe : describe.skip;

describeHere('Two processes on one port', () => {
  let folder: string;
  let postgres: PostgresServer;
  let redis: RedisServer;
  let metricsPort: number;
  let environment: NodeJS.ProcessEnv;
  let server: ServerProcess;
  const started: ServerProcess[] = [];
  /** A key with limits that no test reaches. */
  let key: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'processes-'));
    [postgres, redis, metricsPort] = await Promise.all([
      PostgresServer.start(),
      RedisServer.start(),
      freePort(),
    ]);
    environment = {
      PROCESSES: '2',
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      // A machine that also runs other suites may need longer than the default of 50 ms.
      REDIS_TIMEOUT_MS: '250',
      METRICS_PORT: String(metricsPort),
      NODE_ENV: 'production',
    };
    server = await start();
    key = await newKey(1_000_000_000);
  }, WITH_START_MS);

  afterAll(async () => {
    await Promise.all(started.map((one) => one.stop('SIGKILL')));
    await Promise.all([postgres?.stop(), redis?.stop()]);
    rmSync(folder, { recursive: true });
  });

  async function start(settings: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
    const one = await ServerProcess.start({
      folder,
      environment: { ...environment, ...settings },
      nodeFlags: ['--import', NAME_PROCESS],
    });
    started.push(one);
    await within(LIMIT_MS, async () => (await readyOf(one).catch(() => 0)) === 2);
    return one;
  }

  async function newKey(perMinute: number): Promise<string> {
    const client = new pg.Client(postgres.url);
    await client.connect();
    const { key } = await insertKey((sql, values) => client.query(sql, values), perMinute);
    await client.end();
    return key;
  }

  /** How many are ready. */
  async function readyOf({ port }: ServerProcess): Promise<number> {
    const { body } = await ask('GET', '/health/ready', { port });
    return (JSON.parse(body) as { workers?: { ready: number } }).workers?.ready ?? 0;
  }

  /** Sends a request on a connection of its own, as each connection stays with one process. */
  async function ask(method: string, path: string, { port = server.port, caller = key } = {}) {
    const connection = await RawConnection.open(port);
    const body = method === 'POST' ? ANIMAL : '';
    const [response] = await connection
      .send(
        `${method} ${path} HTTP/1.1\r\nHost: store\r\nConnection: close\r\nAuthorization: Bearer ${caller}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      .untilClosed();
    if (response === undefined) throw new Error('The connection was closed.');
    return { ...response, pid: Number(response.headers['x-process']) };
  }

  function workerPids({ pid }: ServerProcess = server): number[] {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  }

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const samples = text.split('\n').filter((line) => line.startsWith(name));
    return samples.map((line) => Number(line.split(' ').at(-1))).reduce((sum, value) => sum + value, 0);
  }
  const lists = () => metric('animal_store_http_requests_total{operation="listPets",status="200"}');

  it('share the connections, and count together', async () => {
    const before = await lists();
    const responses = await Promise.all(Array.from({ length: 40 }, () => ask('GET', '/v1/pets')));

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ pid }) => pid))).toEqual(new Set(workerPids()));
    expect((await lists()) - before).toBe(40);
    expect(await metric('animal_store_ready ')).toBe(1);
    expect(await metric('animal_store_build_info')).toBe(1);
    expect(await metric('animal_store_dependency_up')).toBe(2);
  });

  it('are not ready while one of them does not respond', async () => {
    const [stopped] = workerPids();
    process.kill(stopped!, 'SIGSTOP');
    // The one that is stopped may have been given a connection, on which nothing comes back.
    const answers = Array.from({ length: 2 }, () => ask('GET', '/health/ready'));
    const { status, body } = await Promise.race(answers);
    const ready = await metric('animal_store_ready ');
    process.kill(stopped!, 'SIGCONT');

    expect(status).toBe(503);
    expect(body).toContain('A process of the server is not ready.');
    expect(ready).toBe(0);
    await Promise.all(answers);
    await within(LIMIT_MS, async () => (await readyOf(server)) === 2);
  });

  it('start another one for one that is killed, and go on serving and counting', async () => {
    const [killed, other] = workerPids();
    const before = await lists();
    const startedAt = await metric('process_start_time_seconds');
    process.kill(killed!, 'SIGKILL');
    await within(LIMIT_MS, () => !workerPids().includes(killed!));

    const meanwhile = await ask('GET', '/v1/pets');
    expect(meanwhile).toMatchObject({ status: 200, pid: other });
    const ready = await ask('GET', '/health/ready');
    expect(ready.status).toBe(200);
    expect(JSON.parse(ready.body)).toMatchObject({
      status: 'degraded',
      workers: { ready: 1, wanted: 2 },
    });

    await within(LIMIT_MS, async () => (await readyOf(server)) === 2);
    expect(JSON.parse((await ask('GET', '/health/ready')).body)).toMatchObject({ status: 'ok' });
    expect(await metric('animal_store_worker_restarts_total')).toBe(1);
    expect(await metric('process_start_time_seconds')).toBeGreaterThan(startedAt);
    expect(await lists()).toBe(before + 1);
    expect(server.stdout).toContain(`Worker ${killed} ended (SIGKILL). Another starts in 100 ms.`);
  });

  it('log whole lines, and say once what holds for all', async () => {
    await within(LIMIT_MS, () => server.stdout.includes('There is no API key yet'));
    const lines = server.stdout.trimEnd().split('\n');
    expect(() => lines.map((line) => JSON.parse(line) as unknown)).not.toThrow();
    expect(lines.filter((line) => line.includes('There is no API key yet'))).toHaveLength(1);
  });

  it(
    'close connections beyond MAX_CONNECTIONS of each, and end when the process that started them is killed',
    async () => {
      const small = await start({ METRICS_PORT: '', MAX_CONNECTIONS: '2' });
      const connections = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(small.port)));
      await within(LIMIT_MS, () => connections.filter(({ socket }) => socket.closed).length >= 16);
      const open = connections.filter(({ socket }) => !socket.closed);
      const responses = await Promise.all(
        open.map((connection) =>
          connection.send('GET /health/live HTTP/1.1\r\nHost: store\r\n\r\n').until(1),
        ),
      );
      const pids = responses.map(([response]) => Number(response!.headers['x-process']));
      const workers = workerPids(small);
      expect(new Set(pids)).toEqual(new Set(workers));
      // The health check of the start has the fourth.
      expect(pids).toHaveLength(3);

      await small.stop('SIGKILL');
      await within(LIMIT_MS, () => workers.every(hasEnded));
    },
    WITH_START_MS,
  );

  it.each<[string, () => NodeJS.ProcessEnv, RegExp]>([
    [
      'port is taken, which a worker finds',
      () => ({ PORT: String(server.port), METRICS_PORT: '' }),
      /^Port \d+ on 127.0.0.1 is in use .* PORT=\d+ npm start\n$/,
    ],
    [
      'port for metrics is taken, which no worker opens',
      () => ({ PORT: '0' }),
      /^Port \d+ .*METRICS_PORT=\d+ npm start\n$/,
    ],
  ])('do not start when their %s, and say why on one line', async (_, settings, line) => {
    const ended = await runProgram('main.js', [], {
      folder,
      environment: { ...environment, HOST: '127.0.0.1', ...settings() },
    });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(line) as string });
  });

  it('complete every accepted request on SIGTERM, and exit with 0, also when the signal reaches all of them', async () => {
    let added = 0;
    const callers = Array.from({ length: 8 }, async () => {
      for (;;) {
        const status = await ask('POST', '/v1/pets').then(
          (response) => response.status,
          () => null,
        );
        if (status !== 201) return status;
        added++;
      }
    });
    await within(LIMIT_MS, () => added > 100);
    const client = new pg.Client(postgres.url);
    await client.connect();
    const count = async () => Number((await client.query('SELECT count(*) FROM pets')).rows[0].count);

    // As systemd and terminals send it.
    for (const pid of workerPids()) process.kill(pid, 'SIGTERM');
    const ended = await server.stop('SIGTERM');

    expect(await Promise.all(callers)).toEqual(callers.map(() => null));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(await count()).toBe(added);
    await client.end();
  });
});

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
