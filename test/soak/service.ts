import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../support/free-port.js';
import type { RawConnection } from '../support/raw-connection.js';
import { type Ended, runProgram, ServerProcess } from '../support/server-process.js';
import type { Target } from './hostile/actor.js';
import { LogLedger } from './log-ledger.js';
import { MetricSamples } from './metrics.js';
import type { ProbeQuestion, ProbeReport } from './probe.js';
import type { Store } from './stores.js';

/** More than any run asks for. */
export const KEY_PER_DAY = 1_000_000_000;
const PLENTY = String(KEY_PER_DAY);

/** Short, so that their end is seen within a run. */
const HEADERS_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 2_000;
const KEEP_ALIVE_TIMEOUT_MS = 2_000;
/** As documented: twice the request time-out, and a second until it is looked at. What is over is patience. */
const STANDSTILL_MS = 2 * REQUEST_TIMEOUT_MS + 1_000 + 15_000;

/** A flood takes as many file handles; all that the others pipeline at once is fewer. */
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

/** As in production, with the heap of a small container: what fills memory ends the process soon. */
const NODE_FLAGS = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=40',
  '--enable-source-maps',
  '--max-old-space-size=256',
  '--expose-gc',
];

const TAKE_LOG_EVERY_MS = 50;
const END_SHOWS_WITHIN_MS = 200;

/** What came of asking for a new key. */
export interface NewKey {
  readonly id: string;
  readonly key: string;
}

/** The service under soak, with everything that is known about it from inside and outside. */
export class Service implements Target {
  readonly standstillMs = STANDSTILL_MS;
  readonly origin = ORIGIN;
  readonly maxConnections = MAX_CONNECTIONS;
  private overloading = 0;
  private overloadsEnded = 0;
  private connections: Promise<Set<number>> | null = null;
  private questions: Promise<unknown> = Promise.resolve();
  private readonly takingLog: NodeJS.Timeout;

  private constructor(
    private readonly process: ServerProcess,
    private readonly store: Store,
    private readonly metricsPort: number,
    readonly ledger: LogLedger,
    /** For hostile clients. */
    readonly key: string,
  ) {
    this.takingLog = setInterval(() => this.takeLog(), TAKE_LOG_EVERY_MS);
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
    return new Service(process, store, metricsPort, new LogLedger([key]), key);
  }

  get port(): number {
    return this.process.port;
  }

  get hasEnded(): boolean {
    return this.process.hasEnded;
  }

  /** Whether the process has ended, after a moment in which its end becomes known. */
  async isGone(): Promise<boolean> {
    return Promise.race([this.end.then(() => true), delay(END_SHOWS_WITHIN_MS, false)]);
  }

  /** A key of the Enterprise plan, for honest customers. */
  createKey(name: string): Promise<NewKey> {
    return createKey(this.store, name, ['--plan', 'enterprise', '--per-minute', PLENTY, '--per-day', PLENTY]);
  }

  async isOpenAtServer(connection: RawConnection): Promise<boolean> {
    const { localPort } = connection.socket;
    // Asked once for all who ask at the same time.
    this.connections ??= this.openConnections().finally(() => (this.connections = null));
    return localPort !== undefined && (await this.connections).has(localPort);
  }

  async overload(work: () => Promise<void>): Promise<void> {
    this.overloading++;
    try {
      await work();
      // What was sent and closed has yet to be taken in.
      await this.probe(false);
    } finally {
      this.overloading--;
      this.overloadsEnded++;
    }
  }

  /** Tells whether the service was overloaded at any time from now on. */
  overloads(): { metOne(): boolean } {
    const { overloading, overloadsEnded } = this;
    return { metOne: () => overloading + this.overloading > 0 || this.overloadsEnded > overloadsEnded };
  }

  /** The clients' ports of the connections that the service has open. */
  async openConnections(): Promise<Set<number>> {
    const { connections } = await this.probe(false);
    return new Set(connections.filter(([local]) => local === this.port).map(([, remote]) => remote));
  }

  /** What the process holds, at once or after a forced collection. */
  probe(collect: boolean): Promise<ProbeReport> {
    const answer = this.questions.then(() => this.process.ask<ProbeQuestion, ProbeReport>({ collect }));
    this.questions = answer.catch(() => undefined);
    return answer;
  }

  async metrics(): Promise<MetricSamples> {
    const response = await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`);
    return new MetricSamples(await response.text());
  }

  keyLookUps(): Promise<number | null> {
    return this.store.keyLookUps();
  }

  /** Resolves when it has ended, by itself or after `stop`. */
  get end(): Promise<Ended> {
    return this.process.end;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended> {
    const ended = await this.process.stop(signal);
    clearInterval(this.takingLog);
    this.takeLog();
    return ended;
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
