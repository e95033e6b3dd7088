import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PostgresServer } from '@animal-store/database/testing';
import { freePort } from '@animal-store/kernel/testing';
import { RedisServer } from '@animal-store/rate-limiting/testing';
import pg from 'pg';
import { hasPrometheus, Prometheus } from '../../test/support/prometheus.js';
import { runProgram, ServerProcess } from '../../test/support/server-process.js';

/** All times of the rules, and the interval between two scrapes, are this many times as short. */
const TIMES_FASTER = 15;
/** Those of restarts, as a start takes seconds, and many on a busy machine. */
const RESTARTS_FASTER = 3;
const SCRAPES_EVERY_MS = 15_000 / TIMES_FASTER;
/** An alert fires and ends within it, and a replica starts. */
const LIMIT_MS = 120_000;
const ASKS_EVERY_MS = 50;

function faster(rule: string): string {
  const times = rule.includes('process_start_time_seconds') ? RESTARTS_FASTER : TIMES_FASTER;
  return rule.replaceAll(/\b(\d+)(s|m|h|d)\b/g, (_, count: string, unit: 's' | 'm' | 'h' | 'd') => {
    const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[unit];
    return `${(Number(count) * seconds * 1_000) / times}ms`;
  });
}

const rules = readFileSync(join(__dirname, 'alerts.yml'), 'utf8').split('\n').map(faster).join('\n');

(hasPrometheus ? describe : describe.skip)('The alerts of a Prometheus that watches two replicas', () => {
  let folder: string;
  let postgres: PostgresServer;
  let redis: RedisServer;
  let prometheus: Prometheus;
  let settings: NodeJS.ProcessEnv;
  let key: string;
  let metricsPorts: number[];
  const replicas: (ServerProcess | null)[] = [];
  let isOver = false;
  let load: Promise<void>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'alerts-'));
    [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
    settings = { NODE_ENV: 'production', DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const plan = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '1000000'];
    const words = ['create', '--name', 'watched', ...plan, '--json'];
    const created = await runProgram('keys.js', words, { folder, environment: settings });
    ({ key } = JSON.parse(created.stdout) as { key: string });
    metricsPorts = [await freePort(), await freePort()];
    await Promise.all([start(0), start(1)]);
    const targets = metricsPorts.map((port) => `127.0.0.1:${port}`);
    prometheus = await Prometheus.start({ targets, rules, everyMs: SCRAPES_EVERY_MS });
    load = send();
  }, 2 * LIMIT_MS);

  afterAll(async () => {
    isOver = true;
    await load;
    await prometheus?.stop();
    await Promise.all(replicas.map(async (replica) => replica?.stop()));
    await Promise.all([postgres?.stop(), redis?.stop()]);
    rmSync(folder, { recursive: true });
  }, LIMIT_MS);

  async function start(index: number): Promise<void> {
    const environment = { ...settings, METRICS_PORT: String(metricsPorts[index]) };
    replicas[index] = await ServerProcess.start({ folder, environment });
  }

  async function crash(index: number): Promise<void> {
    const replica = replicas[index];
    replicas[index] = null;
    await replica?.stop('SIGKILL');
  }

  /** Callers continue to send requests, whatever happens. */
  async function send(): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      await replicas[turn % 2]?.get('/v1/pets', key).then(
        (response) => response.arrayBuffer(),
        () => undefined,
      );
      await delay(ASKS_EVERY_MS);
    }
  }

  async function onDatabase(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  /** Makes a fault, and resolves with the pages that it sends. */
  async function pagesOf(alert: string, fault: () => Promise<unknown>): Promise<readonly string[]> {
    await fault();
    await prometheus.until((names) => names.includes(alert));
    // What else it may cause has as long to fire.
    await delay(5 * SCRAPES_EVERY_MS);
    return prometheus.firing('critical');
  }

  it('are none while all is well', async () => {
    // It has fired while it did not see its targets yet.
    await prometheus.until((names) => names.length === 0);
    await delay(10 * SCRAPES_EVERY_MS);
    expect(await prometheus.firing()).toEqual([]);
  });

  it.each<[string, string[], () => Promise<unknown>, () => Promise<unknown>]>([
    ['AnimalStoreReplicaDown', [], () => crash(1), () => start(1)],
    [
      'AnimalStoreDown',
      ['AnimalStoreDown'],
      () => Promise.all([crash(0), crash(1)]),
      () => Promise.all([start(0), start(1)]),
    ],
    ['AnimalStoreNotReady', ['AnimalStoreNotReady'], () => postgres.kill(), () => postgres.start()],
    ['AnimalStoreWithoutRedis', [], () => redis.stop(), () => redis.restart()],
    [
      'AnimalStoreFails',
      ['AnimalStoreFails'],
      () => onDatabase('ALTER TABLE pets RENAME TO lost'),
      () => onDatabase('ALTER TABLE lost RENAME TO pets'),
    ],
  ])(
    '%s fires and ends with its cause, which pages %j',
    async (alert, pages, fault, end) => {
      // The fault ends also when the alert does not fire, as the next test has its own.
      const seen = await pagesOf(alert, fault).finally(end);
      await prometheus.until((names) => !names.includes(alert));
      expect(seen).toEqual(pages);
    },
    3 * LIMIT_MS,
  );

  it(
    'AnimalStoreRestarts fires when a replica is restarted again and again, and pages',
    async () => {
      const restarting = async () => {
        while (!(await prometheus.firing()).includes('AnimalStoreRestarts')) {
          await crash(0);
          await start(0);
          await delay(2 * SCRAPES_EVERY_MS);
        }
      };
      expect(await pagesOf('AnimalStoreRestarts', restarting)).toEqual(['AnimalStoreRestarts']);
    },
    3 * LIMIT_MS,
  );
});
