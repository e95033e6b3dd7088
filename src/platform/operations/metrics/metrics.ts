import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { VERSION } from '../../config/version.js';
import type { CacheUse } from '../../database/database.js';

/** A list takes about 50 µs, an insert with its fsync a few milliseconds; the request time-out is 15 s. */
const LATENCY_BUCKETS_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15,
];

/** The number of keys with their own series of deprecated calls. Calls of further keys are counted together. */
const MAX_DEPRECATED_CALLERS = 1_000;

/** Requests that failed in the service, or whose response could not be sent. */
const FAILURES: readonly RequestStatus[] = [500, 503, 'aborted'];

/** The codes of their responses (libs/http-errors). */
const FAILURE_CODES = ['internal_error', 'service_unavailable'];

/** The number of error codes with their own series: more than there are, in case one is made from input. */
const MAX_ERROR_CODES = 200;

const LIMIT_OUTCOMES = ['allowed', 'rate_limit_exceeded', 'daily_quota_exceeded', 'api_key_banned'];

export type RequestStatus = number | 'aborted';

interface OperationMetrics {
  readonly latency: Histogram.Internal<'operation'>;
  readonly requests: Map<RequestStatus, Tally>;
}

/** Counts in memory until the metrics are read, as `inc` computes its labels each time. */
class Tally {
  private pending = 0;

  constructor(private readonly counter: Counter.Internal) {}

  count(): void {
    this.pending++;
  }

  report(): void {
    this.counter.inc(this.pending);
    this.pending = 0;
  }
}

/** The metrics for Prometheus. While metrics are off, recording does nothing. */
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = this.counter('http_requests_total', 'Requests by operation and status.', [
    'operation',
    'status',
  ]);
  private readonly errors = this.counter('http_errors_total', 'Error responses by code.', ['code']);
  private readonly latency = new Histogram({
    name: 'animal_store_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['operation'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  private readonly decisions = this.counter(
    'rate_limit_decisions_total',
    'Rate limit decisions by outcome and plan.',
    ['outcome', 'plan'],
  );
  private readonly bans = this.counter('rate_limit_bans_total', 'Bans that began, by plan.', ['plan']);
  private readonly deprecated = this.counter('deprecated_requests_total', 'Calls of deprecated operations.', [
    'operation',
  ]);
  private readonly deprecatedCalls = this.counter(
    'deprecated_calls_total',
    'Calls of deprecated operations by key id.',
    ['operation', 'key_id'],
  );

  private readonly drops = this.counter(
    'connections_dropped_total',
    'Connections closed because there were too many of them, or too many requests on one.',
    [],
  );

  private readonly removals = this.counter('expired_rows_removed_total', 'Expired rows removed, by table.', [
    'table',
  ]);

  private readonly unserved = this.counter(
    'requests_unserved_total',
    'Pipelined requests that were never handled because their connection closed.',
    [],
  );

  private readonly byCode = new Map<string, Tally>();
  private readonly caches = new Map<string, CacheUse>();
  private readonly byDeprecated = new Map<string, Tally>();
  private readonly byOperation = new Map<string, OperationMetrics>();
  private readonly byDecision = new Map<string, Map<string, Tally>>();
  private readonly tallies: Tally[] = [];
  private readonly deprecatedCallers = new Set<string>();

  constructor(private readonly enabled: boolean) {
    if (!enabled) return;
    collectDefaultMetrics({ register: this.registry });
    this.gauge('build_info', 'The version of the service, as a label of the number 1.', 'version', () => [
      [VERSION, 1],
    ]);
    this.cacheCounter('cache_hits_total', 'Reads that a cache had, by cache.', ({ hits }) => hits);
    this.cacheCounter(
      'cache_misses_total',
      'Reads that a cache did not have, by cache.',
      ({ misses }) => misses,
    );
  }

  /**
   * Starts the series of failures and latencies at 0. Prometheus sees no increase in a series that begins with its
   * first event, so an alert would miss that event.
   */
  startOperations(operations: Iterable<string>): void {
    if (!this.enabled) return;
    for (const code of FAILURE_CODES) this.errorsOf(code);
    for (const operation of operations) {
      this.latency.zero({ operation });
      for (const status of FAILURES) this.requestsOf(this.ofOperation(operation), operation, status);
    }
  }

  /** Starts the series of every decision about callers on `plans` at 0, for the same reason. */
  startPlans(plans: Iterable<string>): void {
    if (!this.enabled) return;
    for (const plan of plans) {
      this.bans.inc({ plan }, 0);
      for (const outcome of LIMIT_OUTCOMES) this.decisionsOf(outcome, plan);
    }
  }

  /** Starts the series of calls of each deprecated operation at 0, for the same reason. */
  startDeprecated(operations: Iterable<string>): void {
    if (!this.enabled) return;
    for (const operation of operations) this.callsOf(operation);
  }

  requestFinished(operation: string, status: RequestStatus, seconds: number): void {
    if (!this.enabled) return;
    const metrics = this.byOperation.get(operation) ?? this.ofOperation(operation);
    const requests = metrics.requests.get(status) ?? this.requestsOf(metrics, operation, status);
    metrics.latency.observe(seconds);
    requests.count();
  }

  errorSent(code: string): void {
    if (this.enabled) this.errorsOf(code).count();
  }

  /** @param outcome `allowed`, or the error code of the refusal */
  limitDecided(outcome: string, plan: string): void {
    if (this.enabled) this.decisionsOf(outcome, plan).count();
  }

  private ofOperation(operation: string): OperationMetrics {
    let metrics = this.byOperation.get(operation);
    if (metrics === undefined) {
      metrics = { latency: this.latency.labels(operation), requests: new Map() };
      this.byOperation.set(operation, metrics);
    }
    return metrics;
  }

  private requestsOf({ requests }: OperationMetrics, operation: string, status: RequestStatus): Tally {
    const tally = this.tally(this.requests.labels(operation, String(status)));
    requests.set(status, tally);
    return tally;
  }

  private errorsOf(code: string): Tally {
    const known = this.byCode.get(code);
    if (known !== undefined) return known;
    if (this.byCode.size >= MAX_ERROR_CODES && code !== 'other') return this.errorsOf('other');
    const errors = this.tally(this.errors.labels(code));
    this.byCode.set(code, errors);
    return errors;
  }

  private decisionsOf(outcome: string, plan: string): Tally {
    let byPlan = this.byDecision.get(outcome);
    if (byPlan === undefined) {
      byPlan = new Map();
      this.byDecision.set(outcome, byPlan);
    }
    let decisions = byPlan.get(plan);
    if (decisions === undefined) {
      decisions = this.tally(this.decisions.labels(outcome, plan));
      byPlan.set(plan, decisions);
    }
    return decisions;
  }

  banBegan(plan: string): void {
    if (this.enabled) this.bans.inc({ plan });
  }

  deprecatedOperationCalled(operation: string, keyId: string | null): void {
    if (!this.enabled) return;
    this.callsOf(operation).count();
    this.deprecatedCalls.inc({ operation, key_id: keyId === null ? 'none' : this.deprecatedCaller(keyId) });
  }

  requestsUnserved(count: number): void {
    if (this.enabled) this.unserved.inc(count);
  }

  connectionDropped(): void {
    if (this.enabled) this.drops.inc();
  }

  expiredRowsRemoved(table: string, count: number): void {
    if (this.enabled) this.removals.inc({ table }, count);
  }

  /** Adds counters of the use of a cache, which are read whenever the metrics are. */
  watchCache(name: string, use: CacheUse): void {
    this.caches.set(name, use);
  }

  /** Adds a gauge of the active keys of each plan. It has no sample before they are counted. */
  watchKeys(byPlan: () => Iterable<[plan: string, count: number]>): void {
    this.gauge('api_keys', 'Active API keys in the database, by plan.', 'plan', byPlan);
  }

  /** Adds a gauge of the bans in force that began on this server. */
  watchBans(byPlan: () => Iterable<[plan: string, count: number]>): void {
    this.gauge('rate_limit_bans_active', 'Bans in force that began on this server, by plan.', 'plan', byPlan);
  }

  /** Adds a gauge of the work that waits for the database. */
  watchQueue(length: () => number): void {
    new Gauge({
      name: 'animal_store_database_queue_length',
      help: 'Writes that wait for the embedded database, or requests that wait for a connection to PostgreSQL.',
      registers: [this.registry],
      collect() {
        this.set(length());
      },
    });
  }

  /** Adds a gauge of how long each cleaner has had rows left to remove, and starts what they remove at 0. */
  watchCleaning(cleaners: readonly { readonly table: string; readonly behindMs: number }[]): void {
    for (const { table } of cleaners) this.expiredRowsRemoved(table, 0);
    this.gauge('cleaning_behind_seconds', 'Time since a table last had no expired rows.', 'table', () =>
      cleaners.map(({ table, behindMs }) => [table, behindMs / 1_000]),
    );
  }

  /** Adds a gauge of the size of the embedded database's write-ahead log. It has no sample while `bytes` is null. */
  watchDatabaseLog(bytes: () => number | null): void {
    new Gauge({
      name: 'animal_store_database_log_bytes',
      help: 'Size of the write-ahead log of the embedded database.',
      registers: [this.registry],
      collect() {
        const length = bytes();
        if (length === null) this.remove();
        else this.set(length);
      },
    });
  }

  /** Adds a counter of dropped log lines, which is read whenever the metrics are. */
  watchLogDrops(lines: () => number): void {
    new Counter({
      name: 'animal_store_log_lines_dropped_total',
      help: 'Log lines dropped because standard output was not read fast enough.',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(lines());
      },
    });
  }

  /** Adds a gauge of dependencies, which are checked whenever the metrics are read. */
  watchDependencies(isUp: () => Promise<Record<string, boolean>>): void {
    new Gauge({
      name: 'animal_store_dependency_up',
      help: 'Whether the database responds, and Redis when it is used.',
      labelNames: ['dependency'],
      registers: [this.registry],
      async collect() {
        for (const [dependency, up] of Object.entries(await isUp())) this.set({ dependency }, up ? 1 : 0);
      },
    });
  }

  private callsOf(operation: string): Tally {
    let calls = this.byDeprecated.get(operation);
    if (calls === undefined) {
      calls = this.tally(this.deprecated.labels(operation));
      this.byDeprecated.set(operation, calls);
    }
    return calls;
  }

  private deprecatedCaller(keyId: string): string {
    if (this.deprecatedCallers.has(keyId)) return keyId;
    if (this.deprecatedCallers.size === MAX_DEPRECATED_CALLERS) return 'other';
    this.deprecatedCallers.add(keyId);
    return keyId;
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({
      name: `animal_store_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      // Of all counters, as a tally does not say whose it is: telling another one early is no harm.
      collect: () => this.tallies.forEach((tally) => tally.report()),
    });
  }

  /** A gauge with one label, whose values are read whenever the metrics are. */
  private gauge<Label extends string>(
    name: string,
    help: string,
    label: Label,
    values: () => Iterable<readonly [value: string, count: number]>,
  ): void {
    new Gauge({
      name: `animal_store_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        for (const [value, count] of values()) this.labels(value).set(count);
      },
    });
  }

  private cacheCounter(name: string, help: string, count: (use: CacheUse) => number): void {
    const { caches } = this;
    new Counter({
      name: `animal_store_${name}`,
      help,
      labelNames: ['cache'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [cache, use] of caches) this.inc({ cache }, count(use));
      },
    });
  }

  private tally(counter: Counter.Internal): Tally {
    const tally = new Tally(counter);
    this.tallies.push(tally);
    return tally;
  }
}
