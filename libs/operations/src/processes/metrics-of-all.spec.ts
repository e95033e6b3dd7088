import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Metrics } from '../metrics/metrics.js';
import { metricsOfAll, withoutGauges } from './metrics-of-all.js';

/** What a worker measures, with these values of its gauges. */
function worker(gauges: Record<string, number>, requests: number) {
  const registry = new Registry();
  const registers = [registry];
  for (const [name, value] of Object.entries(gauges)) new Gauge({ name, help: '-', registers }).set(value);
  new Counter({ name: 'requests', help: '-', registers }).inc(requests);
  new Histogram({ name: 'seconds', help: '-', buckets: [1], registers }).observe(requests);
  return registry.getMetricsAsJSON();
}

async function samples(registry: Registry): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('metricsOfAll', () => {
  it('adds up what was counted', async () => {
    const all = await Promise.all([worker({}, 1), worker({}, 2)]);
    expect(await samples(metricsOfAll(all))).toEqual([
      'requests 3',
      'seconds_bucket{le="1"} 1',
      'seconds_bucket{le="+Inf"} 2',
      'seconds_sum 3',
      'seconds_count 2',
    ]);
  });

  it.each([
    ['animal_store_rate_limit_bans_active', 3],
    ['process_resident_memory_bytes', 3],
    ['animal_store_api_keys', 2],
    ['animal_store_cleaning_behind_seconds', 2],
    ['animal_store_database_queue_length', 2],
    ['nodejs_eventloop_lag_p99_seconds', 2],
    ['animal_store_dependency_up', 1],
    ['animal_store_ready', 1],
    ['process_start_time_seconds', 1],
  ])('makes %s of 1 and 2 to %d', async (name, value) => {
    const all = await Promise.all([worker({ [name]: 1 }, 0), worker({ [name]: 2 }, 0)]);
    expect(await samples(metricsOfAll(all))).toContain(`${name} ${value}`);
  });

  it('has every series of a process alone', async () => {
    const alone = new Metrics(true, { version: '1.2.3', commit: 'abc' });
    const names = (registry: Registry) => registry.getMetricsAsArray().map(({ name }) => name);
    const all = metricsOfAll([await alone.registry.getMetricsAsJSON()]);
    expect(names(all)).toEqual(names(alone.registry));
  });

  it('keeps the counts of a worker that has ended, without its gauges', async () => {
    const ended = withoutGauges(await worker({ memory: 5 }, 7));
    expect(await samples(metricsOfAll([ended, await worker({ memory: 1 }, 1)]))).toEqual(
      expect.arrayContaining(['memory 1', 'requests 8']),
    );
  });
});
