import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { hashApiKey } from '@animal-store/api-keys';
import { type Database, migrateData, openDatabase } from '@animal-store/database';
import {
  describeOnPostgres,
  sqliteOptions,
  temporaryPostgresOptions,
  temporarySqlite,
} from '@animal-store/database/testing';
import { FakeClock } from '@animal-store/kernel/testing';
import { runMigrateData } from './migrate-data.program.js';
import { tables } from '../../contexts.js';
import { VERSION } from '../../version.js';

const ADD_PET = 'INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3)';
const PETS = 'SELECT id, name, category_id AS "categoryId", status FROM pets ORDER BY id';

function write(
  database: Database,
  sql: string,
  parameters?: Parameters<Database['query']>[1],
): Promise<unknown[]> {
  const text = database.dialect === 'sqlite' ? sql.replaceAll(/\$\d/g, '?') : sql;
  return database.run((transaction) => database.session(transaction).query(text, parameters));
}

/** Adds rows to every table, with values that a move could change: the largest int64s, nulls, special characters. */
async function fill(database: Database): Promise<void> {
  await write(database, ADD_PET, ['Łucja "II" \\ 🦜', -9223372036854775808n, 'available']);
  await write(database, ADD_PET, ["O'Hara\u2028", 9007199254740993n, 'pending']);
  await write(database, ADD_PET, ['gone', 1n, 'sold']);
  await write(database, 'DELETE FROM pets WHERE id = 3');
  await write(
    database,
    `INSERT INTO orders (account, pet_id, status, placed_at, updated_at) VALUES ('zoo', 2, 'placed', 5, 6)`,
  );
  await write(
    database,
    `INSERT INTO api_keys (id, hash, name, account, plan, per_minute, per_day, created_at, changed_at)
      VALUES ('key_anna', $1, 'Anna’s shop', 'zoo', 'enterprise', 5, 9, 1, NULL),
        ('Key_bert', 'another hash', 'Bert', 'zoo', 'free', NULL, NULL, 2, 7)`,
    [hashApiKey('ask_live_anna')],
  );
  await write(
    database,
    `INSERT INTO idempotency_records (api_key_id, idempotency_key, fingerprint, status, body, headers, created_at)
      VALUES ('key_anna', 'a', 'f', 201, '{"id":1}', '{}', 3), ('key_anna', 'B', 'f', NULL, '', '{}', 4)`,
  );
  await write(
    database,
    `INSERT INTO rate_limit_usage (subject, day, day_count, ban_until, ban_ms) VALUES ('2001:db8::/64', 1, 2, 3, 4)`,
  );
}

const TABLES = ['api_keys', 'idempotency_records', 'orders', 'pets', 'rate_limit_usage'];

async function contents(database: Database): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const table of TABLES) {
    const rows = await database.query<object>(`SELECT * FROM ${table}`);
    all[table] = rows.map((row) => Object.entries(row).map(String).sort().join()).sort();
  }
  return all;
}

describeOnPostgres('moving the data to PostgreSQL', () => {
  let source: Database;
  let target: Database;
  let settings: Awaited<ReturnType<typeof temporaryPostgresOptions>>;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const sqlite = await temporarySqlite(...tables);
    source = sqlite.database;
    settings = await temporaryPostgresOptions();
    target = await openDatabase(settings, tables);
    close = async () => {
      await sqlite.remove();
      await target.close();
    };
  });

  afterEach(() => close());

  function move(
    onProgress: (table: string, copied: number, total: number) => void = () => {},
  ): Promise<number> {
    return migrateData({ source, target, onProgress });
  }

  it('moves every row of every table, exactly', async () => {
    await fill(source);
    expect(await move()).toBe(8);
    expect(await contents(target)).toEqual(await contents(source));
  });

  it('moves columns whose types on PostgreSQL SQLite does not have, also as keys', async () => {
    await write(
      source,
      'CREATE TABLE rooms (floor INTEGER, open INTEGER, size REAL, PRIMARY KEY (floor)) STRICT',
    );
    await write(source, 'INSERT INTO rooms VALUES (1, 1, 2.5), (2, 0, 1e21), (3, NULL, NULL)');
    await write(
      target,
      'CREATE TABLE rooms (floor integer PRIMARY KEY, open boolean, size double precision)',
    );

    expect(await move()).toBe(3);
    expect(await target.query('SELECT * FROM rooms ORDER BY floor')).toEqual([
      { floor: 1, open: true, size: 2.5 },
      { floor: 2, open: false, size: 1e21 },
      { floor: 3, open: null, size: null },
    ]);
  });

  it('moves bytes exactly, a few rows at a time', async () => {
    await write(source, 'CREATE TABLE scans (id INTEGER PRIMARY KEY, bytes BLOB, hash BLOB) STRICT');
    await write(target, 'CREATE TABLE scans (id bigint PRIMARY KEY, bytes bytea, hash bytea)');
    const scans = Array.from({ length: 25 }, (_, index) => ({
      id: BigInt(index),
      bytes: Buffer.alloc(300, index),
      hash: index === 3 ? null : Buffer.from([0x5c, 0x78, 0, 0xff, index]),
    }));
    for (const { id, bytes, hash } of scans)
      await write(source, 'INSERT INTO scans VALUES (?, ?, ?)', [id, bytes, hash]);
    const moved: number[] = [];

    expect(await move((table, copied) => void (table === 'scans' && moved.push(copied)))).toBe(25);
    expect(await target.query('SELECT * FROM scans ORDER BY id')).toEqual(scans);
    expect(moved).toEqual([10, 20, 25]);
  });

  it('continues the ids after the highest one ever assigned, even when its row was removed', async () => {
    await fill(source);
    await move();
    expect(await write(target, `${ADD_PET} RETURNING id`, ['Rex', 7n, 'available'])).toEqual([{ id: 4n }]);
  });

  it('starts ids at 1 in a table that never had a row', async () => {
    await move();
    expect(await write(target, `${ADD_PET} RETURNING id`, ['Rex', 7n, 'available'])).toEqual([{ id: 1n }]);
  });

  it('moves nothing when it is interrupted, and moves everything when it runs again', async () => {
    await fill(source);
    const before = await contents(target);
    const broken = move((table, copied) => {
      if (table === 'pets' && copied === 2) throw new Error('the cable was pulled');
    });
    await expect(broken).rejects.toThrow('the cable was pulled');
    expect(await contents(target)).toEqual(before);

    expect(await move()).toBe(8);
    expect(await contents(target)).toEqual(await contents(source));
  });

  it('shows others nothing before it is done, and lets nobody else write meanwhile', async () => {
    await fill(source);
    const seen: Promise<unknown[]>[] = [];
    let added: Promise<unknown> | undefined;
    // The move continues when others have read.
    const session = source.session.bind(source);
    jest.spyOn(source, 'session').mockImplementation((reading) => {
      const reader = session(reading);
      const query = reader.query.bind(reader);
      jest.spyOn(reader, 'query').mockImplementation(async (...words) => {
        await Promise.all(seen);
        return query(...words);
      });
      return reader;
    });
    await move((table) => {
      if (table !== 'pets') return;
      seen.push(target.query(PETS));
      added = write(target, `${ADD_PET} RETURNING id`, ['late', 1n, 'sold']);
    });

    expect(await Promise.all(seen)).toEqual([[]]);
    expect(await added).toEqual([{ id: 4n }]);
  });

  it('waits for PostgreSQL longer than a transaction of the source may be idle', async () => {
    await fill(source);
    const other = new Client({ connectionString: settings.url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE pets');
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
    try {
      const moving = expect(move()).resolves.toBe(8);
      const waiting = 'SELECT 1 FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))';
      while ((await other.query(waiting)).rowCount === 0);
      for (let seconds = 0; seconds < 4; seconds++) {
        jest.advanceTimersByTime(1_000);
        await new Promise(setImmediate);
      }
      await other.query('COMMIT');
      await moving;
    } finally {
      jest.useRealTimers();
      await other.end();
    }
  });

  it('locks the source during the move', async () => {
    await fill(source);
    let isMoving = true;
    const late: boolean[] = [];
    let adding: Promise<unknown> | undefined;
    const moving = move(() => {
      adding ??= write(source, ADD_PET, ['late', 1n, 'sold']).then(() => late.push(isMoving));
    });
    await moving.finally(() => (isMoving = false));
    await adding;
    expect(late).toEqual([false]);
  });

  it('refuses a target that has rows, and does not change it', async () => {
    await fill(source);
    await write(target, ADD_PET, ['Rex', 7n, 'available']);
    await expect(move()).rejects.toThrow('The target is not empty: pets has 1 rows. Use an empty database.');
    expect(await target.query(PETS)).toEqual([{ id: 1n, name: 'Rex', categoryId: 7n, status: 'available' }]);
  });

  it('stores nothing when a column of the target would change a value', async () => {
    await write(source, 'CREATE TABLE scales (id INTEGER PRIMARY KEY, weight REAL) STRICT');
    await write(source, 'INSERT INTO scales VALUES (1, 0.123456789012)');
    await write(target, 'CREATE TABLE scales (id bigint PRIMARY KEY, weight real)');

    await expect(move()).rejects.toThrow('would differ');
    await expect(move()).rejects.toThrow(
      'scales would differ between source and target, so nothing was moved.',
    );
    expect(await target.query('SELECT * FROM scales')).toEqual([]);
  });
});

describe('the migrate-data command line', () => {
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'migrate-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  let environment: NodeJS.ProcessEnv;
  let file: string | null;

  beforeEach(() => ([environment, file] = [{}, null]));

  async function run(...args: string[]) {
    let out = '';
    let err = '';
    const code = await runMigrateData(args, {
      tables,
      environment: () => environment,
      fileThatSets: () => file,
      clock: new FakeClock(),
      print: (text) => (out += text),
      complain: (text) => (err += text),
    });
    return { code, out, err };
  }

  const POSTGRES = 'postgres://user:hunter2@127.0.0.1:1/store';

  it.each([
    [['--to', POSTGRES], "migrate-data: required option '--from <url>' not specified\n"],
    [['--from', 'sqlite:a.db'], 'migrate-data: set DATABASE_URL, or --to, to the PostgreSQL database.\n'],
    [['--from', POSTGRES, '--to', POSTGRES], 'migrate-data: --from must be sqlite:<file>.\n'],
    [['--from', 'sqlite:a.db', '--to', 'sqlite:b.db'], 'migrate-data: --to must be postgres://…\n'],
    [
      ['--from', 'sqlite:a.db', '--to', 'hunter2'],
      /^migrate-data: --to must be sqlite:<file> or postgres:[^\n]*\n$/,
    ],
    [['--from', 'sqlite:a.db', '--to', POSTGRES, '--fast'], "migrate-data: unknown option '--fast'\n"],
  ])('exits 2 with one line for %j', async (args, complaint) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    if (typeof complaint === 'string') expect(err).toBe(complaint);
    else expect(err).toMatch(complaint);
    expect(err).not.toContain('hunter2');
  });

  it.each([
    [null, ''],
    ['/old/.env', 'migrate-data: moving to the database at 127.0.0.1:1/store, as /old/.env says.\n'],
  ])('takes the target from DATABASE_URL, and names the file that has it: %s', async (named, line) => {
    environment = { DATABASE_URL: POSTGRES };
    file = named;
    const { code, err } = await run('--from', `sqlite:${await filled()}`);
    expect(code).toBe(1);
    expect(err).toBe(
      `${line}migrate-data: The database at 127.0.0.1:1/store cannot be opened: connect ECONNREFUSED 127.0.0.1:1.\n`,
    );
    environment = { DATABASE_URL: 'sqlite:b.db' };
    expect(await run('--from', 'sqlite:a.db')).toMatchObject({
      code: 2,
      err: 'migrate-data: DATABASE_URL must be postgres://…\n',
    });
  });

  it('exits 1 when the file does not exist, and creates none', async () => {
    const file = join(folder, 'none.db');
    expect(await run('--from', `sqlite:${file}`, '--to', POSTGRES)).toEqual({
      code: 1,
      out: '',
      err: `migrate-data: There is no database file ${file}.\n`,
    });
  });

  it('prints its version', async () => {
    expect(await run('--version')).toMatchObject({ code: 0, out: `${VERSION}\n` });
  });

  describeOnPostgres('with PostgreSQL', () => {
    it('moves the rows and reports it', async () => {
      const { url } = await temporaryPostgresOptions();
      expect(await run('--from', `sqlite:${await filled()}`, '--to', url)).toEqual({
        code: 0,
        out: `api_keys: 2 of 2
idempotency_records: 2 of 2
orders: 1 of 1
pets: 2 of 2
rate_limit_usage: 1 of 1
Moved 8 rows and compared them on both sides. Start the service on the new database.
`,
        err: '',
      });
    });
  });

  async function filled(): Promise<string> {
    const file = join(folder, 'store.db');
    const database = await openDatabase(sqliteOptions(file), tables);
    await fill(database);
    await database.close();
    return file;
  }
});
