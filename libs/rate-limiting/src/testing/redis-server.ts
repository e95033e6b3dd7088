import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '@animal-store/kernel/testing';

const START_LIMIT_MS = 10_000;

/** Whether the system has a redis-server to start. */
export function hasRedisServer(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** Whether the system has what sets the clock of a single program. */
export function hasFaketime(): boolean {
  return spawnSync('faketime', ['--version']).status === 0;
}

/** What a Redis is started as, and with which arguments. */
const KINDS = {
  standalone: [],
  // Others count while one is down, and a replica takes over soon.
  cluster: '--cluster-enabled yes --cluster-require-full-coverage no --cluster-node-timeout 1000'.split(' '),
  sentinel: ['--sentinel'],
  /** Its clock can be set, which takes faketime. */
  'with a clock': [],
} as const;

/** A real Redis on a free port of the loopback interface, without persistence. */
export class RedisServer {
  private operator: Redis | null = null;

  private constructor(
    readonly port: number,
    private readonly kind: keyof typeof KINDS,
    /** Where it stores what it knows of a cluster. */
    private readonly folder: string,
    private process: ChildProcess,
  ) {}

  static async start(kind: keyof typeof KINDS = 'standalone'): Promise<RedisServer> {
    // A node of a cluster takes the port 10,000 above its own as well.
    const port = await freePort(kind === 'cluster' ? [10_000] : []);
    const folder = join(tmpdir(), `redis-${process.pid}-${port}`);
    return new RedisServer(port, kind, folder, await launch(port, kind, folder));
  }

  /** Its address, as a node of a cluster is named. */
  get name(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Sends a command on a connection of its own, and waits for a server that does not respond yet. */
  call<Reply = string>(command: string, ...args: (string | number)[]): Promise<Reply> {
    if (this.operator === null) {
      this.operator = new Redis(this.url);
      // A call says what is wrong.
      this.operator.on('error', () => undefined);
    }
    return this.operator.call(command, ...args) as Promise<Reply>;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Stops responding, but leaves its connections open. */
  pause(): void {
    this.process.kill('SIGSTOP');
  }

  resume(): void {
    this.process.kill('SIGCONT');
  }

  /** Sets the clock of the server, and no other, this much ahead of the time: a negative number is behind it. */
  setClock(aheadMs: number): void {
    if (this.kind !== 'with a clock') throw new Error('Start the server "with a clock" to set it.');
    writeClock(this.folder, aheadMs);
  }

  /** Stops it and removes its files. */
  async stop(): Promise<void> {
    this.operator?.disconnect();
    this.operator = null;
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Starts again, empty, on the same port. */
  async restart(): Promise<void> {
    await this.stop();
    this.process = await launch(this.port, this.kind, this.folder);
  }

  /** Loses all data, as after a fail-over to a replica that had none. */
  async flush(): Promise<void> {
    if (!(await responds(this.port, 'FLUSHALL', '+OK'))) throw new Error('redis-server was not flushed.');
  }

  /** Starts again after `kill`, with what it knows of its cluster. */
  async revive(): Promise<void> {
    this.process = await launch(this.port, this.kind, this.folder);
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
    if (this.kind === 'with a clock') removeShared(this.process.pid!);
  }
}

async function launch(port: number, kind: keyof typeof KINDS, folder: string): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true });
  // A Sentinel does not start without a file for its settings.
  writeFileSync(join(folder, 'redis.conf'), '');
  const address = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder];
  const arguments_ = [
    join(folder, 'redis.conf'),
    ...KINDS[kind],
    ...address,
    '--save',
    '',
    '--appendonly',
    'no',
    // A replica need not wait for others.
    ...(kind === 'sentinel' ? [] : ['--repl-diskless-sync-delay', '0']),
  ];
  if (kind === 'with a clock') writeClock(folder, 0);
  const env = kind === 'with a clock' ? { ...process.env, ...clockIn(folder) } : process.env;
  const server = spawn('redis-server', arguments_, { env, stdio: 'ignore' });
  const deadlineMs = Date.now() + START_LIMIT_MS;
  while (!(await responds(port, 'PING', '+PONG'))) {
    if (Date.now() > deadlineMs || server.exitCode !== null) {
      server.kill('SIGKILL');
      throw new Error(`redis-server did not start on port ${port}.`);
    }
    await delay(10);
  }
  return server;
}

/**
 * The loader replaces $LIB by the folder for the libraries of this machine. With libc named, memory comes from there:
 * jemalloc reads the clock before faketime is ready.
 */
function clockIn(folder: string): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1:libc.so.6',
    FAKETIME_TIMESTAMP_FILE: join(folder, 'clock'),
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** A killed process leaves what faketime shares with its children, and the next one of the same id would not start. */
function removeShared(pid: number): void {
  for (const name of ['faketime_shm_', 'sem.faketime_sem_'])
    rmSync(`/dev/shm/${name}${pid}`, { force: true });
}

/** The server reads it whenever it reads its clock, so it is replaced as a whole. */
function writeClock(folder: string, aheadMs: number): void {
  const file = join(folder, 'clock');
  writeFileSync(`${file}.new`, `${aheadMs < 0 ? '-' : '+'}${Math.abs(aheadMs) / 1_000}\n`);
  renameSync(`${file}.new`, file);
}

function responds(port: number, command: string, expected: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.on('data', (reply) => {
      resolve(reply.toString() === `${expected}\r\n`);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
  });
}
