import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { PostgresServer } from '../src/platform/database/testing/postgres-server.js';
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

/** A database to copy. What to ask of it is in files beside it, one thing a line: `.keys`, `.cursors`, `.ids`. */
export interface Data extends DataSize {
  readonly file: string;
  readonly key: string;
  /** A key on the Free plan, for limits that are reached. */
  readonly freeKey: string;
}

type FreeKey = { readonly key: string };

const ROWS_A_STATEMENT = 1_000;
/** More than any cache of a server holds. */
const MAX_LINES = 100_000;
/** Prime to every count of animals: steps of it meet each animal once, the next one never close to the last. */
const STEP = 7_919;

/** Makes each data set once. */
export class DataSets {
  private readonly made = new Map<string, Data>();
  private postgresUrl: Promise<string> | undefined;

  constructor(private readonly folder: string) {}

  async of(size: DataSize): Promise<Data> {
    const file = `${this.folder}/${size.animals}-${size.keys}${size.allAvailable ? '-available' : ''}.db`;
    const known = this.made.get(file);
    if (known) return known;
    const freeKey = await createTables(`sqlite:${file}`);
    const database = new Sqlite(file);
    database.pragma('synchronous = OFF');
    await fill(size, (sql) => database.exec(sql));
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();

    const indexes = Array.from({ length: Math.min(size.animals, MAX_LINES) }, (_, index) => index);
    const ids = indexes.map((index) => ((index * STEP) % size.animals) + 1);
    const lists = {
      ids,
      // Never so close to the end that a page is short.
      cursors: ids.map((id) => encodeCursor(null, BigInt(Math.min(id, size.animals - 100)))),
      keys: Array.from({ length: size.keys }, (_, index) => keyText(index)),
    };
    for (const [name, lines] of Object.entries(lists)) writeFileSync(`${file}.${name}`, lines.join('\n'));
    const data = { ...size, file, key: keyText(0), freeKey };
    this.made.set(file, data);
    return data;
  }

  /** The URL of a copy of its own for one server. */
  copy({ file }: Data, name: string): string {
    const copy = `${this.folder}/${name}.db`;
    // Of a server that was killed: SQLite would write them into the fresh copy.
    for (const suffix of ['-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true });
    copyFileSync(file, copy);
    return `sqlite:${copy}`;
  }

  /** The URL of a PostgreSQL with these rows, the same one for every scenario. */
  postgres(size: DataSize): Promise<string> {
    return (this.postgresUrl ??= (async () => {
      const { url } = await PostgresServer.start(true);
      await createTables(url);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await fill(size, (sql) => client.query(sql));
      // PostgreSQL would do it by itself after a while. The service never does it on SQLite.
      await client.query('ANALYZE');
      await client.end();
      return url;
    })());
  }
}

export function firstLine({ file }: Data, list: 'cursors' | 'ids'): string {
  return readFileSync(`${file}.${list}`, 'utf8').split('\n', 1)[0]!;
}

/** The service makes its own tables when it starts, and its command line the one Free key. */
async function createTables(databaseUrl: string): Promise<string> {
  const words = ['dist/keys.js', 'create', '--name', 'free', '--plan', 'free', '--json'];
  const env = { ...process.env, NODE_ENV: 'production', DATABASE_URL: databaseUrl };
  const { key } = JSON.parse(
    execFileSync(process.execPath, words, { env, stdio: 'pipe' }).toString(),
  ) as FreeKey;
  await (await Server.start({ peer: 'service', databaseUrl, key })).stop();
  return key;
}

/** Statements that SQLite and PostgreSQL understand alike. */
async function fill(
  { animals, keys, allAvailable }: DataSize,
  execute: (sql: string) => unknown,
): Promise<void> {
  await execute('BEGIN');
  const status = "CASE i % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END";
  await execute(`
    INSERT INTO pets (name, category_id, status)
    WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${animals})
    SELECT 'Rex ' || i, i % 50 + 1, ${allAvailable ? "'available'" : status} FROM numbers`);
  for (let first = 0; first < keys; first += ROWS_A_STATEMENT) {
    const rows = Array.from({ length: Math.min(ROWS_A_STATEMENT, keys - first) }, (_, index) => {
      const id = `key_${String(first + index).padStart(16, '0')}`;
      return `('${id}', '${hash('sha256', keyText(first + index))}', 'bench', '${id}', 'enterprise', 1000000000, 1000000000, 0)`;
    });
    await execute(
      `INSERT INTO api_keys (id, hash, name, account, plan, per_minute, per_day, created_at) VALUES ${rows.join()}`,
    );
  }
  await execute('COMMIT');
}

function keyText(index: number): string {
  const text = `ask_live_${String(index).padStart(32, '0')}`;
  return text + checksum(text);
}
