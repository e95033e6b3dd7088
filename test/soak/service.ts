import { readdir, readlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { RawConnection } from '@animal-store/web/testing';
import { freePort } from '../support/free-port.js';
import { type Ended, runProgram, ServerProcess } from '../support/server-process.js';
import type { Target } from './hostile/actor.js';
import { LogLedger } from './log-ledger.js';
import { MetricSamples } from './metrics.js';
import type { ProbeQuestion, ProbeReport } from './probe.js';
import type { Store } from './stores.js';

/** More requests than any run sends. */
export const KEY_PER_DAY = 1_000_000_000;
const PLENTY = String(KEY_PER_DAY);

/** These time-outs are short, so that they elapse within a run. */
const HEADERS_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 2_000;
const KEEP_ALIVE_TIMEOUT_MS = 2_000;
/** As documented, twice the request time-out and one second until the next check. The rest is a margin. */
const STANDSTILL_MS = 2 * REQUEST_TIMEOUT_MS + 1_000 + 15_000;

/** A flood uses this many file handles. The other actors together have fewer connections. */
const MAX_CONNECTIONS = 3_000;
const ORIGIN = 'https://shop.example';

const SETTINGS: NodeJS.ProcessEnv = {
  MAX_CONNECTIONS: String(MAX_CONNECTIONS),
  CORS_ORIGINS: ORIGIN,
  NODE_ENV: 'production',
  HEADERS_TIMEOUT_MS: String(HEADERS_TIMEOUT_MS),
  REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
  KEEP_ALIVE_TIMEOUT_MS: String(KEEP_ALIVE_TIMEOUT_MS),
  BUSINESS_PER_MINUTE: PLENTY,
  BUSINESS_PER_DAY: PLENTY,
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

/** A new key, as the keys command returns it. */
export interface NewKey {
  readonly id: string;
  readonly key: string;
}

/** The service under soak: its process, log, metrics and probe. */
export class Service implements Target {
  readonly standstillMs = STANDSTILL_MS;
  readonly origin = ORIGIN;
  readonly maxConnections = MAX_CONNECTIONS;
  /** The connections that the service had dropped when its count was last read. */
  private dropped = 0;
  private excused = 0;
  private nextCount: Promise<number> | null = null;
  private connections: Promise<Set<number>> | null = null;
  private questions: Promise<unknown> = Promise.resolve();
  private readonly takingLog: NodeJS.Timeout;
  private readonly countingDrops: NodeJS.Timeout;

  private constructor(
    private readonly process: ServerProcess,
    private readonly store: Store,
    private readonly metricsPort: number,
    readonly ledger: LogLedger,
    /** The key for hostile clients. */
    readonly key: string,
    readonly largestAsset: string,
  ) {
    this.takingLog = setInterval(() => this.takeLog(), TAKE_LOG_EVERY_MS);
    this.countingDrops = setInterval(() => void this.countDrops(), COUNT_DROPS_EVERY_MS);
  }

  static async start(store: Store): Promise<Service> {
    const { key } = await createKey(store, 'Hostile', ['--plan', 'business']);
    const metricsPort = await freePort();
    const process = await ServerProcess.start({
      folder: store.folder,
      environment: { ...store.settings, ...SETTINGS, METRICS_PORT: String(metricsPort) },
      nodeFlags: NODE_FLAGS,
      preload: pathToFileURL(resolve('dist/test/soak/probe.js')).href,
    });
    const page = await (await process.get('/docs')).text();
    const script = /\/docs\/assets\/swagger-ui-bundle[^"]*\.js/.exec(page)![0];
    return new Service(process, store, metricsPort, new LogLedger([key]), key, script);
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

  /** Creates a key of the Enterprise plan for an honest customer. */
  createKey(name: string): Promise<NewKey> {
    return createKey(this.store, name, ['--plan', 'enterprise', '--per-minute', PLENTY, '--per-day', PLENTY]);
  }

  async isOpenAtServer(connection: RawConnection): Promise<boolean> {
    const { localPort } = connection.socket;
    // Concurrent calls share one question to the probe.
    this.connections ??= this.openConnections().finally(() => (this.connections = null));
    return localPort !== undefined && (await this.connections).has(localPort);
  }

  /**
   * Tells whether `count` connections may have been closed since this call because there were too many, or too many
   * requests on them. The service counts each that it drops. Each excuses one connection, and only once.
   */
  drops(): { excuse(count: number): Promise<boolean> } {
    const { dropped } = this;
    return {
      excuse: async (count) => {
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
    const report = this.questions.then(() => this.process.ask<ProbeQuestion, ProbeReport>({ collect }));
    this.questions = report.catch(() => undefined);
    return report;
  }

  async metrics(): Promise<MetricSamples> {
    const response = await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`);
    return new MetricSamples(await response.text());
  }

  keyLookUps(): Promise<number | null> {
    return this.store.keyLookUps();
  }

  /** Resolves when the process has ended, by itself or after `stop`. */
  get end(): Promise<Ended> {
    return this.process.end;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended> {
    const ended = await this.process.stop(signal);
    clearInterval(this.takingLog);
    clearInterval(this.countingDrops);
    this.takeLog();
    return ended;
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

  private takeLog(): void {
    this.ledger.take(this.process.takeStdout());
  }
}

async function createKey(store: Store, name: string, plan: readonly string[]): Promise<NewKey> {
  const parts = { folder: store.folder, environment: { ...store.settings, NODE_ENV: 'production' } };
  const { code, stdout, stderr } = await runProgram(
    'keys.js',
    ['create', '--json', '--name', name, ...plan],
    parts,
  );
  if (code !== 0) throw new Error(`No key could be made: ${stderr}`);
  return JSON.parse(stdout) as NewKey;
}
