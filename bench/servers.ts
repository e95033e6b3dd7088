import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@animal-store/kernel/testing';
import type { ProfileNode } from './bytes/steps.js';
import type { PeerName } from './peers.js';

const READY_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 2;
/** Linux counts the time of processes in hundredths of a second. */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;

/** The flags of the last `node` of `npm run start:prod`, which every peer gets, too. */
const FLAGS = (
  JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
).scripts['start:prod']!.split('node ')
  .at(-1)!
  .split(' ')
  .slice(0, -1);

/** Lets a server report how long its event loop was blocked, and what it allocates. */
const PROBE = ['--expose-gc', '--import', './bench/probe.mjs'];

/** Whether servers have the first cores for themselves, and databases and load the last. */
export const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
const CORES = availableParallelism() - 1;
if (isPinned) spawnSync('taskset', ['-apc', String(CORES), String(process.pid)]);

const running = new Set<ChildProcess>();
process.on('exit', () => {
  running.forEach((child) => child.kill('SIGKILL'));
  for (const { pid } of started('redis-server')) process.kill(pid);
});

export interface ServerParts {
  readonly peer: PeerName | 'library' | 'bare' | 'without-jobs';
  /** Of the service and those that do the same. */
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  /** A key for the request of the first response. Without one any response is enough. */
  readonly key?: string;
  readonly logFile?: string;
  /** Replicas are on cores of their own, as far as there are any. */
  readonly replica?: number;
  /**
   * The service as it is before it is bundled, each function by itself: a profile then has the file of what allocates,
   * and counts nothing for the function around it.
   */
  readonly isInFiles?: boolean;
  readonly environment?: NodeJS.ProcessEnv;
}

/** What a server has needed since `startCounting`. */
export interface Counted {
  /** Allocated in the heap of V8. */
  readonly bytes: number;
  /** User and system time of all threads. */
  readonly cpuUs: number;
}

/** A server as its users start it: production mode, everything on. */
export class Server {
  private constructor(
    readonly port: number,
    readonly metricsPort: number,
    /** From the start of the process to its first response with an animal in it. */
    readonly firstResponseMs: number,
    private readonly child: ChildProcess,
  ) {}

  static async start(parts: ServerParts): Promise<Server> {
    const {
      peer,
      databaseUrl = '',
      redisUrl = '',
      key,
      logFile = '/dev/null',
      replica = 0,
      isInFiles = false,
      environment = {},
    } = parts;
    const [port, metricsPort] = [await freePort(), await freePort()];
    const env = {
      ...process.env,
      ...{ NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), METRICS_PORT: String(metricsPort) },
      // Else a busy machine would measure limits that are decided without Redis.
      ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_TIMEOUT_MS: '5000' },
      ...environment,
    };
    const pinned = isPinned ? ['taskset', '-c', String(replica % CORES)] : [];
    const service = isInFiles ? ['--no-turbo-inlining', 'dist/src/main.js'] : ['dist/main.js'];
    const program = peer === 'service' ? service : [`bench/dist/${peer}.js`];
    const [command, ...words] = [...pinned, process.execPath, ...FLAGS, ...PROBE, ...program] as [string];
    const log = openSync(logFile, 'w');
    const startedAtMs = performance.now();
    const child = spawn(command, words, { env, stdio: ['ignore', log, 'pipe', 'ipc'] });
    closeSync(log);
    running.add(child.once('exit', () => running.delete(child)));
    let complaint = '';
    child.stderr!.setEncoding('utf8').on('data', (text) => (complaint = (complaint + text).slice(-2_000)));
    const server = (ms: number) => new Server(port, metricsPort, ms, child);
    for (const deadlineMs = startedAtMs + READY_WITHIN_MS; performance.now() < deadlineMs;) {
      if (child.exitCode !== null) break;
      const status = await statusOf(port, key);
      if (status === 200 || (status && !key)) return server(performance.now() - startedAtMs);
      if (status !== null) complaint += `The first response was ${status}. `;
      await delay(ASK_EVERY_MS);
    }
    await server(0).stop();
    throw new Error(`${peer} did not start. ${/^\w*Error: .*/m.exec(complaint)?.[0] ?? complaint}`);
  }

  /** User and system time of all its threads since it started, and its resident memory. */
  get usage(): { cpuMs: number; residentMb: number } {
    return processOf(this.child.pid!)!;
  }

  /** Begins to measure the delay of the event loop. */
  async watchLoop(): Promise<void> {
    await this.query('watch');
  }

  /** The 99th percentile of how much later than planned the event loop continued, since `watchLoop`. */
  async loopDelayMs(): Promise<number> {
    return (await this.query('delay')) as number;
  }

  async startCounting(): Promise<void> {
    await this.query('start');
  }

  async stopCounting(): Promise<Counted> {
    return (await this.query('stop')) as Counted;
  }

  async startProfiling(): Promise<void> {
    await this.query('profile');
  }

  /** What each function has allocated since `startProfiling`. */
  async stopProfiling(): Promise<ProfileNode> {
    return (await this.query('profiled')) as ProfileNode;
  }

  private async query(what: string): Promise<unknown> {
    this.child.send(what);
    const [reply] = (await once(this.child, 'message')) as unknown[];
    return reply;
  }

  /** Stops the process, with its timers and its garbage, while another one is measured. */
  pause(isPaused = true): void {
    this.child.kill(isPaused ? 'SIGSTOP' : 'SIGCONT');
  }

  /** Its database is a copy: nothing has to be saved. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

/** User and system time of a database that this process has started, with all its processes. */
export function databaseCpuMs(name: 'postgres' | 'redis-server'): number {
  return started(name).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** The processes of this name that this process has started, and their children. */
function started(name: string) {
  const ids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const named = ids.flatMap((pid) => processOf(pid) ?? []).filter((other) => other.name === name);
  const parents = named.filter(({ parent }) => parent === process.pid).map(({ pid }) => pid);
  return named.filter(({ pid, parent }) => parents.includes(pid) || parents.includes(parent));
}

/** The time is also that of children that have ended. Null when the process itself has ended. */
function processOf(id: string | number) {
  try {
    // The second field is the program's name in parentheses and may contain anything.
    const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))!;
    const fields = rest!.split(' ').map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, count) => sum + count, 0);
    const residentMb = (fields[21]! * PAGE_BYTES) / 2 ** 20;
    return { pid: Number(id), name, parent: fields[1]!, cpuMs: ticks * TICK_MS, residentMb };
  } catch {
    return null;
  }
}

async function statusOf(port: number, key = ''): Promise<number | null> {
  const headers = { Authorization: `Bearer ${key}`, Connection: 'close' };
  const response = await fetch(`http://127.0.0.1:${port}/v1/pets?limit=1`, { headers }).catch(() => null);
  await response?.arrayBuffer();
  return response?.status ?? null;
}
