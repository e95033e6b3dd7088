import { Metrics } from './metrics.js';

describe('Metrics', () => {
  async function samples(metrics: Metrics, name: string): Promise<string[]> {
    const text = await metrics.registry.metrics();
    return text.split('\n').filter((line) => line.startsWith(name));
  }

  it('counts requests by operation and status', async () => {
    const metrics = new Metrics(true);
    metrics.requestFinished('listPets', 200, 0.001);
    metrics.requestFinished('listPets', 200, 0.001);
    metrics.requestFinished('listPets', 401, 0.001);
    metrics.requestFinished('createPet', 'aborted', 0.001);

    expect(await samples(metrics, 'animal_store_http_requests_total')).toEqual([
      'animal_store_http_requests_total{operation="listPets",status="200"} 2',
      'animal_store_http_requests_total{operation="listPets",status="401"} 1',
      'animal_store_http_requests_total{operation="createPet",status="aborted"} 1',
    ]);
  });

  it('has every failure of every operation at 0 from the start', async () => {
    const metrics = new Metrics(true);
    metrics.startOperations(['listPets'], []);
    metrics.requestFinished('listPets', 503, 0.001);

    expect(await samples(metrics, 'animal_store_http_requests_total')).toEqual([
      'animal_store_http_requests_total{operation="listPets",status="500"} 0',
      'animal_store_http_requests_total{operation="listPets",status="503"} 1',
      'animal_store_http_requests_total{operation="listPets",status="aborted"} 0',
    ]);
    expect(await samples(metrics, 'animal_store_http_request_duration_seconds_count')).toEqual([
      'animal_store_http_request_duration_seconds_count{operation="listPets"} 1',
    ]);
  });

  it('counts error responses by code, failures from 0 on', async () => {
    const metrics = new Metrics(true);
    metrics.startOperations([], []);
    metrics.errorSent('pet_not_found');
    metrics.errorSent('pet_not_found');

    expect(await samples(metrics, 'animal_store_http_errors_total')).toEqual([
      'animal_store_http_errors_total{code="internal_error"} 0',
      'animal_store_http_errors_total{code="service_unavailable"} 0',
      'animal_store_http_errors_total{code="pet_not_found"} 2',
    ]);
  });

  it('counts the codes beyond the first two hundred together', async () => {
    const metrics = new Metrics(true);
    for (let code = 0; code < 203; code++) metrics.errorSent(`code_${code}`);

    const lines = await samples(metrics, 'animal_store_http_errors_total');
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe('animal_store_http_errors_total{code="other"} 3');
  });

  it('has every decision and ban of every plan at 0 from the start', async () => {
    const metrics = new Metrics(true);
    metrics.startPlans(['pro']);

    expect(await samples(metrics, 'animal_store_rate_limit')).toEqual([
      'animal_store_rate_limit_decisions_total{outcome="allowed",plan="pro"} 0',
      'animal_store_rate_limit_decisions_total{outcome="rate_limit_exceeded",plan="pro"} 0',
      'animal_store_rate_limit_decisions_total{outcome="daily_quota_exceeded",plan="pro"} 0',
      'animal_store_rate_limit_decisions_total{outcome="api_key_banned",plan="pro"} 0',
      'animal_store_rate_limit_bans_total{plan="pro"} 0',
    ]);
  });

  it('spreads durations over buckets by operation', async () => {
    const metrics = new Metrics(true);
    metrics.requestFinished('listPets', 200, 0.0002);
    metrics.requestFinished('listPets', 200, 0.3);

    const lines = await samples(metrics, 'animal_store_http_request_duration_seconds');
    expect(lines).toContain(
      'animal_store_http_request_duration_seconds_bucket{le="0.0001",operation="listPets"} 0',
    );
    expect(lines).toContain(
      'animal_store_http_request_duration_seconds_bucket{le="0.00025",operation="listPets"} 1',
    );
    expect(lines).toContain(
      'animal_store_http_request_duration_seconds_bucket{le="0.5",operation="listPets"} 2',
    );
    expect(lines).toContain('animal_store_http_request_duration_seconds_count{operation="listPets"} 2');
  });

  it('counts limit decisions and bans by plan', async () => {
    const metrics = new Metrics(true);
    metrics.limitDecided('allowed', 'free');
    metrics.limitDecided('daily_quota_exceeded', 'free');
    metrics.banBegan('pro');

    expect(await samples(metrics, 'animal_store_rate_limit')).toEqual([
      'animal_store_rate_limit_decisions_total{outcome="allowed",plan="free"} 1',
      'animal_store_rate_limit_decisions_total{outcome="daily_quota_exceeded",plan="free"} 1',
      'animal_store_rate_limit_bans_total{plan="pro"} 1',
    ]);
  });

  it('counts the keys that still call a deprecated operation', async () => {
    const metrics = new Metrics(true);
    metrics.deprecatedOperationCalled('getPet', 'key_zebra');
    metrics.deprecatedOperationCalled('getPet', null);

    expect(await samples(metrics, 'animal_store_deprecated_calls_total')).toEqual([
      'animal_store_deprecated_calls_total{operation="getPet",key_id="key_zebra"} 1',
      'animal_store_deprecated_calls_total{operation="getPet",key_id="none"} 1',
    ]);
  });

  it('counts the calls of deprecated operations together too, from 0 on, as their callers are not known', async () => {
    const metrics = new Metrics(true);
    metrics.startOperations([], ['getPet', 'oldPet']);
    metrics.deprecatedOperationCalled('getPet', 'key_zebra');
    metrics.deprecatedOperationCalled('getPet', null);

    expect(await samples(metrics, 'animal_store_deprecated_requests_total')).toEqual([
      'animal_store_deprecated_requests_total{operation="getPet"} 2',
      'animal_store_deprecated_requests_total{operation="oldPet"} 0',
    ]);
  });

  it('tells the version', async () => {
    expect(
      await samples(new Metrics(true, { version: '1.1.0', commit: 'c0ffee' }), 'animal_store_build_info'),
    ).toEqual(['animal_store_build_info{version="1.1.0",commit="c0ffee"} 1']);
  });

  it('tells how often each cache was used, whenever it is asked', async () => {
    const metrics = new Metrics(true);
    const use = { hits: 0, misses: 0 };
    metrics.caches.set('first_pages', use);
    expect(await samples(metrics, 'animal_store_cache_hits_total')).toEqual([
      'animal_store_cache_hits_total{cache="first_pages"} 0',
    ]);
    use.hits = 41;
    use.misses = 1;
    expect(await samples(metrics, 'animal_store_cache')).toEqual([
      'animal_store_cache_hits_total{cache="first_pages"} 41',
      'animal_store_cache_misses_total{cache="first_pages"} 1',
    ]);
  });

  it('reads a gauge with a label for each value, whenever it is asked', async () => {
    const metrics = new Metrics(true);
    const keys = new Map([
      ['free', 3],
      ['pro', 1],
    ]);
    metrics.gauge('api_keys', 'Keys.', () => keys, 'plan');

    expect(await samples(metrics, 'animal_store_api_keys')).toEqual([
      'animal_store_api_keys{plan="free"} 3',
      'animal_store_api_keys{plan="pro"} 1',
    ]);
    keys.delete('pro');
    expect(await samples(metrics, 'animal_store_api_keys')).toEqual(['animal_store_api_keys{plan="free"} 3']);
  });

  it('waits for a gauge that has to ask', async () => {
    const metrics = new Metrics(true);
    metrics.gauge('dependency_up', 'Up.', () => Promise.resolve([['database', 1]]), 'dependency');

    expect(await samples(metrics, 'animal_store_dependency_up')).toEqual([
      'animal_store_dependency_up{dependency="database"} 1',
    ]);
  });

  it('reads a counter that others count', async () => {
    const metrics = new Metrics(true);
    let lines = 3;
    metrics.counter('log_lines_dropped_total', 'Lines.', () => [[lines]]);
    await samples(metrics, 'animal_store_log');
    lines = 5;

    expect(await samples(metrics, 'animal_store_log')).toEqual(['animal_store_log_lines_dropped_total 5']);
  });

  it('counts the keys beyond the first thousand together', async () => {
    const metrics = new Metrics(true);
    for (let key = 0; key < 1_002; key++) metrics.deprecatedOperationCalled('getPet', `key_${key}`);
    metrics.deprecatedOperationCalled('getPet', 'key_0');

    const lines = await samples(metrics, 'animal_store_deprecated_calls_total');
    expect(lines).toHaveLength(1_001);
    expect(lines).toContain('animal_store_deprecated_calls_total{operation="getPet",key_id="key_0"} 2');
    expect(lines).toContain('animal_store_deprecated_calls_total{operation="getPet",key_id="other"} 2');
  });

  it('counts dropped connections', async () => {
    const metrics = new Metrics(true);
    metrics.connectionDropped();
    metrics.connectionDropped();

    expect(await samples(metrics, 'animal_store_connections')).toEqual([
      'animal_store_connections_dropped_total 2',
    ]);
  });

  it('leaves out a gauge that has no value', async () => {
    const metrics = new Metrics(true);
    let bytes: number | null = 4_096;
    metrics.gauge('database_log_bytes', 'Size.', () => (bytes === null ? [] : [[bytes]]));
    expect(await samples(metrics, 'animal_store_database_log_bytes')).toEqual([
      'animal_store_database_log_bytes 4096',
    ]);
    bytes = null;
    expect(await samples(metrics, 'animal_store_database_log_bytes')).toEqual([]);
  });

  it('reports the lag of the event loop', async () => {
    expect(await samples(new Metrics(true), 'nodejs_eventloop_lag_p99_seconds')).toHaveLength(1);
  });

  it('records nothing while metrics are off', async () => {
    const metrics = new Metrics(false);
    metrics.requestFinished('listPets', 200, 0.001);
    metrics.limitDecided('allowed', 'free');
    metrics.banBegan('free');
    metrics.deprecatedOperationCalled('getPet', 'key_zebra');
    metrics.connectionDropped();
    metrics.requestsUnserved(1);

    expect(await samples(metrics, 'animal_store_')).toEqual([
      'animal_store_connections_dropped_total 0',
      'animal_store_requests_unserved_total 0',
    ]);
    expect(await samples(metrics, 'nodejs_')).toEqual([]);
  });
});
