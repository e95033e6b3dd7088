import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const START_LIMIT_MS = 10_000;

/** Whether the system has a redis-server to start. */
export function hasRedisServer(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** A real Redis on a free port of the loopback interface, without persistence. */
export class RedisServer {
  private constructor(
    readonly port: number,
    private process: ChildProcess,
  ) {}

  static async start(): Promise<RedisServer> {
    const port = await freePort();
    return new RedisServer(port, await launch(port));
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

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }

  /** Starts again, empty, on the same port. */
  async restart(): Promise<void> {
    await this.stop();
    this.process = await launch(this.port);
  }
}

async function launch(port: number): Promise<ChildProcess> {
  const arguments_ = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', arguments_, { stdio: 'ignore' });
  const giveUpAtMs = Date.now() + START_LIMIT_MS;
  while (!(await respondsToPing(port))) {
    if (Date.now() > giveUpAtMs || server.exitCode !== null) {
      server.kill('SIGKILL');
      throw new Error(`redis-server did not start on port ${port}.`);
    }
    await delay(10);
  }
  return server;
}

function respondsToPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.on('data', (reply) => {
      resolve(reply.toString() === '+PONG\r\n');
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
