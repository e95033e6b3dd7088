import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { RedisServer } from '@animal-store/rate-limiting/testing';
import { PgBouncer, postgresResponds, PostgresServer, StallingProxy } from '@animal-store/database/testing';
import { insertKey, KEY_PER_DAY } from '../support/insert-key.js';
import { type ProcessParts, ServerProcess, within } from '../support/server-process.js';

/** Far more than a machine that also runs other suites needs, even to start a replica. */
const WHOLE_WITHIN_MS = 60_000;

export type DatabaseKind = 'sqlite' | 'postgres';

export interface ClusterParts extends Omit<ProcessParts, 'folder'> {
  /** The number of replicas: on SQLite there can be only one. */
  readonly size: number;
  readonly database: DatabaseKind;
  /** Whether the way of each replica to PostgreSQL can be stalled. */
  readonly hasWays?: boolean;
  /** Whether the replicas reach PostgreSQL by way of PgBouncer. */
  readonly isPooled?: boolean;
  /** Whether the clock of Redis can be set. */
  readonly hasRedisClock?: boolean;
}

/** That of the replicas: limits are not for a superuser. */
const ROLE = 'store';

/** More than a day, so that everything that is stored for a day has expired by this clock. Timers run as they do. */
const CLOCK_AHEAD = {
  LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1',
  FAKETIME: '+25h',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
};

/** Enough to see what it did just before it ended. */
const LAST_LINES = 10;

/** Replicas of the built service on one PostgreSQL and one Redis, or one on SQLite, and what can happen to them. */
export class Cluster {
  private replicas: ServerProcess[] = [];
  /** The way of each replica to PostgreSQL. */
  private ways: StallingProxy[] = [];
  private pooling: PgBouncer | null = null;
  private readonly killed = new WeakSet<ServerProcess>();
  /** A sentence for each replica that did not end as it should, with its last lines. */
  private readonly badEnds: string[] = [];

  private constructor(
    private readonly parts: ClusterParts,
    private readonly folder: string,
    private readonly servers: { readonly postgres: PostgresServer; readonly redis: RedisServer } | null,
  ) {}

  static async start(parts: ClusterParts): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
    const starting =
      parts.database === 'sqlite'
        ? null
        : [PostgresServer.start(), RedisServer.start(parts.hasRedisClock ? 'with a clock' : 'standalone')];
    const [postgres, redis] = (await Promise.all(starting ?? [])) as [PostgresServer, RedisServer];
    const cluster = new Cluster(parts, folder, starting && { postgres, redis });
    try {
      if (postgres)
        await cluster.withDatabase((client) =>
          client.query(`CREATE ROLE ${ROLE} LOGIN; GRANT CREATE ON DATABASE postgres TO ${ROLE};
            GRANT CREATE ON SCHEMA public TO ${ROLE}`),
        );
      const places = [...Array(parts.size).keys()];
      if (parts.isPooled) cluster.pooling = await PgBouncer.start(postgres.url);
      if (parts.hasWays)
        cluster.ways = await Promise.all(places.map(() => StallingProxy.start(cluster.postgresUrl)));
      const started = await Promise.allSettled(places.map((index) => cluster.startReplica(index)));
      cluster.replicas = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      for (const one of started) if (one.status === 'rejected') throw one.reason;
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get size(): number {
    return this.replicas.length;
  }

  /** The replica at this place. */
  replica(index: number): ServerProcess {
    return this.replicas[index]!;
  }

  /** The way to PostgreSQL of the replica at this place. */
  way(index: number): StallingProxy {
    return this.ways[index]!;
  }

  /**
   * Ends a replica, waits for `meanwhile`, and starts another one. Its place has the ended one until then.
   * @param isAhead whether the clock of the other one's host is 25 hours ahead
   */
  async replace(
    index: number,
    signal: NodeJS.Signals,
    meanwhile: () => Promise<void>,
    isAhead = false,
  ): Promise<void> {
    if (signal === 'SIGKILL') this.killed.add(this.replica(index));
    await this.replica(index).stop(signal);
    await meanwhile();
    this.replicas[index] = await this.startReplica(index, isAhead ? CLOCK_AHEAD : {});
  }

  /** Replaces a replica whose host vanishes: PostgreSQL does not notice, and its connections stay until the end. */
  async vanish(index: number, meanwhile: () => Promise<void>): Promise<void> {
    const way = await StallingProxy.start(this.postgresUrl);
    const vanished = this.way(index);
    vanished.stall();
    this.ways[index] = way;
    await this.replace(index, 'SIGKILL', meanwhile).finally(() => vanished.stop());
  }

  get pooler(): PgBouncer {
    return this.pooling!;
  }

  get redis(): RedisServer {
    return this.servers!.redis;
  }

  /**
   * Every key may be used without limit, unless `perMinute` is given.
   * @param perMinute null for keys of the Business plan
   * @param accountOf the account of each key, by its place; without it each has its own
   */
  async newKeys(
    count: number,
    perMinute: number | null = KEY_PER_DAY,
    accountOf: (index: number) => string | undefined = () => undefined,
  ): Promise<string[]> {
    const insert = async (run: Parameters<typeof insertKey>[0]) => {
      const keys: string[] = [];
      while (keys.length < count) keys.push((await insertKey(run, perMinute, accountOf(keys.length))).key);
      return keys;
    };
    if (this.servers) return this.withDatabase((client) => insert((sql) => client.query(sql)));
    const connection = new SqliteConnection(this.databaseFile);
    return insert((sql) => connection.exec(sql)).finally(() => connection.close());
  }

  /** That of PostgreSQL itself. */
  get databaseUrl(): string {
    return this.servers!.postgres.url;
  }

  /** That of SQLite. */
  get databaseFile(): string {
    return join(this.folder, 'store.db');
  }

  /** Runs `work` on a connection of its own to PostgreSQL. */
  async withDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.servers!.postgres.url });
    client.on('error', ignore);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** The process ids of the replicas' connections at PostgreSQL. */
  async backends(): Promise<number[]> {
    const { rows } = await this.withDatabase((client) =>
      client.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid",
      ),
    );
    return rows.map(({ pid }) => pid);
  }

  /** Limits the connections of all replicas together; null for no limit. */
  async limitConnections(most: number | null): Promise<void> {
    await this.withDatabase((client) => client.query(`ALTER ROLE ${ROLE} CONNECTION LIMIT ${most ?? -1}`));
  }

  async crashPostgres(meanwhile: () => Promise<void>): Promise<void> {
    const { postgres } = this.servers!;
    await postgres.kill();
    await meanwhile();
    await postgres.start();
  }

  /** Resolves when every replica uses PostgreSQL and counts in Redis. */
  async untilWhole({ evenIfShort = false } = {}): Promise<void> {
    const seen: string[] = [];
    const database = evenIfShort ? '(up|degraded)' : 'up';
    const whole = new RegExp(`"database":"${database}".*"redis":"up"`);
    const isWhole = async (_: unknown, index: number): Promise<boolean> => {
      seen[index] = await this.readiness(index);
      return whole.test(seen[index]);
    };
    try {
      await within(
        WHOLE_WITHIN_MS,
        async () => !(await Promise.all(this.replicas.map(isWhole))).includes(false),
      );
    } catch (error) {
      throw new Error(`The replicas did not recover: ${seen.join(', ')}.`, { cause: error });
    }
  }

  private async readiness(index: number): Promise<string> {
    const replica = this.replica(index);
    if (replica.hasEnded) return 'has ended';
    try {
      return await (await replica.get('/health/ready')).text();
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Ends everything, and resolves with a sentence for each replica that did not end as it should. */
  async stop(): Promise<readonly string[]> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await Promise.all(this.ways.map((way) => way.stop()));
    await this.pooling?.stop();
    await Promise.all([this.servers?.postgres.stop(), this.servers?.redis.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
    return this.badEnds;
  }

  /** That of the replicas. */
  private get postgresUrl(): string {
    const { url } = this.servers!.postgres;
    return this.pooling?.urlOf(url) ?? url;
  }

  private stores(index: number): NodeJS.ProcessEnv {
    if (!this.servers) return { DATABASE_URL: `sqlite:${this.databaseFile}` };
    const { redis } = this.servers;
    const url = asRole(this.postgresUrl);
    return { DATABASE_URL: this.ways[index]?.urlOf(url) ?? url, REDIS_URL: redis.url };
  }

  private async startReplica(index: number, clock: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
    const { folder, parts } = this;
    const environment = { NODE_ENV: 'production', ...this.stores(index), ...parts.environment, ...clock };
    // For a moment after PostgreSQL refused PgBouncer, it refuses everyone, and a server that starts then ends.
    if (this.pooling) await postgresResponds(asRole(this.postgresUrl));
    const replica = await ServerProcess.start({ ...parts, folder, environment });
    void replica.end.then(({ code, stdout, stderr }) => {
      const isRight = this.killed.has(replica) ? code === null : code === 0;
      if (isRight && stderr === '') return;
      const last = stdout.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
      this.badEnds.push(`A replica ended with ${code}. ${stderr}\nIts last lines:\n${last}`);
    });
    return replica;
  }
}

function asRole(url: string): string {
  return url.replace('//postgres@', `//${ROLE}@`);
}

/** The next query reports a connection that is lost. */
function ignore(): void {}
