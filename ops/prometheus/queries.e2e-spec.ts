import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@animal-store/kernel/testing';
import { RedisServer } from '@animal-store/rate-limiting/testing';
import { hasPrometheus, Prometheus } from '../../test/support/prometheus.js';
import { runProgram, ServerProcess, within } from '../../test/support/server-process.js';
import {
  alertExpressions,
  alerts,
  dashboardExpressions,
  withoutVariables,
} from '../../test/support/watching.js';

const LIMIT_MS = 120_000;

/** A series of the service with its selector: `animal_store_jobs{state="failed"}`. */
const SELECTOR = /\b(?:animal_store|nodejs|process)_\w+(?:\{[^}]*\})?/g;

(hasPrometheus ? describe : describe.skip)('A Prometheus that scrapes a server', () => {
  let folder: string;
  let redis: RedisServer;
  let server: ServerProcess;
  let prometheus: Prometheus;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'queries-'));
    redis = await RedisServer.start();
    const environment = { REDIS_URL: redis.url, METRICS_PORT: String(await freePort()) };
    const created = await runProgram('keys.js', ['create', '--name', 'watched', '--plan', 'free', '--json'], {
      folder,
      environment,
    });
    const { key } = JSON.parse(created.stdout) as { key: string };
    server = await ServerProcess.start({ folder, environment });
    // A list twice, an operation that is deprecated, and an error.
    for (const path of ['/v1/pets', '/v1/pets', '/v1/pets/1', '/v1/pets?limit=0'])
      await server.get(path, key);
    const targets = [`127.0.0.1:${environment.METRICS_PORT}`];
    prometheus = await Prometheus.start({ targets, rules: alerts, everyMs: 200 });
    // A rate needs two scrapes, and the calls of deprecated operations are stored after a while.
    await within(LIMIT_MS, () => prometheus.count('rate(animal_store_http_requests_total[5m])'));
    await within(LIMIT_MS, () => prometheus.count('animal_store_deprecated_calls'));
  }, LIMIT_MS);

  afterAll(async () => {
    await prometheus?.stop();
    await server?.stop();
    await redis?.stop();
    rmSync(folder, { recursive: true });
  });

  it.each(dashboardExpressions.map(withoutVariables))(
    'has something for the dashboard’s %s',
    async (query) => {
      expect(await prometheus.count(query)).toBeGreaterThan(0);
    },
  );

  it.each(alertExpressions)('has every series of the alert’s %s, and evaluates it', async (query) => {
    await prometheus.count(query);
    // `up` is Prometheus' own.
    for (const selector of query.match(SELECTOR) ?? ['up']) {
      expect([selector, await prometheus.count(selector)]).not.toEqual([selector, 0]);
    }
  });
});
