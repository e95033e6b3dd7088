import { hash } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { RedisServer } from '../libs/rate-limiting/src/testing/redis-server.js';
import { PostgresServer } from '../libs/database/src/testing/postgres-server.js';
import { checksum } from './peers/by-hand/api-keys.js';
import { encodeCursor } from './peers/by-hand/input.js';
import { Server } from './servers.js';

export interface DataSize {
  readonly animals: number;
  /** Enterprise keys whose limits no run can reach. */
  readonly keys: number;
  /** Whether every animal can be ordered; otherwise a third of them can. */
  readonly allAvailable?: boolean;
}

/** A database to copy. What to request of it is in files beside it, one thing a line: `.keys`, `.cursors`, `.ids`. */
export interface Data extends DataSize {
  readonly file: string;
  readonly key: string;
  readonly cursor: string;
  /** Keys on the Free plan, for limits that are reached. */
  readonly freeKeys: readonly string[];
}

export interface Urls {
  readonly databaseUrl: string;
  /** Empty without Redis. */
  readonly redisUrl: string;
}

const FREE_KEYS = 10;
const ROWS_A_STATEMENT = 1_000;
/** More than any cache of a server has. */
const MAX_LINES = 100_000;
/** Prime to every count of animals: steps of it meet each animal once, the next one never close to the last. */
const STEP = 7_919;

/** Makes each data set once, and copies of it. */
export class DataSets {
  private readonly made = new Map<string, Promise<unknown>>();

  /** In a folder that goes with this process, as does all that was started. */
  constructor(private readonly folder = mkdtempSync(join(tmpdir(), 'animal-store-bench-'))) {
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
  }

  of(size: DataSize): Promise<Data> {
    const name = nameOf(size);
    return this.once(name, async () => {
      const file = `${this.folder}/${name}.db`;
      await createTables(`sqlite:${file}`);
      const database = new Sqlite(file);
      database.pragma('synchronous = OFF');
      for (const sql of rows(size)) database.exec(sql);
      database.pragma('wal_checkpoint(TRUNCATE)');
      database.close();

      const length = Math.min(size.animals, MAX_LINES);
      const ids = Array.from({ length }, (_, index) => ((index * STEP) % size.animals) + 1);
      // Never so close to the end that a page is short.
      const cursors = ids.map((id) => encodeCursor(null, BigInt(Math.min(id, size.animals - 100))));
      const keys = Array.from({ length: size.keys + FREE_KEYS }, (_, index) => keyText(index));
      const freeKeys = keys.splice(size.keys);
      for (const [list, lines] of Object.entries({ ids, cursors, keys, freeKey: [freeKeys[0]] }))
        writeFileSync(`${file}.${list}`, lines.join('\n'));
      return { ...size, file, key: keys[0]!, cursor: cursors[0]!, freeKeys };
    });
  }

  /** A copy for one contestant, instead of the one that had this name before; with one Redis for all. */
  async copy(data: Data, label: string, isShared: boolean): Promise<Urls> {
    const name = label.replaceAll(/\W+/g, '-');
    if (isShared) {
      const redis = await this.once('Redis', () => RedisServer.start());
      return { databaseUrl: await this.copyInPostgres(data, name), redisUrl: redis.url };
    }
    const copy = `${this.folder}/${name}.db`;
    // Of a server that was killed: SQLite would write them into the fresh copy.
    for (const suffix of ['-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true });
    copyFileSync(data.file, copy);
    return { databaseUrl: `sqlite:${copy}`, redisUrl: '' };
  }

  private async copyInPostgres(data: Data, name: string): Promise<string> {
    const { url } = await this.once('PostgreSQL', () => PostgresServer.start(true));
    const template = `template_${nameOf(data)}`;
    await this.once(template, async () => {
      await inPostgres(url, [`CREATE DATABASE "${template}"`]);
      await createTables(withDatabase(url, template));
      // The last one would happen by itself after a while.
      await inPostgres(withDatabase(url, template), [...rows(data), 'VACUUM ANALYZE']);
    });
    await inPostgres(url, [`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`]);
    await inPostgres(url, [`CREATE DATABASE "${name}" TEMPLATE "${template}"`]);
    return withDatabase(url, name);
  }

  private once<T>(name: string, make: () => Promise<T>): Promise<T> {
    if (!this.made.has(name)) this.made.set(name, make());
    return this.made.get(name) as Promise<T>;
  }
}

function nameOf({ animals, keys, allAvailable = false }: DataSize): string {
  return `${animals}-${keys}-${allAvailable ? 'available' : 'mixed'}`;
}

function withDatabase(url: string, name: string): string {
  return url.replace(/[^/]+$/, name);
}

async function inPostgres(connectionString: string, statements: Iterable<string>): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (const sql of statements) await client.query(sql);
  await client.end();
}

/** The service makes its own tables when it starts. */
async function createTables(databaseUrl: string): Promise<void> {
  await (await Server.start({ peer: 'service', databaseUrl })).stop();
}

/** Statements that SQLite and PostgreSQL understand alike. */
function* rows({ animals, keys, allAvailable }: DataSize): Iterable<string> {
  const status = "CASE i % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END";
  yield `INSERT INTO pets (name, category_id, status)
    WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${animals})
    SELECT 'Rex ' || i, i % 50 + 1, ${allAvailable ? "'available'" : status} FROM numbers`;
  const values = Array.from({ length: keys + FREE_KEYS }, (_, index) => {
    const id = `key_${String(index).padStart(16, '0')}`;
    const plan = index < keys ? "'enterprise', 1000000000, 1000000000" : "'free', NULL, NULL";
    return `('${id}', '${hash('sha256', keyText(index))}', 'bench', '${id}', ${plan}, 0)`;
  });
  while (values.length > 0)
    yield `INSERT INTO api_keys (id, hash, name, account, plan, per_minute, per_day, created_at)
      VALUES ${values.splice(-ROWS_A_STATEMENT).join()}`;
}

function keyText(index: number): string {
  const text = `ask_live_${String(index).padStart(32, '0')}`;
  return text + checksum(text);
}
