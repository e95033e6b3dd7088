import {
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import SqliteConnection from 'better-sqlite3';
import fc from 'fast-check';
import { StorageUnavailable, type Transaction } from '@animal-store/kernel';
import { openDatabase } from '../opening/data-source.js';
import type { Database } from '../database.js';
import type { InsertSql, SqlSession, SqlTransaction } from '../sql-session.js';
import { tablesOf } from '../testing/tables.js';
import { openNewSqlite, sqliteOptions } from '../testing/temporary-database.js';
import { UniqueViolation } from '../driver-errors.js';

const tables = tablesOf(
  [],
  'CREATE TABLE notes (number INTEGER PRIMARY KEY, text TEXT UNIQUE) STRICT',
  'CREATE TABLE replies (note INTEGER NOT NULL REFERENCES notes DEFERRABLE INITIALLY DEFERRED) STRICT',
  'CREATE TABLE labels (text TEXT NOT NULL) STRICT',
);

const INSERT = 'INSERT INTO notes (number, text) VALUES (?, ?)';
const COUNT = 'SELECT count(*) AS count FROM notes';
const PAGE_BYTES = 4_096;

const single = (sql: string): InsertSql => ({ single: sql, many: null });
const ENDED = { reason: { message: expect.stringContaining('This transaction has ended') as string } };

let folder: string;
let file: string;
let database: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  file = join(folder, 'store.db');
});

afterEach(async () => {
  jest.restoreAllMocks();
  await database.close();
  rmSync(folder, { recursive: true });
});

function write<T>(work: (session: SqlTransaction, transaction: Transaction) => Promise<T>): Promise<T> {
  return database.run((transaction) => work(database.session(transaction), transaction));
}

function add(number: number | null, text = `note ${number}`): Promise<unknown> {
  return write((session) => session.query(INSERT, [number, text]));
}

async function numbers(): Promise<bigint[]> {
  const rows = await database.query<{ number: bigint }>('SELECT number FROM notes ORDER BY number');
  return rows.map(({ number }) => number);
}

async function count(): Promise<bigint> {
  const [row] = await database.query<{ count: bigint }>(COUNT);
  return row!.count;
}

/** Long enough for savepoints to be left out again. */
async function succeedOften(): Promise<void> {
  for (let turn = 0; turn < 16; turn++) await write((session) => session.query(COUNT));
}

describe('SqliteDatabase', () => {
  beforeEach(async () => {
    database = await openNewSqlite(sqliteOptions(file), [tables]);
    // However busy the machine is, a batch has time for all that arrives at once.
    const nowMs = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(nowMs);
  });

  it.each([
    ['has a write-ahead log', { journal_mode: 'wal' }],
    ['waits for the disk at each commit', { synchronous: 2n }],
  ])('is durable: it %s', async (_, setting) => {
    const rows = await write((session) => session.query(`PRAGMA ${Object.keys(setting)[0]}`));

    expect(rows).toEqual([setting]);
  });

  it('waits for the disk at no commit of background work alone, and at every other one', async () => {
    const synchronous = async (one: Database) => {
      const read = (transaction: Transaction) => database.session(transaction).query('PRAGMA synchronous');
      return ((await one.run(read)) as { synchronous: bigint }[])[0]!.synchronous;
    };
    const { background } = database;

    expect(await synchronous(background)).toBe(1n);
    expect(await synchronous(database)).toBe(2n);
    expect(await Promise.all([background, database, background].map(synchronous))).toEqual([1n, 2n, 1n]);
    await add(1);
    expect(await write((session) => session.query('PRAGMA synchronous'))).toEqual([{ synchronous: 2n }]);
  });

  it('returns the size of the write-ahead log, and truncates it when no other process reads from it', async () => {
    const other = new SqliteConnection(file, { readonly: true });
    other.exec('BEGIN');
    other.prepare(COUNT).get();
    for (let note = 1; note <= 4; note++) await add(note, `${note}`.repeat(5_000_000));
    expect(database.logBytes).toBeGreaterThan(20_000_000);

    other.close();
    for (let note = 5; note <= 6; note++) await add(note);
    expect(database.logBytes).toBe(16 * 1_024 * 1_024);
  });

  it('returns what the disk has left, while its files are there', () => {
    const { blocks, bsize } = statfsSync(file);
    expect(database.freeDiskBytes).toBeGreaterThan(0);
    expect(database.freeDiskBytes).toBeLessThan(blocks * bsize);

    rmSync(`${file}-wal`);
    expect(database.freeDiskBytes).toBeNull();
  });

  it.each([
    ['with several writes of the turn before', 2, 0n],
    ['after a lone write, which does not wait for it', 1, 1n],
  ])('stores a write %s', async (_, before, committed) => {
    const first = Array.from({ length: before }, (__, number) => add(number));
    await new Promise(setImmediate);
    // Counted outside the transaction.
    const next = write(() => count());
    await Promise.all(first);

    expect(await next).toBe(committed);
  });

  const HALFWAY = 'INSERT OR FAIL INTO notes VALUES (?, ?), (?, ?)';
  const halfway = [2, 'two', 0, 'again'];
  const NOTHING = undefined as unknown as Error;

  it.each<[string, (session: SqlTransaction) => Promise<unknown>, unknown]>([
    ['violates a unique key', (session) => session.query(INSERT, [0, 'again']), expect.any(UniqueViolation)],
    ['throws undefined', () => Promise.reject(NOTHING), undefined],
    [
      'fails after its statements',
      async (session) => {
        await session.query('DELETE FROM notes');
        await session.query(INSERT, [2, 'two']);
        throw new Error('no');
      },
      new Error('no'),
    ],
    ['fails halfway in a query', (session) => session.query(HALFWAY, halfway), expect.any(UniqueViolation)],
    [
      'fails halfway in an insert',
      (session) => session.insert(single(HALFWAY), halfway),
      expect.any(UniqueViolation),
    ],
  ])('stores nothing of a unit that %s, and the others of its turn once', async (_, failing, reason) => {
    await add(0);
    const runs: number[] = [];
    const one = (number: number) =>
      write((session) => {
        runs.push(number);
        return session.query(INSERT, [number, `note ${number}`]);
      });

    const outcomes = await Promise.allSettled([write(failing), one(1), write(failing), one(5)]);

    const [stored, failed] = [
      { status: 'fulfilled', value: [] },
      { status: 'rejected', reason },
    ];
    expect(outcomes).toEqual([failed, stored, failed, stored]);
    expect(runs).toEqual([1, 5]);
    expect(await numbers()).toEqual([0n, 1n, 5n]);
  });

  it('refuses a single statement that fails, and stores the others of its turn', async () => {
    const insert = database.inserter(single(INSERT));
    await add(1);
    const outcomes = await Promise.allSettled([insert([1, 'again']), insert([2, 'two'])]);

    expect(outcomes).toMatchObject([
      { reason: expect.any(UniqueViolation) as unknown },
      { status: 'fulfilled' },
    ]);
    expect(await numbers()).toEqual([1n, 2n]);
  });

  it('runs each unit once when one fails that has written nothing', async () => {
    const runs: number[] = [];
    const one = (number: number) =>
      write(async (session) => {
        runs.push(number);
        if (number === 2) throw new Error('no');
        await session.query(INSERT, [number, null]);
      });
    await Promise.allSettled([one(1), one(2), one(3)]);

    expect(runs).toEqual([1, 2, 3]);
    expect(await numbers()).toEqual([1n, 3n]);
  });

  it('rejects every unit when the commit fails, also after one has failed', async () => {
    const heard: string[] = [];
    const outcomes = await Promise.allSettled([
      write((session, transaction) => {
        transaction.onCommit(() => heard.push('committed'));
        return session.query('INSERT INTO replies VALUES (7)');
      }),
      write(async (session) => {
        await session.query(INSERT, [1, 'one']);
        throw new Error('no');
      }),
    ]);

    const broken = { reason: { message: expect.stringContaining('FOREIGN KEY') as string } };
    expect(outcomes).toMatchObject([broken, broken]);
    expect(heard).toEqual([]);
    await add(1);
    expect(await count()).toBe(1n);
  });

  describe('beside others', () => {
    /** Counts the turns of the event loop until `work` is done. */
    async function turnsOf(work: Promise<unknown>): Promise<number> {
      let [turns, isDone] = [0, false];
      void work.finally(() => (isDone = true));
      for (; !isDone; turns++) await new Promise(setImmediate);
      return turns;
    }

    it.each([
      ['units of work', () => write((session) => session.query(COUNT))],
      ['units of background work', () => database.background.run(() => Promise.resolve())],
      ['statements', () => database.inserter(single(INSERT))([null, null])],
    ])('gives them two turns between any two %s of a loop', async (_, one) => {
      const loop = async () => {
        for (let step = 0; step < 50; step++) await one();
      };

      const turns = await turnsOf(loop());
      expect(turns).toBeGreaterThanOrEqual(98);
      // Nor does it wait for anything else.
      expect(turns).toBeLessThan(250);
    });

    it('gives them turns within what has arrived at once, when that takes longer than a batch may', async () => {
      let nowMs = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
      let turns = 0;
      const turnsBefore: number[] = [];
      const slow = () =>
        write(async (session) => {
          turnsBefore.push(turns);
          nowMs += 4;
          await session.query(COUNT);
        });
      const all = Promise.all([slow(), slow(), slow(), slow()]);
      let isDone = false;
      void all.finally(() => (isDone = true));
      for (; !isDone; turns++) await new Promise(setImmediate);

      const [first, second, third, fourth] = turnsBefore;
      expect(second).toBe(first);
      expect(third).toBeGreaterThanOrEqual(second! + 2);
      expect(fourth).toBe(third);
    });

    /** The order in which units run that write their name. */
    function units() {
      const ran: string[] = [];
      const run = (on: Database, name: string) =>
        on.run(async () => {
          ran.push(name);
        });
      return { ran, run };
    }

    it('lets what a request writes go before background work that has arrived first', async () => {
      const { ran, run } = units();
      const { background } = database;
      const first = run(background, 'cleaning').then(() => run(database, 'second order'));
      await Promise.all([first, run(background, 'counting'), run(database, 'order')]);

      expect(ran).toEqual(['order', 'cleaning', 'second order', 'counting']);
    });

    it('lets background work wait for no more than ten batches of requests', async () => {
      const { ran, run } = units();
      const loop = async () => {
        for (let step = 0; step < 12; step++) await run(database, 'order');
      };
      await loop();
      for (let time = 0; time < 2; time++) {
        ran.length = 0;
        await Promise.all([loop(), run(database.background, 'cleaning')]);

        expect(ran.indexOf('cleaning')).toBe(10);
      }
    });

    it('stores both when another process has written before them', async () => {
      const other = new SqliteConnection(file);
      other.exec('BEGIN IMMEDIATE');
      const all = Promise.all([
        add(1),
        database.background.run((within) => database.session(within).query(INSERT, [2, 'b'])),
      ]);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      other.exec('ROLLBACK');
      other.close();
      await all;

      expect(await numbers()).toEqual([1n, 2n]);
    });
  });

  it('has the same outcome as running the units one after another, whichever of them fail and where', async () => {
    const step = fc.oneof(
      fc.record({
        insert: fc.integer({ min: 1, max: 6 }),
        sql: fc.constantFrom(INSERT, `${INSERT} RETURNING number`),
        isCaught: fc.boolean(),
      }),
      fc.constant('look' as const),
      fc.constant('fail' as const),
    );
    const units = fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(units, fc.boolean(), async (units, isCalm) => {
        await write((session) => session.query('DELETE FROM notes'));
        if (isCalm) await succeedOften();
        let expected = new Set<number>();
        const expectedOutcomes = units.map((steps) => {
          const after = new Set(expected);
          for (const one of steps) {
            if (one === 'look') continue;
            if (one === 'fail' || (after.has(one.insert) && !one.isCaught)) return 'rejected';
            after.add(one.insert);
          }
          expected = after;
          return 'fulfilled';
        });

        const outcomes = await Promise.allSettled(
          units.map((steps) =>
            write(async (session) => {
              for (const one of steps) {
                if (one === 'fail') throw new Error('no');
                if (one === 'look') await session.query(COUNT);
                else {
                  const inserted = session.query(one.sql, [one.insert, `note ${one.insert}`]);
                  await (one.isCaught ? inserted.catch(() => undefined) : inserted);
                }
              }
            }),
          ),
        );

        expect(outcomes.map(({ status }) => status)).toEqual(expectedOutcomes);
        expect(new Set((await numbers()).map(Number))).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('stores nothing of what a unit that fails wrote through TypeORM', async () => {
    const outcomes = await Promise.allSettled([
      add(1),
      write(async (_, transaction) => {
        await database.entityManager(transaction).query(INSERT, [9, 'nine']);
        throw new Error('no');
      }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await numbers()).map(Number)).toEqual([1]);
  });

  describe('a unit of work that awaits something else than its transaction', () => {
    const LACKS_TRANSACTION = 'must be given its transaction';

    it.each<[string, () => Promise<unknown>]>([
      ['a unit', () => add(2)],
      ['a statement', () => database.inserter(single(INSERT))([2, 'b'])],
      ['a unit in the background', () => database.background.run(async () => undefined)],
    ])('is refused %s without it, which would wait for itself, and the next write runs', async (_, inner) => {
      const refused = write(async (session) => {
        await session.query(INSERT, [1, 'a']);
        await inner();
      });
      await expect(refused).rejects.toThrow(LACKS_TRANSACTION);
      await add(3);

      expect(await numbers()).toEqual([3n]);
    });

    it('may start a write after its commit', async () => {
      let next: Promise<unknown> | undefined;
      await write(async (_, transaction) => transaction.onCommit(() => void (next = add(1))));
      await next;

      expect(await numbers()).toEqual([1n]);
    });

    it('lets a request write that is read before the event loop turns', async () => {
      let other: Promise<unknown> | undefined;
      await write(async (session) => {
        await session.query(INSERT, [1, 'a']);
        process.nextTick(() => (other = add(2)));
        await new Promise(setImmediate);
      });
      await other;

      expect(await numbers()).toEqual([1n, 2n]);
    });

    it('lets others write meanwhile, who wait', async () => {
      const slow = write(async (session) => {
        await session.query(INSERT, [1, 'a']);
        await new Promise(setImmediate);
        await new Promise(setImmediate);
        await session.query(INSERT, [2, 'b']);
      });
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      await Promise.all([slow, add(3)]);

      expect(await numbers()).toEqual([1n, 2n, 3n]);
    });

    describe('for ever', () => {
      const IDLE = 'left its transaction idle for 3 s';

      beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] }));
      afterEach(() => jest.useRealTimers());

      /** Runs the timers of three seconds, and what follows from them. */
      async function threeSeconds(): Promise<void> {
        for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
        jest.advanceTimersByTime(3_000);
        for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
      }

      it('is rolled back after three seconds, and what waited after it and beside it is stored', async () => {
        let goOn = (): void => undefined;
        const stops = new Promise<void>((resolve) => (goOn = resolve));
        const beside = add(1);
        const idle = write(async (session) => {
          await session.query(INSERT, [2, 'b']);
          await stops;
          await session.query(INSERT, [3, 'c']);
        });
        const outcome = expect(idle).rejects.toThrow(IDLE);
        for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
        const next = add(4);
        await threeSeconds();
        await outcome;
        await Promise.all([beside, next]);
        // What it does after its end has no effect.
        goOn();
        await add(5);

        expect(await numbers()).toEqual([1n, 4n, 5n]);
      });

      it.each<[string, () => Promise<unknown>]>([
        ['succeeds', () => Promise.resolve()],
        ['fails', () => Promise.reject(new Error('late'))],
      ])('changes nothing of the running transaction when it %s then', async (_, end) => {
        let goOn = (): void => undefined;
        let goOnBeside = (): void => undefined;
        const stops = new Promise<void>((resolve) => (goOn = resolve));
        const stopsBeside = new Promise<void>((resolve) => (goOnBeside = resolve));
        const idle = expect(write(() => stops.then(end))).rejects.toThrow(IDLE);
        await threeSeconds();
        await idle;
        const other = write(async (session) => {
          await session.query(INSERT, [1, 'a']);
          await stopsBeside;
          await session.query(INSERT, [2, 'b']);
          return 'stored';
        });
        for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
        goOn();
        for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
        expect(await numbers()).toEqual([]);
        goOnBeside();

        expect(await other).toBe('stored');
        expect(await numbers()).toEqual([1n, 2n]);
      });

      it('has three seconds of its own, however long those before it took', async () => {
        const afterMs = (ms: number) => write(() => new Promise((resolve) => setTimeout(resolve, ms)));
        const units = Promise.all([afterMs(1_450), afterMs(2_900), add(1)]);
        for (let time = 0; time < 6; time++) {
          for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
          jest.advanceTimersByTime(1_450);
        }
        await units;

        expect(await numbers()).toEqual([1n]);
      });

      it('has three seconds from its last statement', async () => {
        let step = 0;
        const slow = write(async (session) => {
          while (step < 3) {
            await session.query(INSERT, [++step, null]);
            await new Promise((resolve) => setTimeout(resolve, 2_900));
          }
        });
        for (let time = 0; time < 6; time++) {
          for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
          jest.advanceTimersByTime(1_450);
        }
        await slow;
        await threeSeconds();
        await add(4);

        expect(await numbers()).toEqual([1n, 2n, 3n, 4n]);
      });
    });
  });

  it('refuses a write outside a transaction', async () => {
    await expect(database.query(INSERT, [1, 'one'])).rejects.toThrow(StorageUnavailable);
  });

  it.each(['succeeded', 'failed'])(
    'refuses a statement of a unit that has %s during the next unit',
    async (outcome) => {
      let leaked: SqlSession | undefined;
      const outcomes = await Promise.allSettled([
        write(async (session) => {
          leaked = session;
          if (outcome === 'failed') throw new Error('failed');
        }),
        write(() => leaked!.query(INSERT, [1, 'one'])),
      ]);

      expect(outcomes[1]).toMatchObject(ENDED);
      expect(await count()).toBe(0n);
    },
  );

  it('stores nothing of a turn when SQLite has ended its transaction, even if units continue to write', async () => {
    await add(1);
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);

    const outcomes = await Promise.allSettled([
      add(2),
      write(async (session) => {
        await session
          .query(INSERT.replace('INSERT', 'INSERT OR ROLLBACK'), [1, 'one'])
          .catch(() => undefined);
        await session.query(INSERT, [3, 'three']);
      }),
    ]);

    expect(outcomes).toMatchObject([ENDED, ENDED]);
    expect(logged).not.toHaveBeenCalled();
    expect(await numbers()).toEqual([1n]);
  });

  it('finishes waiting writes before it closes', async () => {
    const written = add(1);
    await database.close();

    await expect(written).resolves.toEqual([]);
    database = await openNewSqlite(sqliteOptions(join(folder, 'next.db')), [tables]);
  });
});

describe('SqliteDatabase, beside others', () => {
  let logged: Record<'log' | 'warn' | 'error', jest.SpyInstance>;

  beforeEach(async () => {
    const silent = (level: 'log' | 'warn' | 'error') =>
      jest.spyOn(Logger.prototype, level).mockReturnValue(undefined);
    logged = { log: silent('log'), warn: silent('warn'), error: silent('error') };
    await open(60_000);
  });

  async function open(lockTimeoutMs: number): Promise<void> {
    const soleUser = { name: 'the suite', nowMs: 0 };
    database = await openDatabase({ ...sqliteOptions(file), lockTimeoutMs }, [tables], { soleUser });
  }

  describe('while another process writes', () => {
    let other: SqliteConnection.Database;

    beforeEach(() => {
      other = new SqliteConnection(file);
      other.exec('BEGIN IMMEDIATE');
    });

    afterEach(() => other.close());

    it('still reads, and writes as soon as the other process is done', async () => {
      const outcomes: string[] = [];
      const added = Promise.all([add(1), add(2)]).then(() => outcomes.push('added'));
      for (let turn = 0; turn < 5; turn++) {
        expect(await count()).toBe(0n);
        await database.check();
        await new Promise(setImmediate);
      }
      outcomes.push('released');
      other.exec('ROLLBACK');
      await added;

      expect(outcomes).toEqual(['released', 'added']);
      expect(await count()).toBe(2n);
      for (const level of Object.values(logged)) expect(level).not.toHaveBeenCalled();
    });

    it('rejects a write that has waited too long, does not run it later, and runs the next', async () => {
      await database.close();
      await open(20);
      let nowMs = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
      const busy = 'Another process has been writing to the database for more than 20 ms.';
      const waitsTooLong = () => expect(add(1)).rejects.toMatchObject({ cause: { message: busy } });
      for (let time = 0; time < 2; time++) {
        const outcome = waitsTooLong();
        await new Promise(setImmediate);
        nowMs += 20;
        await outcome;
      }
      const outcome = waitsTooLong();
      nowMs += 1;
      const later = add(2);
      nowMs += 19;
      await outcome;
      other.exec('ROLLBACK');
      await later;
      await add(3);

      expect(logged.warn.mock.calls).toEqual([
        [
          'Another process has been writing to the database for more than 20 ms: writes fail until it is done.',
        ],
      ]);
      expect(logged.log.mock.calls).toEqual([['Writes succeed again.']]);
      expect(await numbers()).toEqual([2n, 3n]);
    });

    it('refuses further writes at once when as many wait as may', async () => {
      const waiting = Array.from({ length: 10_000 }, (_, number) => add(number));
      const cause = { message: 'More than 10000 writes are waiting.' };
      await expect(add(10_000)).rejects.toMatchObject({ constructor: StorageUnavailable, cause });
      other.exec('ROLLBACK');
      await Promise.all(waiting);

      expect(await count()).toBe(10_000n);
    });
  });

  describe.each([
    ['the file is deleted', /store\.db was deleted while/, () => rmSync(file)],
    ['the write-ahead log is deleted', /store\.db-wal was deleted while/, () => rmSync(`${file}-wal`)],
    ['the lock is deleted', /store\.db-lock was deleted while/, () => rmSync(`${file}-lock`)],
    [
      'another file is put in its place',
      /store\.db was replaced while/,
      () => {
        writeFileSync(join(folder, 'other'), readFileSync(file));
        renameSync(join(folder, 'other'), file);
      },
    ],
  ])('when %s', (_, line, happens) => {
    it.each<[string, () => Promise<unknown>]>([
      ['a write', () => add(2)],
      ['a check', () => database.check()],
      [
        'a read a second later',
        () => {
          const nowMs = performance.now() + 1_000;
          jest.spyOn(performance, 'now').mockReturnValue(nowMs);
          return count();
        },
      ],
    ])('%s fails, as all later ones do, and logs the reason once', async (__, use) => {
      await add(1);
      happens();

      for (const one of [use, () => add(3), count, () => database.check()])
        await expect(one()).rejects.toThrow(StorageUnavailable);
      expect(() => database.assertUsable()).toThrow(StorageUnavailable);
      expect(logged.error.mock.calls).toEqual([[expect.stringMatching(line)]]);
    });
  });

  it('still has every acknowledged write in the file when only the write-ahead log is deleted', async () => {
    await add(1);
    rmSync(`${file}-wal`);
    await expect(database.check()).rejects.toThrow(StorageUnavailable);

    // A copy of the file alone has what would be there after a kill -9.
    writeFileSync(join(folder, 'copy.db'), readFileSync(file));
    const copy = new SqliteConnection(join(folder, 'copy.db'), { readonly: true });
    expect(copy.prepare('SELECT number FROM notes').all()).toEqual([{ number: 1 }]);
    copy.close();
  });

  it('works again when the file is back', async () => {
    renameSync(file, join(folder, 'elsewhere'));
    await expect(add(1)).rejects.toThrow(StorageUnavailable);
    renameSync(join(folder, 'elsewhere'), file);
    await database.check();

    await add(2);
    expect(await numbers()).toEqual([2n]);
  });

  it('calls the commit listeners of a rejected commit, as its rows may come back with the file', async () => {
    const heard: string[] = [];
    const adding = write((session, transaction) => {
      transaction.onCommit(() => heard.push('committed'));
      rmSync(file);
      return session.query(INSERT, [1, 'one']);
    });

    await expect(adding).rejects.toThrow(StorageUnavailable);
    expect(heard).toEqual(['committed']);
  });

  it('rejects writes while the disk is full, still reads, and writes again when there is room', async () => {
    const { dataSource } = database as unknown as {
      dataSource: { driver: { databaseConnection: SqliteConnection.Database } };
    };
    const { databaseConnection: writing } = dataSource.driver;
    await add(1);
    // SQLite reports the same error for a file that may not grow.
    const pages = writing.pragma('page_count', { simple: true }) as number | bigint;
    writing.pragma(`max_page_count = ${pages}`);
    const addMuch = () => add(2, 'x'.repeat(10 * PAGE_BYTES));

    await expect(addMuch()).rejects.toMatchObject({ cause: { code: 'SQLITE_FULL' } });
    await expect(addMuch()).rejects.toThrow(StorageUnavailable);
    expect(await count()).toBe(1n);
    await database.check();

    writing.pragma('max_page_count = 1000000');
    await addMuch();
    expect(await count()).toBe(2n);
  });

  describe('when another process works on the files', () => {
    let other: SqliteConnection.Database;

    beforeEach(async () => {
      for (let note = 1; note <= 10; note++) await add(note);
      other = new SqliteConnection(file);
    });

    afterEach(() => other.close());

    const checkpoint = (mode: string) => void other.pragma(`wal_checkpoint(${mode})`);
    const insert = (notes: number) => {
      for (let note = 0; note < notes; note++)
        other.exec('INSERT INTO notes (text) VALUES (hex(randomblob(8)))');
    };

    it.each<[string, () => void]>([
      ['moves the log to the file', () => checkpoint('FULL')],
      ['begins the log anew', () => checkpoint('RESTART')],
      ['truncates the log', () => checkpoint('TRUNCATE')],
      ['writes', () => insert(3)],
      [
        'begins the log anew several times, and writes as much as it had',
        () => {
          for (let time = 0; time < 3; time++) {
            checkpoint('RESTART');
            insert(30);
          }
        },
      ],
      [
        'makes the file smaller',
        () => {
          other.exec('DELETE FROM notes WHERE number > 40; VACUUM');
          checkpoint('TRUNCATE');
        },
      ],
    ])('continues when it %s', async (_, works) => {
      await add(50, 'x'.repeat(20 * PAGE_BYTES));
      checkpoint('TRUNCATE');
      await add(11);
      await database.check();

      works();
      // More frames than the log had.
      await add(100_000, 'y'.repeat(50 * PAGE_BYTES));
      await database.check();
      works();
      await database.check();
      await add(12);
      expect(await numbers()).toEqual(expect.arrayContaining([1n, 10n, 11n, 12n]));
      expect(logged.error.mock.calls).toEqual([]);
    });
  });

  it('leaves the file as it is when it closes after the log was cut, so that the next start has what was stored', async () => {
    await add(1);
    await database.close();
    const bytes = readFileSync(file);
    await open(60_000);
    await add(2);
    await add(3);
    truncateSync(`${file}-wal`, database.logBytes! - 1);
    await expect(add(4)).rejects.toThrow(StorageUnavailable);
    await database.close();

    expect(readFileSync(file).equals(bytes)).toBe(true);
    await open(60_000);
    expect(await numbers()).toEqual([1n, 2n]);
  });

  const checkpointed = async () => {
    await add(1, 'x'.repeat(20 * PAGE_BYTES));
    const other = new SqliteConnection(file);
    other.pragma('wal_checkpoint(TRUNCATE)');
    other.close();
  };

  it.each<[string, (bytes: number) => number]>([
    ['cut to nothing', () => 0],
    ['cut to a page', () => PAGE_BYTES],
    ['cut by a page', (bytes) => bytes - PAGE_BYTES],
    ['cut by a byte', (bytes) => bytes - 1],
    ['overwritten by a larger one', (bytes) => bytes + PAGE_BYTES],
  ])('stores nothing more when the file is %s', async (_, bytesOf) => {
    await checkpointed();
    await database.check();
    truncateSync(file, bytesOf(statSync(file).size));

    await expect(add(2)).rejects.toThrow(StorageUnavailable);
    await expect(count()).rejects.toThrow(StorageUnavailable);
    expect(logged.error.mock.calls).toEqual([
      [
        `${file} was cut or overwritten while the service had it open. Nothing is read or stored any more. Restore a backup and restart the service.`,
      ],
    ]);
  });

  it.each([-PAGE_BYTES, PAGE_BYTES])(
    'notices a file that has changed by %i bytes before anything was written',
    async (bytes) => {
      await checkpointed();
      await database.close();
      await open(60_000);
      truncateSync(file, statSync(file).size + bytes);

      await expect(database.check()).rejects.toThrow(StorageUnavailable);
    },
  );

  it('continues when its log has been moved to the file by itself', async () => {
    for (let note = 1; note <= 20; note++) await add(note, `${note}`.repeat(2_000_000));

    expect(statSync(file).size).toBeGreaterThan(16_000_000);
    expect(await count()).toBe(20n);
    expect(logged.error.mock.calls).toEqual([]);
  });

  describe('when the file is damaged', () => {
    const damaged = (code: string) => [
      `${file} is damaged (${code}). Nothing is read or stored any more. Restore a backup and restart the service.`,
    ];

    /** Overwrites the rows of a table. */
    async function damage(table: string): Promise<void> {
      await add(1);
      await write((session) => session.query(`INSERT INTO labels VALUES ('urgent')`));
      await database.close();
      const bytes = readFileSync(file);
      bytes.fill('x', rootPageOf(table) - PAGE_BYTES, rootPageOf(table));
      writeFileSync(file, bytes);
      await open(60_000);
    }

    it('stops reading and writing, and logs this once', async () => {
      await damage('notes');

      const read = () => database.query('SELECT * FROM notes');
      await expect(read()).rejects.toThrow(StorageUnavailable);
      await expect(read()).rejects.toThrow(StorageUnavailable);
      await expect(database.check()).rejects.toThrow(StorageUnavailable);
      await expect(add(2)).rejects.toThrow(StorageUnavailable);
      expect(logged.error.mock.calls).toEqual([damaged('SQLITE_CORRUPT')]);
    });

    it.each<[string, (session: SqlTransaction) => Promise<unknown>]>([
      ['finds it', (session) => session.query('SELECT * FROM labels')],
      ['is open when another finds it', () => database.query('SELECT * FROM labels')],
    ])('acknowledges and stores nothing of a turn that %s, nor of what waits after it', async (_, find) => {
      await damage('labels');
      let next: Promise<unknown> | undefined;

      const outcomes = await Promise.allSettled([
        add(2),
        write(async (session) => {
          // As another request does, while this one is in flight.
          await new Promise<void>((resolve) => process.nextTick(resolve));
          next ??= add(4);
          next.catch(() => undefined);
          return find(session);
        }),
        add(3),
      ]);

      expect(outcomes).toMatchObject(Array(3).fill({ reason: expect.any(StorageUnavailable) as unknown }));
      await expect(next).rejects.toThrow(StorageUnavailable);
      const copy = new SqliteConnection(file, { readonly: true });
      expect(copy.prepare('SELECT number FROM notes').all()).toEqual([{ number: 1 }]);
      copy.close();
    });
  });

  /** The end of the first page of the table in the file. */
  function rootPageOf(table: string): number {
    const connection = new SqliteConnection(file, { readonly: true });
    const row = connection.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
    connection.close();
    return (row as { rootpage: number }).rootpage * PAGE_BYTES;
  }
});
