import {
  copyFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import SqliteConnection from 'better-sqlite3';
import { StorageUnavailable } from '@animal-store/kernel';
import type { Database } from '../database.js';
import { openDatabase } from '../opening/data-source.js';
import { tablesOf } from '../testing/tables.js';
import { sqliteOptions } from '../testing/temporary-database.js';

const tables = tablesOf([], 'CREATE TABLE notes (number INTEGER PRIMARY KEY, text TEXT) STRICT');

const HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4_096;

/** What happens to the log of an open database, in two steps, between which notes are added. */
interface Damage {
  before?(file: string, log: string): void;
  happens(file: string, log: string): void;
}

const cut = (bytesOf: (bytes: number) => number): Damage => ({
  happens: (_, log) => truncateSync(log, bytesOf(statSync(log).size)),
});

const copy = (_: string, log: string): void => copyFileSync(log, `${log}.old`);

const DAMAGES: Record<string, Damage> = {
  'is cut to nothing': cut(() => 0),
  'is cut to its header': cut(() => HEADER_BYTES),
  'is cut to 5,000 bytes': cut(() => 5_000),
  'is cut to three quarters': cut((bytes) => Math.floor(bytes * 0.75)),
  'loses its last frame': cut((bytes) => bytes - FRAME_BYTES),
  'loses its last byte': cut((bytes) => bytes - 1),
  'is overwritten with an older copy': {
    before: copy,
    happens: (_, log) => copyFileSync(`${log}.old`, log),
  },
  'is overwritten with something longer': {
    happens: (_, log) => writeFileSync(log, Buffer.alloc(statSync(log).size + FRAME_BYTES)),
  },
  'is replaced by an older copy': {
    before: copy,
    happens: (_, log) => renameSync(`${log}.old`, log),
  },
  'loses its index': {
    happens: (file) => rmSync(`${file}-shm`),
  },
};

/** As another program does it that opens the file. */
function checkpoint(file: string, mode: 'RESTART' | 'TRUNCATE'): void {
  const connection = new SqliteConnection(file);
  expect(connection.pragma(`wal_checkpoint(${mode})`)).toMatchObject([{ busy: 0 }]);
  connection.close();
}

describe('A database whose write-ahead log', () => {
  let folder: string;
  let file: string;
  let database: Database;

  let logged: jest.SpyInstance;

  beforeEach(async () => {
    logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    folder = mkdtempSync(join(tmpdir(), 'damaged-'));
    file = join(folder, 'store.db');
    database = await openDatabase(sqliteOptions(file), [tables]);
    checkpoint(file, 'TRUNCATE');
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await database.close();
    rmSync(folder, { recursive: true });
  });

  async function add(number: number, to = database): Promise<void> {
    const sql = 'INSERT INTO notes (number, text) VALUES (?, ?)';
    await to.run((transaction) => to.session(transaction).query(sql, [number, 'x'.repeat(2_000)]));
  }

  async function addUpTo(last: number): Promise<void> {
    const [row] = await database.query<{ count: bigint }>('SELECT count(*) AS count FROM notes');
    for (let number = Number(row!.count) + 1; number <= last; number++) await add(number);
  }

  /** What a process finds that starts on these files after this one was killed. */
  async function afterKill<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const copied = join(folder, 'copy.db');
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copied}${end}`);
    const found = await openDatabase(sqliteOptions(copied), [tables]);
    return work(found).finally(() => found.close());
  }

  it.each(Object.keys(DAMAGES))(
    '%s acknowledges nothing more, and the next start has what was there before',
    async (name) => {
      const { before, happens } = DAMAGES[name]!;
      await addUpTo(30);
      before?.(file, `${file}-wal`);
      await addUpTo(40);
      happens(file, `${file}-wal`);

      for (let number = 41; number <= 46; number++)
        await expect(add(number)).rejects.toThrow(StorageUnavailable);
      await expect(database.check()).rejects.toThrow(StorageUnavailable);
      await expect(database.query('SELECT 1')).rejects.toThrow(StorageUnavailable);
      expect(logged.mock.calls).toEqual([
        [
          expect.stringMatching(
            /^\S+store\.db-(wal|shm) was .* while the service had it open\. Nothing is read or/,
          ),
        ],
      ]);

      await afterKill(async (started) => {
        const rows = await started.query<{ number: bigint }>('SELECT number FROM notes ORDER BY number');
        const numbers = rows.map(({ number }) => Number(number));
        expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1));
        await add(numbers.length + 1, started);
      });
    },
  );

  it('acknowledges nothing more when the file itself loses its last page', async () => {
    await addUpTo(30);
    checkpoint(file, 'TRUNCATE');
    await addUpTo(40);
    truncateSync(file, statSync(file).size - 4_096);

    await expect(add(41)).rejects.toThrow(StorageUnavailable);
    await expect(database.check()).rejects.toThrow(StorageUnavailable);
  });

  it('is longer because another process is writing to it is used as before', async () => {
    await addUpTo(30);
    await database.check();
    const other = new SqliteConnection(file);
    // So that what it writes is in the log before its commit, as each commit is for a moment.
    other.pragma('cache_size = 2');
    other.exec('BEGIN IMMEDIATE');
    for (let number = 1_001; number <= 1_100; number++)
      other.prepare('INSERT INTO notes VALUES (?, ?)').run(number, 'x'.repeat(2_000));
    await database.check();
    other.exec('COMMIT');
    await database.check();
    await add(31);
    other.close();

    const rows = await database.query('SELECT 1 FROM notes');
    expect(rows).toHaveLength(131);
  });
});
