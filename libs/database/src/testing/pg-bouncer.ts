import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, NOBODY, postgresResponds } from './postgres-server.js';

/** Another one than that of the system can be tried. */
const { PGBOUNCER: PROGRAM = '/usr/sbin/pgbouncer' } = process.env;
/** Those of the tests, who log in without passwords. */
const USERS = ['postgres', 'store'];

/** Whether the system has a PgBouncer to start. */
export function hasPgBouncer(): boolean {
  return spawnSync(PROGRAM, ['--version']).status === 0;
}

/** A real PgBouncer in the mode `transaction`, on a free port of the loopback interface. */
export class PgBouncer {
  private process!: ChildProcess;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
  ) {}

  /**
   * @param url of the PostgreSQL behind it
   * @param poolSize how many sessions of PostgreSQL its clients share, for each database and role
   */
  static async start(url: string, poolSize = 20): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    const bouncer = new PgBouncer(await freePort(), folder);
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: bouncer.port,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: join(folder, 'users'),
      pool_mode: 'transaction',
      default_pool_size: poolSize,
      max_client_conn: 2_000,
      // The databases of finished tests need none.
      server_idle_timeout: 5,
      // A server that is being restarted is queried again.
      server_login_retry: 1,
      ...(preparesByName() ? { max_prepared_statements: 200 } : {}),
    };
    const { hostname, port } = new URL(url);
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const databases = ['[databases]', `* = host=${hostname} port=${port}`, '[pgbouncer]'];
    writeFileSync(join(folder, 'pgbouncer.ini'), [...databases, ...lines, ''].join('\n'));
    writeFileSync(settings.auth_file, USERS.map((user) => `"${user}" ""\n`).join(''));
    await bouncer.start();
    return bouncer;
  }

  /** The database of `url` by way of this pooler. */
  urlOf(url: string): string {
    const pooled = new URL(url);
    pooled.port = `${this.port}`;
    return pooled.href;
  }

  /** Also after `kill`. */
  async start(): Promise<void> {
    spawnSync('chmod', ['-R', 'a+rX', this.folder]);
    this.process = spawn(PROGRAM, ['-q', join(this.folder, 'pgbouncer.ini')], { ...NOBODY, stdio: 'ignore' });
    await postgresResponds(this.urlOf('postgres://postgres@127.0.0.1/postgres'));
  }

  /** Ends it like a crash: every connection to it breaks, and every session behind it ends. */
  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }

  /** Passes nothing on, while every connection stays open. */
  pause(): void {
    this.process.kill('SIGSTOP');
  }

  resume(): void {
    this.process.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Whether it knows the prepared statements of its clients, as it does from 1.21 on. */
function preparesByName(): boolean {
  const { stdout } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout)!;
  return Number(major) > 1 || Number(minor) >= 21;
}
