import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Logger } from '@nestjs/common';
import { Metrics } from './metrics.js';

describe('Metrics', () => {
  let metrics: Metrics;

  beforeEach(() => (metrics = new Metrics(true)));

  /** The lines of the series whose names begin so, without `service_`. */
  async function samples(name: string): Promise<string[]> {
    const text = await metrics.registry.metrics();
    const lines = text.split('\n').map((line) => line.replace(/^service_/, ''));
    return lines.filter((line) => line.startsWith(name));
  }

  it.each<[string, (metrics: Metrics) => void, string, string[]]>([
    [
      'counts requests by operation and status',
      (to) => {
        for (const status of [200, 200, 401]) to.requestFinished('listPets', status, 0.001);
        to.requestFinished('createPet', 'aborted', 0.001);
      },
      'http_requests_total',
      [
        'http_requests_total{operation="listPets",status="200"} 2',
        'http_requests_total{operation="listPets",status="401"} 1',
        'http_requests_total{operation="createPet",status="aborted"} 1',
      ],
    ],
    [
      'has every failure of every operation at 0 from the start',
      (to) => {
        to.startOperations(['listPets'], []);
        to.requestFinished('listPets', 503, 0.001);
      },
      'http_requests_total',
      [
        'http_requests_total{operation="listPets",status="500"} 0',
        'http_requests_total{operation="listPets",status="503"} 1',
        'http_requests_total{operation="listPets",status="aborted"} 0',
      ],
    ],
    [
      'has no duration from the start',
      (to) => {
        to.startOperations(['listPets'], []);
        to.requestFinished('listPets', 503, 0.001);
      },
      'http_request_duration_seconds_count',
      ['http_request_duration_seconds_count{operation="listPets"} 1'],
    ],
    [
      'counts error responses by code, failures from 0 on',
      (to) => {
        to.startOperations([], []);
        for (let sent = 0; sent < 2; sent++) to.errorSent('pet_not_found');
      },
      'http_errors_total',
      [
        'http_errors_total{code="internal_error"} 0',
        'http_errors_total{code="service_unavailable"} 0',
        'http_errors_total{code="pet_not_found"} 2',
      ],
    ],
    [
      'has every decision and ban of every plan at 0 from the start',
      (to) => to.startPlans(['pro']),
      'rate_limit',
      [
        'rate_limit_decisions_total{outcome="allowed",plan="pro"} 0',
        'rate_limit_decisions_total{outcome="rate_limit_exceeded",plan="pro"} 0',
        'rate_limit_decisions_total{outcome="daily_quota_exceeded",plan="pro"} 0',
        'rate_limit_decisions_total{outcome="api_key_banned",plan="pro"} 0',
        'rate_limit_bans_total{plan="pro"} 0',
      ],
    ],
    [
      'counts limit decisions and bans by plan',
      (to) => {
        to.limitDecided('allowed', 'free');
        to.limitDecided('daily_quota_exceeded', 'free');
        to.banStarted('pro');
      },
      'rate_limit',
      [
        'rate_limit_decisions_total{outcome="allowed",plan="free"} 1',
        'rate_limit_decisions_total{outcome="daily_quota_exceeded",plan="free"} 1',
        'rate_limit_bans_total{plan="pro"} 1',
      ],
    ],
    [
      'counts the calls of deprecated operations from 0 on',
      (to) => {
        to.startOperations([], ['getPet', 'oldPet']);
        to.deprecatedOperationCalled('getPet');
      },
      'deprecated',
      ['deprecated_requests_total{operation="getPet"} 1', 'deprecated_requests_total{operation="oldPet"} 0'],
    ],
    [
      'counts dropped connections',
      (to) => {
        for (let dropped = 0; dropped < 2; dropped++) to.connectionDropped();
      },
      'connections',
      ['connections_dropped_total 2'],
    ],
    [
      'waits for a gauge that reads asynchronously',
      (to) => to.gauge('dependency_up', 'Up.', () => Promise.resolve([['database', 1]]), 'dependency'),
      'dependency_up',
      ['dependency_up{dependency="database"} 1'],
    ],
  ])('%s', async (_, use, name, expected) => {
    use(metrics);

    expect(await samples(name)).toEqual(expected);
  });

  it('counts the codes beyond the first two hundred together', async () => {
    for (let code = 0; code < 203; code++) metrics.errorSent(`code_${code}`);

    const lines = await samples('http_errors_total');
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe('http_errors_total{code="other"} 3');
  });

  describe('reads at each scrape', () => {
    it('how often each cache was used', async () => {
      const use = metrics.cache('first_pages');
      expect(await samples('cache_hits_total')).toEqual(['cache_hits_total{cache="first_pages"} 0']);
      Object.assign(use, { hits: 41, misses: 1 });
      expect(await samples('cache')).toEqual([
        'cache_hits_total{cache="first_pages"} 41',
        'cache_misses_total{cache="first_pages"} 1',
      ]);
    });

    it('a gauge with a label for each value', async () => {
      const keys = new Map([
        ['free', 3],
        ['pro', 1],
      ]);
      metrics.gauge('api_keys', 'Keys.', () => keys, 'plan');

      expect(await samples('api_keys')).toEqual(['api_keys{plan="free"} 3', 'api_keys{plan="pro"} 1']);
      keys.delete('pro');
      expect(await samples('api_keys')).toEqual(['api_keys{plan="free"} 3']);
    });

    it('a counter that others count', async () => {
      let lines = 3;
      metrics.counter('log_lines_dropped_total', 'Lines.', () => [[lines]]);
      await samples('log');
      lines = 5;

      expect(await samples('log')).toEqual(['log_lines_dropped_total 5']);
    });

    it('a gauge, which it leaves out when that has no value', async () => {
      let bytes: number | null = 4_096;
      metrics.gauge('database_log_bytes', 'Size.', () => (bytes === null ? [] : [[bytes]]));
      expect(await samples('database_log_bytes')).toEqual(['database_log_bytes 4096']);
      bytes = null;
      expect(await samples('database_log_bytes')).toEqual([]);
    });

    it.each<[string, () => Promise<never>]>([
      ['cannot be read', () => Promise.reject(new Error('The database is gone.'))],
      ['takes too long', () => new Promise(() => undefined)],
    ])('all but a gauge that %s, and says so once', async (_, fails) => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
      const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
      let read: () => Promise<[number][]> = () => Promise.resolve([[3]]);
      metrics.gauge('jobs', 'Jobs.', () => read());
      metrics.gauge('ready', 'Ready.', () => [[0]]);
      expect(await samples('jobs')).toEqual(['jobs 3']);

      read = fails;
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
      for (const [name, found] of [
        ['jobs', []],
        ['ready', ['ready 0']],
      ] as const) {
        const reading = samples(name);
        jest.advanceTimersByTime(2_000);
        expect(await reading).toEqual(found);
      }
      jest.useRealTimers();
      expect(warn.mock.calls).toEqual([['The metric service_jobs cannot be read.', expect.any(Error)]]);

      read = () => Promise.resolve([[4]]);
      expect(await samples('jobs')).toEqual(['jobs 4']);
      expect(log.mock.calls).toEqual([['The metric service_jobs can be read again.']]);
      jest.restoreAllMocks();
    });
  });

  it('has the part of the heap that is used, and the memory that there is', async () => {
    const value = async (name: string) => Number((await samples(name))[0]!.split(' ')[1]);

    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    expect(await value('heap_used_ratio')).toBeCloseTo(used / limit, 1);
    expect(await value('memory_limit_bytes')).toBeGreaterThan(process.memoryUsage.rss());
    expect(await value('memory_limit_bytes')).toBeLessThanOrEqual(totalmem());
  });

  it('records nothing while metrics are off', async () => {
    metrics = new Metrics(false);
    metrics.requestFinished('listPets', 200, 0.001);
    metrics.limitDecided('allowed', 'free');
    metrics.banStarted('free');
    metrics.deprecatedOperationCalled('getPet');
    metrics.connectionDropped();
    metrics.requestsUnserved(1);

    const text = await metrics.registry.metrics();
    expect(text.split('\n').filter((line) => /^(service|nodejs)_/.test(line))).toEqual([
      'service_connections_dropped_total 0',
      'service_requests_unserved_total 0',
    ]);
  });
});
