import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import type { Cleanup } from './cleanup.js';
import { freePort, pinned, type ProcessUsage, usageOf } from './machine.js';
import type { Program } from './programs.js';

const READY_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 2;
const COMPLAINT_CHARACTERS = 2_000;
/** The service itself needs at most ten seconds for running requests and ten for its hooks. */
const ENDS_WITHIN_MS = 25_000;

export interface ServerParts {
  readonly program: Program;
  readonly databaseUrl: string;
  readonly redisUrl?: string;
  readonly core: number | undefined;
  /** A key to ask for the first answer with. */
  readonly key: string;
  readonly cleanup: Cleanup;
  /** Where its log goes; nowhere unless told. */
  readonly logFile?: string;
}

/** One running server, started as its users start it: production mode, everything on. */
export class ServerProcess {
  private constructor(
    readonly port: number,
    readonly metricsPort: number,
    /** From the start of the process to its first answer with an animal in it. */
    readonly firstAnswerMs: number,
    private readonly child: ChildProcess,
    private readonly forget: () => Promise<void>,
  ) {}

  static async start(parts: ServerParts): Promise<ServerProcess> {
    const { program, databaseUrl, redisUrl, core, key, cleanup, logFile } = parts;
    const port = await freePort();
    const metricsPort = await freePort();
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl ?? '',
    };
    const [command, ...args] = pinned(core, [process.execPath, ...program.flags, program.entry]) as [
      string,
      ...string[],
    ];
    const log = openSync(logFile ?? '/dev/null', 'w');
    const startedAtMs = performance.now();
    const child = spawn(command, args, { env, stdio: ['ignore', log, 'pipe'] });
    closeSync(log);
    let complaint = '';
    child
      .stderr!.setEncoding('utf8')
      .on('data', (text: string) => (complaint = (complaint + text).slice(-COMPLAINT_CHARACTERS)));
    const forget = cleanup.add(() => end(child));
    try {
      await firstAnswer(child, port, key);
    } catch (error) {
      await forget();
      const logged = logFile ? readFileSync(logFile, 'utf8').slice(-COMPLAINT_CHARACTERS) : '';
      throw new Error(`${program.name}: ${(error as Error).message}\n${complaint}${logged}`);
    }
    return new ServerProcess(port, metricsPort, performance.now() - startedAtMs, child, forget);
  }

  usage(): ProcessUsage {
    return usageOf(this.child.pid!);
  }

  /** Takes it off its core, with its timers and its garbage, while another one is measured. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  stop(): Promise<void> {
    return this.forget();
  }
}

async function firstAnswer(child: ChildProcess, port: number, key: string): Promise<void> {
  const giveUpAtMs = performance.now() + READY_WITHIN_MS;
  while (performance.now() < giveUpAtMs) {
    if (child.exitCode !== null) throw new Error(`It exited with ${child.exitCode}.`);
    const status = await statusOf(port, key);
    if (status === 200) return;
    if (status !== null) throw new Error(`It answered ${status} to the first request.`);
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  throw new Error(`It did not answer within ${READY_WITHIN_MS / 1_000} s.`);
}

function statusOf(port: number, key: string): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${key}` };
    get({ port, host: '127.0.0.1', path: '/v1/pets?limit=1', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    }).once('error', () => resolve(null));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  // One that is paused hears of it only now.
  child.kill('SIGCONT');
  const killing = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS);
  await ended;
  clearTimeout(killing);
}
