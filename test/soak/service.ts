import { readdir, readlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { RawConnection } from '@animal-store/web/testing';
import { freePort } from '@animal-store/kernel/testing';
import type { Ended, ServerProcess } from '../support/server-process.js';
import { Cluster, type DatabaseKind } from '../cluster/cluster.js';
import { KEY_PER_DAY } from '../support/insert-key.js';
import type { Target } from './hostile/actor.js';
import { LogLedger } from './log-ledger.js';
import { MetricSamples } from './metrics.js';
import type { ProbeQuery, ProbeReport } from './probe.js';

const PLENTY = String(KEY_PER_DAY);

/** These time-outs are short, so that they elapse within a run. */
const HEADERS_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 3_000;
const KEEP_ALIVE_TIMEOUT_MS = 2_000;
/** As documented, twice the request time-out and one second until the next check. The rest is a margin. */
const STANDSTILL_MS = 2 * REQUEST_TIMEOUT_MS + 1_000 + 15_000;

/** A flood uses this many file handles. The other actors together have fewer connections. */
const MAX_CONNECTIONS = 3_000;
const ORIGIN = 'https://shop.example';

const SETTINGS: NodeJS.ProcessEnv = {
  MAX_CONNECTIONS: String(MAX_CONNECTIONS),
  CORS_ORIGINS: ORIGIN,
  HEADERS_TIMEOUT_MS: String(HEADERS_TIMEOUT_MS),
  REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
  KEEP_ALIVE_TIMEOUT_MS: String(KEEP_ALIVE_TIMEOUT_MS),
  BUSINESS_PER_MINUTE: PLENTY,
  BUSINESS_PER_DAY: PLENTY,
  // The time-out is long, because each request counts exactly once only while Redis counts it.
  REDIS_TIMEOUT_MS: '2000',
  // With a line for health checks too.
  LOG_LEVEL: 'debug',
};

/** The flags of production, with the heap of a small container, so a memory leak soon ends the process. */
const NODE_FLAGS = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=40',
  '--enable-source-maps',
  '--max-old-space-size=256',
  '--expose-gc',
];

const TAKE_LOG_EVERY_MS = 50;
const END_SHOWS_WITHIN_MS = 200;
const COUNT_DROPS_EVERY_MS = 100;
/** When the clients have not run for this long, the service may have closed their connections for want of progress. */
const STALL_MS = HEADERS_TIMEOUT_MS / 2;

/** The service under soak: its process, log, metrics and probe. */
export class Service implements Target {
  readonly stalledMs = STANDSTILL_MS;
  readonly origin = ORIGIN;
  readonly maxConnections = MAX_CONNECTIONS;
  /** The connections that the service had dropped when its count was last read. */
  private dropped = 0;
  private excused = 0;
  private aliveAtMs = performance.now();
  private stalledAtMs = -Infinity;
  private nextCount: Promise<number> | null = null;
  private connections: Promise<Set<number>> | null = null;
  private queries: Promise<unknown> = Promise.resolve();
  private readonly drainingLog: NodeJS.Timeout;
  private readonly countingDrops: NodeJS.Timeout;

  private constructor(
    private readonly cluster: Cluster,
    private readonly database: DatabaseKind,
    private readonly metricsPort: number,
    readonly ledger: LogLedger,
    /** The key for hostile clients. */
    readonly key: string,
    readonly largestAsset: string,
  ) {
    this.drainingLog = setInterval(() => {
      this.drainLog();
      this.noticeStall();
    }, TAKE_LOG_EVERY_MS);
    this.countingDrops = setInterval(() => void this.countDrops(), COUNT_DROPS_EVERY_MS);
  }

  static async start(database: DatabaseKind): Promise<Service> {
    const metricsPort = await freePort();
    const cluster = await Cluster.start({
      size: 1,
      database,
      environment: { ...SETTINGS, METRICS_PORT: String(metricsPort) },
      nodeFlags: NODE_FLAGS,
      preload: pathToFileURL(resolve('dist/test/soak/probe.js')).href,
    });
    const [key] = (await cluster.newKeys(1, null)) as [string];
    const page = await (await cluster.replica(0).get('/docs')).text();
    const script = /\/docs\/assets\/swagger-ui-bundle[^"]*\.js/.exec(page)![0];
    return new Service(cluster, database, metricsPort, new LogLedger([key]), key, script);
  }

  private get process(): ServerProcess {
    return this.cluster.replica(0);
  }

  get port(): number {
    return this.process.port;
  }

  get hasEnded(): boolean {
    return this.process.hasEnded;
  }

  /** Whether the process has ended. Waits a moment, because its end is noticed late. */
  async isGone(): Promise<boolean> {
    return Promise.race([this.end.then(() => true), delay(END_SHOWS_WITHIN_MS, false)]);
  }

  /** New keys of the Enterprise plan for honest customers. */
  newKeys(count: number): Promise<string[]> {
    return this.cluster.newKeys(count);
  }

  async isOpenAtServer(connection: RawConnection): Promise<boolean> {
    const { localPort } = connection.socket;
    // Concurrent calls share one question to the probe.
    this.connections ??= this.openConnections().finally(() => (this.connections = null));
    return localPort !== undefined && (await this.connections).has(localPort);
  }

  /**
   * Tells whether `count` connections may have been closed since this call because there were too many, or too many
   * requests on them, or because their clients themselves were not run. The service counts each that it drops. Each
   * excuses one connection, and only once.
   */
  drops(): { excuse(count: number): Promise<boolean> } {
    const { dropped } = this;
    const sinceMs = performance.now();
    return {
      excuse: async (count) => {
        this.noticeStall();
        if (this.stalledAtMs > sinceMs) return true;
        const droppedNow = await this.countDrops();
        if (droppedNow - dropped < count || droppedNow - this.excused < count) return false;
        this.excused += count;
        return true;
      },
    };
  }

  get dropsFact(): string {
    return `${this.excused} connections cut short by ${this.dropped} drops`;
  }

  /** The client ports of the connections that are open at the service. */
  async openConnections(): Promise<Set<number>> {
    const { connections } = await this.probe(false);
    return new Set(connections.filter(([local]) => local === this.port).map(([, remote]) => remote));
  }

  async openFiles(): Promise<number> {
    const folder = `/proc/${this.process.pid}/fd`;
    const names = await readdir(folder);
    // A file may be closed meanwhile.
    const targets = await Promise.all(
      names.map((name) => readlink(`${folder}/${name}`).catch(() => 'socket:')),
    );
    return targets.filter((target) => !target.startsWith('socket:')).length;
  }

  /** The memory and connections of the process, immediately or after a forced garbage collection. */
  probe(collect: boolean): Promise<ProbeReport> {
    const report = this.queries.then(() => this.process.query<ProbeQuery, ProbeReport>({ collect }));
    this.queries = report.catch(() => undefined);
    return report;
  }

  async metrics(): Promise<MetricSamples> {
    const response = await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`);
    return new MetricSamples(await response.text());
  }

  /** The number of reads of the table of keys so far, or null when the database does not count them. */
  async keyLookUps(): Promise<number | null> {
    if (this.database === 'sqlite') return null;
    const { rows } = await this.cluster.withDatabase((client) =>
      client.query<{ reads: string }>(
        "SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) AS reads FROM pg_stat_user_tables WHERE relname = 'api_keys'",
      ),
    );
    return Number(rows[0]!.reads);
  }

  /** Resolves when the process has ended, by itself or after `stop`. */
  get end(): Promise<Ended> {
    return this.process.end;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended> {
    const ended = await this.process.stop(signal);
    clearInterval(this.drainingLog);
    clearInterval(this.countingDrops);
    this.drainLog();
    return ended;
  }

  /** Ends everything that is left. */
  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    await this.cluster.stop();
  }

  /** Calls at about the same time share one reading, which begins after all of them. */
  private countDrops(): Promise<number> {
    this.nextCount ??= delay(COUNT_DROPS_EVERY_MS).then(async () => {
      this.nextCount = null;
      // A service that has ended has no metrics. Without them nothing is excused.
      const metrics = await this.metrics().catch(() => null);
      const count = metrics?.sum('animal_store_connections_dropped_total') ?? 0;
      return (this.dropped = Math.max(this.dropped, count));
    });
    return this.nextCount;
  }

  private noticeStall(): void {
    const nowMs = performance.now();
    if (nowMs - this.aliveAtMs > STALL_MS) this.stalledAtMs = nowMs;
    this.aliveAtMs = nowMs;
  }

  private drainLog(): void {
    this.ledger.add(this.process.drainStdout());
  }
}
