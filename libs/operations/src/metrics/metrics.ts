import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Logger } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { inTime } from '@animal-store/kernel';

/** From a cached list to the request time-out. */
const LATENCY_BUCKETS_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15,
];

/** Requests that failed in the service, or whose response could not be sent. */
const FAILURES: readonly RequestStatus[] = [500, 503, 'aborted'];

/** The codes of their responses. */
const FAILURE_CODES = ['internal_error', 'service_unavailable'];

/** The number of error codes with their own series: more than there are, in case one is made from input. */
const MAX_ERROR_CODES = 200;

/** At least the time-out of the readiness check, which is one of these reads. Prometheus waits longer. */
const READ_LIMIT_MS = 2_000;

const LIMIT_OUTCOMES = ['allowed', 'rate_limit_exceeded', 'daily_quota_exceeded', 'api_key_banned'];

export type RequestStatus = number | 'aborted';

/** The hits and misses of a cache. Both numbers only grow. */
export interface CacheUse {
  hits: number;
  misses: number;
}

/** A sample of a metric: the values of its labels, in the order of their names, and its own value. */
export type Sample = readonly [...labels: string[], value: number];
type Samples = Iterable<Sample> | Promise<Iterable<Sample>>;

/** One series of a counter. */
interface Series {
  count: number;
}

/**
 * The series of a counter by the values of its labels: plain objects, which are read when the metrics are. prom-client
 * would look up its labels at each count.
 */
class AllSeries {
  private readonly byLabels = new Map<string, Map<string | number, Series>>();

  constructor(private readonly labelCount: number) {}

  get size(): number {
    return this.byLabels.size;
  }

  has(first: string): boolean {
    return this.byLabels.has(first);
  }

  /** The series of these labels, which begins at 0. */
  of(first: string, second: string | number = ''): Series {
    let bySecond = this.byLabels.get(first);
    if (bySecond === undefined) {
      bySecond = new Map<string | number, Series>();
      this.byLabels.set(first, bySecond);
    }
    let series = bySecond.get(second);
    if (series === undefined) {
      series = { count: 0 };
      bySecond.set(second, series);
    }
    return series;
  }

  *read(): Iterable<Sample> {
    for (const [first, bySecond] of this.byLabels) {
      for (const [second, { count }] of bySecond) {
        yield [...[first, String(second)].slice(0, this.labelCount), count];
      }
    }
  }
}

/** The metrics of one service, whose names begin with its own. */
class NamedMetrics {
  readonly registry = new Registry();
  protected readonly prefix: string;
  private readonly logger = new Logger('Metrics');
  /** The gauges that could not be read the last time. */
  private readonly unread = new Set<string>();

  constructor(service: string) {
    this.prefix = `${service.replaceAll('-', '_')}_`;
  }

  /** Adds a gauge that is read with the metrics. Without a sample, or when it cannot be read, it is left out. */
  gauge(shortName: string, help: string, read: () => Samples, ...labelNames: string[]): void {
    const name = `${this.prefix}${shortName}`;
    const readOrNone = () => this.readOrNone(name, read);
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const samples = await readOrNone();
        this.reset();
        // A gauge without labels would be 0.
        if (labelNames.length === 0) this.remove();
        for (const sample of samples) this.labels(...labelsOf(sample)).set(sample.at(-1) as number);
      },
    });
  }

  /** A failed dependency must not hide the other metrics, which show it. */
  private async readOrNone(name: string, read: () => Samples): Promise<Iterable<Sample>> {
    try {
      const samples = await inTime(READ_LIMIT_MS, Promise.resolve(read()), `Reading ${name}`);
      if (this.unread.delete(name)) this.logger.log(`The metric ${name} can be read again.`);
      return samples;
    } catch (error) {
      if (!this.unread.has(name)) this.logger.warn(`The metric ${name} cannot be read.`, error);
      this.unread.add(name);
      return [];
    }
  }

  /** Adds a counter that is read whenever the metrics are. */
  counter(name: string, help: string, read: () => Iterable<Sample>, ...labelNames: string[]): void {
    new Counter({
      name: `${this.prefix}${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const sample of read()) this.labels(...labelsOf(sample)).inc(sample.at(-1) as number);
      },
    });
  }

  protected series(name: string, help: string, ...labelNames: string[]): AllSeries {
    const series = new AllSeries(labelNames.length);
    this.counter(name, help, () => series.read(), ...labelNames);
    return series;
  }
}

/** The metrics for Prometheus. While metrics are off, recording does nothing. */
export class Metrics extends NamedMetrics {
  private readonly caches = new Map<string, Readonly<CacheUse>>();
  private readonly requests = this.series('http_requests_total', 'Requests.', 'operation', 'status');
  private readonly errors = this.series('http_errors_total', 'Error responses.', 'code');
  private readonly latency = new Histogram({
    name: `${this.prefix}http_request_duration_seconds`,
    help: 'Time from the head of a request to the end of its response, without the wait for its body.',
    labelNames: ['operation'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  private readonly latencies = new Map<string, Histogram.Internal<'operation'>>();
  private readonly decisions = this.series(
    'rate_limit_decisions_total',
    'Rate limit decisions.',
    'outcome',
    'plan',
  );
  private readonly bans = this.series('rate_limit_bans_total', 'Bans that began.', 'plan');
  private readonly deprecated = this.series(
    'deprecated_requests_total',
    'Calls of deprecated operations.',
    'operation',
  );
  private readonly dropped = this.series(
    'connections_dropped_total',
    'Connections closed because there were too many of them, or too many requests on one.',
  ).of('');
  private readonly unserved = this.series(
    'requests_unserved_total',
    'Pipelined requests that were never handled because their connection closed.',
  ).of('');

  /** @param release the name of the service, its version, and the commit that was built */
  constructor(
    private readonly enabled: boolean,
    release = { service: 'service', version: '0.0.0', commit: 'unknown' },
  ) {
    super(release.service);
    if (!enabled) return;
    collectDefaultMetrics({ register: this.registry });
    const { version, commit } = release;
    const buildInfo = 'The version and the commit of the service, as labels of the number 1.';
    this.gauge('build_info', buildInfo, () => [[version, commit, 1]], 'version', 'commit');
    // Without a limit of its container, Node returns nothing, or a number beyond any memory.
    const memoryLimit = Math.min(totalmem(), process.constrainedMemory() || Infinity);
    this.gauge('memory_limit_bytes', 'The memory of the container, or of the machine.', () => [
      [memoryLimit],
    ]);
    this.gauge('heap_used_ratio', 'The used part of the largest heap that V8 allows.', () => {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return [[used / limit]];
    });
    const uses = (read: (use: Readonly<CacheUse>) => number) => () =>
      [...this.caches].map(([name, use]): Sample => [name, read(use)]);
    const hits = uses((use) => use.hits);
    this.counter('cache_hits_total', 'Reads that a cache had.', hits, 'cache');
    const misses = uses((use) => use.misses);
    this.counter('cache_misses_total', 'Reads that a cache did not have.', misses, 'cache');
  }

  /** The object in which a cache counts its hits and misses; `use` is that of a cache that has one. */
  cache(name: string, use: CacheUse = { hits: 0, misses: 0 }): CacheUse {
    this.caches.set(name, use);
    return use;
  }

  /**
   * Starts the series of failures and latencies, and of calls of deprecated operations, at 0. Prometheus sees no
   * increase in a series that begins with its first event, so an alert would miss that event.
   */
  startOperations(operations: Iterable<string>, deprecated: Iterable<string>): void {
    for (const code of FAILURE_CODES) this.errors.of(code);
    for (const operation of operations) {
      this.latency.zero({ operation });
      for (const status of FAILURES) this.requests.of(operation, status);
    }
    for (const operation of deprecated) this.deprecated.of(operation);
  }

  /** Starts the series of every decision about callers on `plans` at 0, for the same reason. */
  startPlans(plans: Iterable<string>): void {
    if (!this.enabled) return;
    for (const plan of plans) {
      this.bans.of(plan);
      for (const outcome of LIMIT_OUTCOMES) this.decisions.of(outcome, plan);
    }
  }

  /** @param seconds null for a stream */
  requestFinished(operation: string, status: RequestStatus, seconds: number | null): void {
    if (!this.enabled) return;
    this.requests.of(operation, status).count++;
    if (seconds === null) return;
    let latency = this.latencies.get(operation);
    if (latency === undefined) {
      latency = this.latency.labels(operation);
      this.latencies.set(operation, latency);
    }
    latency.observe(seconds);
  }

  errorSent(code: string): void {
    if (!this.enabled) return;
    const isCounted = this.errors.size < MAX_ERROR_CODES || this.errors.has(code);
    this.errors.of(isCounted ? code : 'other').count++;
  }

  /** @param outcome `allowed`, or the error code of the refusal */
  readonly limitDecided = (outcome: string, plan: string): void => {
    if (this.enabled) this.decisions.of(outcome, plan).count++;
  };

  banStarted(plan: string): void {
    if (this.enabled) this.bans.of(plan).count++;
  }

  deprecatedOperationCalled(operation: string): void {
    if (this.enabled) this.deprecated.of(operation).count++;
  }

  requestsUnserved(count: number): void {
    if (this.enabled) this.unserved.count += count;
  }

  connectionDropped(): void {
    if (this.enabled) this.dropped.count++;
  }
}

function labelsOf(sample: Sample): string[] {
  return sample.slice(0, -1) as string[];
}
