import { type INestApplication, Module, VersioningType } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { Database } from '@animal-store/database';
import { Deprecated } from '@animal-store/deprecation';
import { RouteTable } from '@animal-store/http-errors';
import { Clock, StorageUnavailable, SystemClock } from '@animal-store/kernel';
import { Readiness } from './health/readiness.js';
import { JsonLogger } from './logging/json-logger.js';
import { Metrics } from './metrics/metrics.js';
import { MetricsServer } from './metrics/metrics.server.js';
import { OperationsModule } from './operations.module.js';
import { type JobsState, type OperationsOptions, type RedisState } from './operations.options.js';

class PetsController {
  listPets() {}

  @Deprecated({ since: '2026-01-01' })
  createPet() {}
}
const pets = PetsController.prototype;

describe('OperationsModule', () => {
  const check = jest.fn<Promise<void>, []>();
  let lines: string[];
  let redis: RedisState;
  let redisNodes: Map<string, boolean>;
  let jobs: JobsState;
  let connections: Database['connections'];
  let clockAheadMs: number;
  let application: INestApplication;

  @Module({
    providers: [
      { provide: Clock, useValue: new SystemClock() },
      {
        provide: Database,
        useValue: {
          check,
          logBytes: null,
          freeDiskBytes: null,
          queueLength: 0,
          get connections() {
            return connections;
          },
          get clockAheadMs() {
            return clockAheadMs;
          },
        },
      },
      {
        provide: RouteTable,
        useValue: {
          routes: [
            { name: 'listPets', handler: pets.listPets },
            { name: 'createPet', handler: pets.createPet },
          ],
        },
      },
    ],
    exports: [Clock, Database, RouteTable],
  })
  class StorageModule {}

  async function start(options: Partial<OperationsOptions> = {}): Promise<void> {
    const logger = new JsonLogger('info', { write: (line) => void lines.push(line) }, () => 0);
    const module = await Test.createTestingModule({
      imports: [
        { module: StorageModule, global: true },
        OperationsModule.forRoot({
          service: 'night-shop',
          version: '1.2.3',
          commit: 'abc',
          logger,
          metrics: { host: '127.0.0.1', port: null },
          limits: {
            maxConnections: 10,
            headersTimeoutMs: 10_000,
            requestTimeoutMs: 15_000,
            keepAliveTimeoutMs: 65_000,
          },
          streams: { maxStreams: 10, maxStreamsPerAccount: 2 },
          uploads: { fileBytes: 1_000, fieldBytes: 100 },
          ...options,
        }),
      ],
    }).compile();
    module.get(Readiness).watch({
      redis: { redisState: () => redis, redisNodes: () => redisNodes },
      jobs: {
        get state() {
          return jobs;
        },
      },
    });
    application = module.createNestApplication({ logger });
    application.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    await application.init();
  }

  function get(path: string): request.Test {
    return request(application.getHttpServer() as Parameters<typeof request>[0]).get(path);
  }

  beforeEach(() => {
    lines = [];
    redis = 'off';
    redisNodes = new Map();
    jobs = 'off';
    connections = null;
    clockAheadMs = 0;
    check.mockReset().mockResolvedValue();
  });

  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await application.close();
  });

  it('is alive even when the database fails, and serves no metrics unless it has a port for them', async () => {
    check.mockRejectedValue(new StorageUnavailable(new Error('gone')));
    await start();
    expect(application.get(MetricsServer).port).toBeNull();

    const response = await get('/health/live').expect(200, { status: 'ok' });
    expect(response.headers['cache-control']).toBe('no-store');
    expect(check).not.toHaveBeenCalled();
  });

  it.each<[string, () => unknown, object]>([
    ['without Redis', () => (redis = 'degraded'), { database: 'up', redis: 'degraded' }],
    ['when jobs wait', () => (jobs = 'late'), { database: 'up', jobs: 'late' }],
  ])('stays ready, degraded, %s', async (_, degrade, report) => {
    degrade();
    await start();

    const { body } = await get('/health/ready').expect(200);
    expect(body).toMatchObject({ status: 'degraded', ...report });
  });

  it('says how many nodes of a Redis Cluster respond, and the metrics which', async () => {
    redis = 'degraded';
    redisNodes = new Map([
      ['10.0.0.1:6379', true],
      ['10.0.0.2:6379', false],
    ]);
    await start({ metrics: { host: '127.0.0.1', port: 0 } });
    const { body } = await get('/health/ready').expect(200);
    expect(body).toMatchObject({ redis: 'degraded', redisNodes: '1 of 2' });
    const { text } = await request(`http://127.0.0.1:${application.get(MetricsServer).port}`).get('/metrics');
    expect(text).toContain('night_shop_redis_node_up{node="10.0.0.1:6379"} 1\n');
    expect(text).toContain('night_shop_redis_node_up{node="10.0.0.2:6379"} 0\n');
  });

  it('stays ready, degraded, when PostgreSQL refuses further connections', async () => {
    connections = { open: 5, wanted: 12, areRefused: true };
    await start({ metrics: { host: '127.0.0.1', port: 0 } });

    const { body } = await get('/health/ready').expect(200);
    expect(body).toMatchObject({ status: 'degraded', database: 'degraded' });
    const { text } = await request(`http://127.0.0.1:${application.get(MetricsServer).port}`).get('/metrics');
    expect(text).toContain('night_shop_database_connections{state="open"} 5\n');
    expect(text).toContain('night_shop_database_connections{state="wanted"} 12\n');
    expect(text).toContain('night_shop_dependency_up{dependency="database"} 1\n');
  });

  it('stays ready, degraded, with a clock more than a minute from that of the database, and warns once', async () => {
    let nowMs = 5_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    await start();
    const states: unknown[] = [];
    for (clockAheadMs of [60_000, 90_000_000, 90_000_001, -60_001, 0]) {
      const { body } = (await get('/health/ready').expect(200)) as { body: Record<string, unknown> };
      states.push([body.status, body.database]);
      nowMs += 1_001;
    }

    const [ok, degraded] = [
      ['ok', 'up'],
      ['degraded', 'degraded'],
    ];
    expect(states).toEqual([ok, degraded, degraded, degraded, ok]);
    const logged = lines.map((line) => (JSON.parse(line) as { message: string }).message);
    expect(logged.filter((message) => message.includes('clock'))).toEqual([
      "The clock of this host is 90000 s ahead of the database's. One of them is wrong.",
      "The clock of this host and the database's agree again.",
    ]);
  });

  it('is not ready when the database fails, and does not show its error', async () => {
    check.mockRejectedValue(new StorageUnavailable(new Error('connect ECONNREFUSED 10.0.0.7:5432')));
    await start();

    await get('/health/ready').expect(503, {
      code: 'service_unavailable',
      message: 'The database does not respond.',
    });
  });

  it('is not ready when the database takes too long', async () => {
    check.mockReturnValue(new Promise(() => undefined));
    await start();
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'Date', 'performance'] });

    let hasResponded = false;
    const responded = get('/health/ready')
      .expect(503)
      .then(() => (hasResponded = true));
    while (check.mock.calls.length === 0) await new Promise(setImmediate);
    jest.advanceTimersByTime(999);
    await new Promise(setImmediate);
    expect(hasResponded).toBe(false);
    jest.advanceTimersByTime(1);
    await responded;
  });

  it('checks the database once for concurrent requests', async () => {
    await start();
    await Promise.all([get('/health/ready'), get('/health/ready'), get('/health/ready')]);

    expect(check).toHaveBeenCalledTimes(1);
  });

  it('checks the database again after a second, and logs only changes', async () => {
    let nowMs = 5_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    check.mockRejectedValue(new StorageUnavailable(new Error('connection refused')));
    await start();
    const readiness = application.get(Readiness);

    await readiness.check();
    nowMs += 1_001;
    await readiness.check();
    check.mockResolvedValue();
    nowMs += 1_001;
    await readiness.check();

    expect(check).toHaveBeenCalledTimes(3);
    const logged = lines
      .map((line) => JSON.parse(line) as { message: string; error?: { cause: { message: string } } })
      .filter(({ message }) => message.startsWith('The database'));
    expect(logged.map(({ message }) => message)).toEqual([
      'The database does not respond.',
      'The database responds again.',
    ]);
    expect(logged[0]!.error!.cause.message).toBe('connection refused');
  });

  it('is alive but not ready from the beginning of the shutdown', async () => {
    await start();
    application.get(Readiness).startShutdown();

    await get('/health/ready').expect(503, {
      code: 'service_unavailable',
      message: 'The server is shutting down.',
    });
    await get('/health/live').expect(200);
  });

  it('serves the metrics on a separate port', async () => {
    redis = 'degraded';
    await start({ metrics: { host: '127.0.0.1', port: 0 } });
    application.get(Metrics).requestFinished('listPets', 200, 0.001);
    const metrics = request(`http://127.0.0.1:${application.get(MetricsServer).port}`);

    const response = await metrics.get('/metrics').expect(200);
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.text).toContain('night_shop_http_requests_total{operation="listPets",status="200"} 1\n');
    // An alert on an increase fires for the first failure only when the series was there before.
    expect(response.text).toContain('night_shop_http_requests_total{operation="createPet",status="503"} 0\n');
    expect(response.text).toContain('night_shop_deprecated_requests_total{operation="createPet"} 0\n');
    expect(response.text).toContain('night_shop_log_lines_dropped_total 0\n');
    expect(response.text).toContain('night_shop_dependency_up{dependency="database"} 1\n');
    expect(response.text).toContain('night_shop_dependency_up{dependency="redis"} 0\n');
    await metrics.get('/').expect(404);
    await metrics.post('/metrics').expect(405).expect('Allow', 'GET, HEAD');
    await get('/metrics').expect(404);
  });
});
