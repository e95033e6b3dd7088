import type { Cluster, Worker as ClusterWorker } from 'node:cluster';
import { once } from 'node:events';
import { constants } from 'node:os';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import type { ReadinessReport } from '../operations.options.js';
import type { JsonLogger, LogDestination } from '../logging/json-logger.js';
import { metricsEndpoint } from '../metrics/metrics.endpoint.js';
import { Metrics } from '../metrics/metrics.js';
import { LOG_LIMIT_MS, type ShutdownParts } from '../shutdown.js';
import { type Measured, metricsOfAll, withoutGauges } from './metrics-of-all.js';
import { converse } from './questions.js';

export interface PrimaryParts {
  readonly cluster: Pick<Cluster, 'fork' | 'setupPrimary'>;
  readonly process: ShutdownParts['process'];
  /** How many workers there should be. */
  readonly wanted: number;
  /** The port null serves no metrics. */
  readonly metrics: { readonly host: string; readonly port: number | null };
  readonly logger: JsonLogger;
  /** Gets the log lines of the workers too: a line of one must not end up inside that of another. */
  readonly log: LogDestination;
  readonly flushLog: (limitMs: number) => Promise<void>;
  /** When a worker takes longer to shut down, it is ended by force. */
  readonly stopsWithinMs: number;
}

interface Running {
  readonly worker: ClusterWorker;
  readonly ask: (question: string) => Promise<unknown>;
  /** Gets connections. */
  listens: boolean;
  /** When they were last asked for. */
  metrics: Measured;
}

/** How long a worker may take. Its check of the database gives up after a second. */
const ANSWERS_WITHIN_MS = 1_500;

/** A line of the log that has no end after so many characters is cut there. */
const LONGEST_LINE = 1_048_576;

/** How long to wait before a worker is started again: twice as long for each one that has just ended. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 30_000;
const JUST_MS = 60_000;

/** The process that starts the workers, hands them connections, and speaks for all of them. It serves no request. */
export class Primary {
  private readonly running = new Set<Running>();
  /** Of this process itself, which serves no request. */
  private readonly own = new Metrics(false);
  private restarts = 0;
  private readonly startedAt = new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the service was started, or last a worker of it, in seconds since the Unix epoch.',
    registers: [],
  });
  private readonly server = metricsEndpoint(() => this.metrics());
  /** The counts of workers that have ended. */
  private past: Promise<Measured> = Promise.resolve([]);
  private justEnded = 0;
  private hasStarted = false;
  private stopping = false;
  private exitCode = 0;

  constructor(private readonly parts: PrimaryParts) {
    const { registry } = this.own;
    collectDefaultMetrics({ register: registry });
    registry.removeSingleMetric('process_start_time_seconds');
    registry.registerMetric(this.startedAt);
    this.startedAt.setToCurrentTime();
    const help = 'Workers that ended and were started again.';
    this.own.counter('worker_restarts_total', help, () => [[this.restarts]]);
    this.own.watchProcess(parts.logger, async () => (await this.readiness()).ready);
  }

  /** Resolves when all workers serve, and rejects when the metrics cannot be served. A worker that cannot start ends it. */
  async start(): Promise<void> {
    const { cluster, metrics, process, wanted } = this.parts;
    let signals = 0;
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (++signals === 1) this.stop(signal);
        else if (signal !== 'SIGHUP') this.endAtOnce(128 + constants.signals[signal]);
      });
    cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    if (metrics.port !== null) {
      this.server.listen(metrics.port, metrics.host);
      await once(this.server, 'listening');
    }
    // The first one alone migrates the database, and says alone why it cannot start.
    await this.fork();
    if (this.stopping) return;
    await Promise.all(Array.from({ length: wanted - 1 }, () => this.fork()));
    this.hasStarted = true;
  }

  /** Resolves when the worker serves. */
  private fork(): Promise<void> {
    const { cluster, log, logger } = this.parts;
    const worker = cluster.fork();
    const ask = converse(
      worker,
      { readiness: () => this.readiness(), echo: async () => true },
      ANSWERS_WITHIN_MS,
    );
    const one: Running = { worker, ask, listens: false, metrics: [] };
    let line = '';
    worker.process.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const lines = (line + text).split('\n');
      line = lines.pop()!;
      if (line.length > LONGEST_LINE) {
        lines.push(line);
        line = '';
      }
      for (const whole of lines) log.write(`${whole}\n`);
    });
    // One that could not be started is closed like one that ended.
    worker.on('error', (error) => logger.error(error, 'Workers'));
    this.running.add(one);
    worker.process.once('close', (code, signal) => this.ended(one, code, signal));
    return new Promise((resolve) => {
      worker.once('listening', () => {
        one.listens = true;
        resolve();
      });
    });
  }

  private ended(one: Running, code: number | null, signal: NodeJS.Signals | null): void {
    this.running.delete(one);
    this.past = this.past.then((past) => metricsOfAll([past, withoutGauges(one.metrics)]).getMetricsAsJSON());
    // Before it serves, a signal ends it like any process.
    const wasStopped = code === 0 || (signal !== 'SIGKILL' && !one.listens);
    if (this.stopping) {
      if (!wasStopped) this.exitCode ||= 1;
      this.exitWhenAllEnded();
    } else if (one.listens || this.hasStarted) {
      this.startAgain(one.worker.process.pid, signal ?? `code ${code}`);
    } else {
      this.exitCode = code || 1;
      if (code === null)
        this.parts.logger.fatal(`A worker was ended by ${signal} before it served.`, 'Workers');
      this.stop('SIGTERM');
    }
  }

  private startAgain(pid: number | undefined, reason: string): void {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** this.justEnded, LONGEST_WAIT_MS);
    this.justEnded++;
    setTimeout(() => this.justEnded--, JUST_MS).unref();
    this.parts.logger.error(`Worker ${pid} ended (${reason}). Another starts in ${waitMs} ms.`, 'Workers');
    setTimeout(() => {
      if (this.stopping) return;
      this.restarts++;
      this.startedAt.setToCurrentTime();
      try {
        void this.fork();
      } catch (error) {
        this.startAgain(undefined, (error as Error).message);
      }
    }, waitMs);
  }

  private stop(signal: NodeJS.Signals): void {
    if (this.stopping) return;
    this.stopping = true;
    for (const { worker } of this.running) worker.process.kill(signal);
    setTimeout(() => this.endAll(), this.parts.stopsWithinMs).unref();
    this.exitWhenAllEnded();
  }

  private exitWhenAllEnded(): void {
    if (this.running.size > 0) return;
    void this.parts.flushLog(LOG_LIMIT_MS).then(() => this.parts.process.exit(this.exitCode));
  }

  private endAll(): void {
    for (const { worker } of this.running) worker.process.kill('SIGKILL');
  }

  private endAtOnce(exitCode: number): void {
    this.endAll();
    this.parts.process.exit(exitCode);
  }

  /**
   * Ready when every worker is that gets connections, as nobody knows which one the next request gets. One that is started
   * again, or shuts down alone, gets none: the others serve for it.
   */
  private async readiness(): Promise<ReadinessReport> {
    const listening = [...this.running].filter(({ listens }) => listens);
    const reports = await Promise.all(
      listening.map(async ({ ask }) => (await ask('readiness')) as ReadinessReport | null),
    );
    const serving = reports.filter((report) => !report?.shuttingDown);
    const some = (state: string): boolean =>
      serving.some((report) => report?.database === state || report?.redis === state);
    return {
      ready: !this.stopping && serving.length > 0 && serving.every((report) => report?.ready),
      shuttingDown: this.stopping,
      database: some('down') ? 'down' : 'up',
      redis: some('degraded') ? 'degraded' : 'up',
      workers: { ready: serving.filter((report) => report?.ready).length, wanted: this.parts.wanted },
    };
  }

  private async metrics(): Promise<string> {
    // At one moment: a worker that ends meanwhile is not counted twice.
    const { past, own } = this;
    const ofWorkers = [...this.running].map(async (one) => {
      const metrics = (await one.ask('metrics')) as Measured | null;
      if (metrics !== null) one.metrics = metrics;
      return metrics ?? withoutGauges(one.metrics);
    });
    const all = await Promise.all([own.registry.getMetricsAsJSON(), past, ...ofWorkers]);
    return metricsOfAll(all).metrics();
  }
}
