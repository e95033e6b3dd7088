import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { RedisServer } from '@animal-store/rate-limiting/testing';
import { PostgresServer, StallingProxy } from '@animal-store/database/testing';
import { insertKey } from '../support/insert-key.js';
import { ServerProcess, within } from '../support/server-process.js';

/** Far more than a machine that also runs other suites needs, even to start a replica. */
const WHOLE_WITHIN_MS = 60_000;

/**
 * A statement has little time, so that requests soon continue after a fault. A call to Redis has much: a replica that
 * waits for a core must not count on its own, as each request counts exactly once only in Redis.
 */
const SETTINGS: NodeJS.ProcessEnv = {
  NODE_ENV: 'production',
  REDIS_TIMEOUT_MS: '5000',
  DATABASE_STATEMENT_TIMEOUT_MS: '1500',
};

/** Enough to see what it did just before it ended. */
const LAST_LINES = 10;

/** Replicas of the built service on one PostgreSQL and one Redis, and what can happen to them. */
export class Cluster {
  private replicas: ServerProcess[] = [];
  /** The way of each replica to PostgreSQL. */
  private ways: StallingProxy[] = [];
  private readonly killed = new WeakSet<ServerProcess>();
  /** A sentence for each replica that did not end as it should, with its last lines. */
  private readonly badEnds: string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly postgres: PostgresServer,
    readonly redis: RedisServer,
  ) {}

  static async start(size: number): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'linearizability-'));
    const [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
    const cluster = new Cluster(folder, postgres, redis);
    try {
      const places = [...Array(size).keys()];
      cluster.ways = await Promise.all(places.map(() => StallingProxy.start(postgres.url)));
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

  /** Ends a replica, waits for `meanwhile`, and starts another one. Its place has the ended one until then. */
  async replace(index: number, signal: NodeJS.Signals, meanwhile: () => Promise<void>): Promise<void> {
    if (signal === 'SIGKILL') this.killed.add(this.replica(index));
    await this.replica(index).stop(signal);
    await meanwhile();
    this.replicas[index] = await this.startReplica(index);
  }

  /** Every key may be used without limit, unless `perMinute` is given. */
  newKeys(count: number, perMinute = 1_000_000_000): Promise<string[]> {
    return this.withDatabase(async (client) => {
      const keys: string[] = [];
      while (keys.length < count) keys.push((await insertKey(client, perMinute)).key);
      return keys;
    });
  }

  /** Runs `work` on a connection of its own. */
  async withDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.postgres.url });
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

  async crashPostgres(meanwhile: () => Promise<void>): Promise<void> {
    await this.postgres.kill();
    await meanwhile();
    await this.postgres.start();
  }

  /** Resolves when every replica uses PostgreSQL and counts in Redis. */
  async untilWhole(): Promise<void> {
    const seen: string[] = [];
    const isWhole = async (_: unknown, index: number): Promise<boolean> => {
      seen[index] = await this.readiness(index);
      return seen[index].includes('"status":"ok"');
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
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
    return this.badEnds;
  }

  private async startReplica(index: number): Promise<ServerProcess> {
    const DATABASE_URL = this.way(index).urlOf(this.postgres.url);
    const environment = { ...SETTINGS, DATABASE_URL, REDIS_URL: this.redis.url };
    const replica = await ServerProcess.start({ folder: this.folder, environment });
    void replica.end.then(({ code, stdout, stderr }) => {
      const isRight = this.killed.has(replica) ? code === null : code === 0;
      if (isRight && stderr === '') return;
      const last = stdout.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
      this.badEnds.push(`A replica ended with ${code}. ${stderr}\nIts last lines:\n${last}`);
    });
    return replica;
  }
}

/** The next query reports a connection that is lost. */
function ignore(): void {}
