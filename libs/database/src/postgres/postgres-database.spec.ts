import { once } from 'node:events';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { Circuit, StorageUnavailable } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import type { PostgresOptions } from '../opening/database-options.js';
import { openDatabase } from '../opening/data-source.js';
import type { Database } from '../database.js';
import type { SqlSession, SqlValue } from '../sql-session.js';
import { createIndex } from '../migrations/create-index.js';
import type { PostgresParts } from './postgres-database.js';
import { StatementNames } from './round-trip.js';
import { isBack, NewPostgres } from '../testing/new-postgres.js';
import { notesTables } from '../testing/tables.js';
import { describeOnPostgres, temporaryPostgresOptions, unpooled } from '../testing/temporary-database.js';

const INSERT = 'INSERT INTO notes (number, text) VALUES ($1, $2)';
const NUMBERS = 'SELECT number FROM notes ORDER BY number';

describeOnPostgres('PostgresDatabase', () => {
  const postgres = NewPostgres.forEachTest(notesTables);

  function write<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return postgres.run(work);
  }

  const add = (number: number) => write((session) => session.query(INSERT, [number, null]));

  async function numbers(): Promise<bigint[]> {
    return (await postgres.database.query<{ number: bigint }>(NUMBERS)).map(({ number }) => number);
  }

  /** Breaks connections of this database from the server's side, as an administrator or a restart does. */
  async function breakConnections(state: 'idle' | 'idle in transaction'): Promise<void> {
    // By their last statement, as the other suites of this run use the same server.
    const sql = `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
      WHERE state = $1 AND query LIKE $2 AND pid <> pg_backend_pid()`;
    const { rowCount } = await postgres.other.query(sql, [state, `%${mark}%`]);
    expect(rowCount).toBe(1);
  }
  const mark = `mark_${process.pid}`;
  const MARK = `SELECT 1 AS ${mark}`;

  describe('that opens its connections before the first request', () => {
    let connect: jest.SpyInstance;

    beforeEach(() => {
      connect = jest.spyOn(pg.Client.prototype, 'connect');
    });

    afterEach(() => connect.mockRestore());

    it('has them for a burst', async () => {
      await postgres.database.openConnections();
      expect(connect).toHaveBeenCalledTimes(postgres.settings.poolSize - 2);
      await Promise.all(
        Array.from({ length: postgres.settings.poolSize }, () => postgres.database.query('SELECT 1')),
      );
      expect(connect).toHaveBeenCalledTimes(postgres.settings.poolSize - 2);
    });

    it('outlives one that breaks while the others are opened', async () => {
      connect.mockRestore();
      const { connect: open } = pg.Client.prototype as unknown as { connect: (done: unknown) => void };
      let openLast = () => {};
      connect = jest.spyOn(pg.Client.prototype, 'connect');
      connect.mockImplementationOnce(function (this: pg.Client, done: unknown) {
        openLast = () => open.call(this, done);
      });
      const { parts } = postgres.database as unknown as { parts: PostgresParts };
      const acquired = once(parts.reads, 'acquire') as Promise<[pg.PoolClient]>;
      const opening = postgres.database.openConnections();
      const [first] = await acquired;
      await turn();
      first.emit('error', new Error('terminating connection'));
      openLast();
      await opening;
      expect(await numbers()).toEqual([]);
    });
  });

  it('finds out with each check how far the clock of the host is ahead of the server', async () => {
    const clock = new FakeClock(new Date().toISOString());
    const database = await postgres.openAnother({}, { clock });
    await database.check();
    expect(Math.abs(database.clockAheadMs)).toBeLessThan(60_000);

    clock.advance(90_000_000);
    await database.check();
    expect(Math.abs(database.clockAheadMs - 90_000_000)).toBeLessThan(60_000);
    await database.close();
  });

  describe('when the driver refuses a value', () => {
    const unwritable = [{ beyond: 1n } as unknown as SqlValue];
    const ECHO = 'SELECT $1::text AS value, pg_backend_pid() AS pid';

    it.each<[string, (values: SqlValue[]) => Promise<unknown>]>([
      ['a read', (values) => postgres.database.query(ECHO, values)],
      ['a transaction', (values) => write((session) => session.query(ECHO, values))],
    ])('blames the program for %s, not PostgreSQL, and runs the statement again', async (_, echo) => {
      await postgres.reopen({ poolSize: 1 });
      const suspect = jest.spyOn(Circuit.prototype, 'suspect');
      const refused = echo(unwritable);
      await expect(refused).rejects.not.toBeInstanceOf(StorageUnavailable);
      await expect(refused).rejects.toMatchObject({
        cause: { message: expect.stringContaining('BigInt') as string },
      });
      expect(suspect).not.toHaveBeenCalled();
      suspect.mockRestore();

      expect(await echo(['fine'])).toMatchObject([{ value: 'fine' }]);
    });
  });

  it('continues with the same connection after an error of the program or of a statement', async () => {
    await postgres.reopen({ poolSize: 1 });
    const pid = () => postgres.database.query('SELECT pg_backend_pid() AS pid');
    const before = await pid();
    await expect(postgres.database.query('SELECT nothing')).rejects.toMatchObject({ code: '42703' });
    await expect(write((session) => session.query('SELECT nothing'))).rejects.toMatchObject({
      code: '42703',
    });
    await expect(write(() => Promise.reject(new TypeError('no')))).rejects.toThrow('no');
    expect(await pid()).toEqual(before);
  });

  describe('when PostgreSQL does not have the prepared statements that it should have', () => {
    const readAll = () => Promise.all(Array.from({ length: 20 }, () => numbers()));
    const readWhileWriting = (number: number) =>
      write(async (session) => {
        await session.query(NUMBERS);
        await session.query(INSERT, [number, 'written']);
      });

    it('continues when a column has another type, on every connection', async () => {
      await Promise.all([readAll(), ...[1, 2, 3, 4].map(readWhileWriting)]);
      const close = jest.spyOn(pg.Client.prototype, 'end');
      await postgres.other.query('ALTER TABLE notes ALTER COLUMN number TYPE numeric');
      await Promise.all([readAll(), ...[5, 6, 7, 8].map(readWhileWriting)]);
      await postgres.other.query('ALTER TABLE notes ALTER COLUMN number TYPE bigint');
      await Promise.all([readAll(), ...[9, 10, 11, 12].map(readWhileWriting)]);

      expect(await numbers()).toEqual(Array.from({ length: 12 }, (_, index) => BigInt(index + 1)));
      // By way of a pooler nothing is prepared that could be lost.
      if (process.env.TEST_POOLED !== 'true') expect(close).toHaveBeenCalled();
    });

    it('continues when others have their names', async () => {
      await postgres.reopen({ poolSize: 2 });
      const texts = Array.from({ length: 60 }, (_, index) => `SELECT ${index} AS number`);
      const names = new StatementNames();
      for (const text of texts.slice(30))
        await postgres.database.query(`PREPARE "${names.of(text).name}" AS SELECT 'wrong' AS number`);

      for (const [index, text] of texts.entries())
        expect(await postgres.database.query(text)).toEqual([{ number: index }]);
    });
  });

  it('acknowledges nothing that PostgreSQL has rolled back', async () => {
    const goesOn = write(async (session) => {
      await session.query(INSERT, [1, 'one']);
      await session.query('SELECT nothing').catch(() => undefined);
    });
    await expect(goesOn).rejects.toThrow(
      'A statement of the transaction failed, so the transaction was rolled back.',
    );
    expect(await numbers()).toEqual([]);
  });

  describe('says that storage is unavailable', () => {
    it('when a statement takes longer than the settings allow, and continues with the next', async () => {
      await postgres.reopen({ statementTimeoutMs: 50 });
      await expect(postgres.database.query('SELECT pg_sleep(5)')).rejects.toThrow(StorageUnavailable);
      await expect(write((session) => session.query('SELECT pg_sleep(5)'))).rejects.toBeInstanceOf(
        StorageUnavailable,
      );
      expect(await numbers()).toEqual([]);
    });

    it('when every connection that reads stays in use for longer than the settings allow', async () => {
      await postgres.reopen({ poolSize: 1, connectTimeoutMs: 1_000 });
      const slow = postgres.database.query('SELECT pg_sleep(3)');
      await expect(numbers()).rejects.toThrow(StorageUnavailable);
      await add(1);
      await slow;
      expect(await numbers()).toEqual([1n]);
    });

    it('at once when more writes wait for a connection than may, while reads and background work continue', async () => {
      await postgres.reopen({ poolSize: 1, queueSize: 2, connectTimeoutMs: 60_500 });
      const finish = await postgres.hold();
      const waiting = [1, 2].map((number) => add(number));

      const shed = add(3);
      await expect(shed).rejects.toThrow(StorageUnavailable);
      // By then everybody in the queue has been served, or has given up.
      await expect(shed).rejects.toMatchObject({ retryAfterSeconds: 61 });
      expect(await numbers()).toEqual([]);
      await postgres.database.check();
      expect(await postgres.database.background.query(NUMBERS)).toEqual([]);
      await finish();
      await Promise.all(waiting);
      expect(await numbers()).toEqual([1n, 2n]);
    });

    it('at once when more reads wait for a connection than may, while writes continue', async () => {
      await postgres.reopen({ poolSize: 1, queueSize: 2, connectTimeoutMs: 60_500 });
      const slow = postgres.database.query('SELECT pg_sleep(0.5)');
      await turn();
      const waiting = [numbers(), numbers()];

      await expect(numbers()).rejects.toThrow(StorageUnavailable);
      await add(1);
      await Promise.all([slow, ...waiting]);
      expect(await numbers()).toEqual([1n]);
    });

    it.each<[string, (session: SqlSession) => unknown]>([
      [
        'in the middle of a transaction, of which nothing is stored',
        (session) => session.query(INSERT, [2, 'two']),
      ],
      ['before the commit', () => undefined],
    ])('when the connection breaks %s', async (_, goOn) => {
      const broken = write(async (session) => {
        await session.query(INSERT, [1, 'one']);
        await session.query(MARK);
        await breakConnections('idle in transaction');
        await goOn(session);
      });
      await expect(broken).rejects.toThrow(StorageUnavailable);
      expect(await numbers()).toEqual([]);
    });
  });

  it('does not mind a connection that breaks while nobody uses it', async () => {
    await postgres.database.query(MARK);
    await breakConnections('idle');
    expect(await numbers()).toEqual([]);
  });

  describe('while every connection that may write is used by slow writes', () => {
    let finishing: (() => Promise<void>)[];

    beforeEach(async () => {
      await postgres.reopen({ poolSize: 5, connectTimeoutMs: 1_000 });
      const { database } = postgres;
      finishing = await Promise.all(
        [database, database, database.background].map((each) => postgres.hold(each)),
      );
    });

    const finish = () => Promise.all(finishing.map((end) => end()));

    afterEach(finish);

    it('reads and checks do not wait for them', async () => {
      expect(await numbers()).toEqual([]);
      await postgres.database.check();
      expect(await postgres.database.background.query(NUMBERS)).toEqual([]);
    });

    it('another write waits for its time and no longer, or until a slow one ends', async () => {
      const late = add(1);
      await expect(late).rejects.toThrow(StorageUnavailable);
      const next = add(2);
      await finish();
      await next;
      expect(await numbers()).toEqual([2n]);
    });
  });

  it('refuses everything at once when PostgreSQL stalls, after the first has waited, and recovers when it continues', async () => {
    const { proxy, url } = await postgres.openProxy();
    await postgres.reopen({ url, poolSize: 1, connectTimeoutMs: 1_000 });
    await numbers();
    proxy.stall();
    const stalled = numbers();
    await expect(numbers()).rejects.toThrow(StorageUnavailable);
    await expect(postgres.database.check()).rejects.toThrow(StorageUnavailable);

    let hasWaited = false;
    setImmediate(() => (hasWaited = true));
    await expect(numbers()).rejects.toThrow(StorageUnavailable);
    await expect(add(1)).rejects.toBeInstanceOf(StorageUnavailable);
    const insert = postgres.database.inserter({ single: INSERT, many: null });
    await expect(insert([1, 'one'])).rejects.toThrow(StorageUnavailable);
    expect(hasWaited).toBe(false);

    proxy.resume();
    expect(await stalled).toEqual([]);
    await isBack(postgres.database);
    expect(await numbers()).toEqual([]);
  });

  it('gives up to open after the time for a connection, when the server says nothing at all', async () => {
    const { proxy, url } = await postgres.openProxy();
    proxy.stall();
    await expect(postgres.openAnother({ url, connectTimeoutMs: 50 })).rejects.toThrow('timeout');
  });
});

describeOnPostgres('the migrations of PostgreSQL', () => {
  it('are done once when several replicas start at once on an empty database', async () => {
    const settings = await temporaryPostgresOptions();
    const replicas = await Promise.all(
      Array.from({ length: 5 }, () => openDatabase(settings, [notesTables])),
    );
    const done = await replicas[4]!.query('SELECT name FROM migrations');
    await Promise.all(replicas.map((replica) => replica.close()));
    expect(done).toEqual([{ name: 'CreateTables1795000000000' }]);
  });

  it('may take longer than a statement of the service', async () => {
    class RebuildsSlowly1795000000001 {
      async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
        await runner.query('SELECT pg_sleep(0.2)');
      }
    }
    const settings = { ...(await temporaryPostgresOptions()), statementTimeoutMs: 50 };
    const database = await openDatabase(settings, [
      { records: [], migrations: [RebuildsSlowly1795000000001] },
    ]);
    expect(await database.query('SELECT name FROM migrations')).toEqual([
      { name: 'RebuildsSlowly1795000000001' },
    ]);
    await database.close();
  });

  describe('beside a server of the previous release', () => {
    let settings: PostgresOptions;
    let running: Database;
    let backup: pg.Client;

    beforeEach(async () => {
      // A build waits for all transactions of its database, and the turns are those of a database.
      settings = { ...(await temporaryPostgresOptions('DATABASE')), statementTimeoutMs: 2_000 };
      running = await openDatabase(settings, [notesTables]);
      backup = new pg.Client({ connectionString: unpooled(settings.url) });
      await backup.connect();
    });

    afterEach(async () => {
      await backup.end();
      await running.close();
    });

    /** Begins a backup, which uses the table, and for which a build waits. */
    async function beginBackup(): Promise<void> {
      await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await backup.query(NUMBERS);
    }

    const WAITS_TOO_LONG =
      /^The database at .* cannot be opened: a migration got no lock on its table within 1 ms, as another transaction uses it, such as a backup; pg_stat_activity has its name\.$/;

    describe('that need a table which another transaction uses', () => {
      class AddColour1795000000001 {
        async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
          await runner.query('ALTER TABLE notes ADD COLUMN colour text');
        }
      }
      const nextRelease = { records: [], migrations: [...notesTables.migrations, AddColour1795000000001] };
      const COLOURS = 'SELECT colour FROM notes';
      beforeEach(beginBackup);

      it('wait for its end, and the requests of the previous release lose nothing meanwhile', async () => {
        let isWaiting = () => {};
        const waits = new Promise<void>((resolve) => (isWaiting = resolve));
        const said: string[] = [];
        const opening = openDatabase(settings, [nextRelease], {
          onWaiting: (sentence) => {
            said.push(sentence);
            isWaiting();
          },
        });
        let isOpen = false;
        const opened = opening.then((database) => {
          isOpen = true;
          return database;
        });
        let count = 0n;
        async function work(): Promise<void> {
          while (!isOpen) {
            const number = ++count;
            await running.run((transaction) => running.session(transaction).query(INSERT, [number, 'one']));
            await running.query(NUMBERS);
          }
        }
        const working = Promise.all([work(), work()]);
        await Promise.race([waits, working]);
        await backup.query('COMMIT');
        await working;

        const next = await opened;
        expect(await next.query(COLOURS)).toHaveLength(Number(count));
        expect(said).toEqual(['A migration waits for a transaction that uses its table.']);
        await next.close();
      });

      it('end the start when it does not end in time, with a line that says why', async () => {
        const opening = openDatabase({ ...settings, migrationTimeoutMs: 1 }, [nextRelease]);
        await expect(opening).rejects.toThrow(WAITS_TOO_LONG);
      });
    });

    describe('that create an index beside writers', () => {
      class IndexTexts1795000000001 {
        readonly transaction = false;
        async up(runner: QueryRunner): Promise<void> {
          await createIndex(runner, 'notes_text', { on: 'notes', columns: '(text)' });
        }
      }
      const nextRelease = { records: [], migrations: [...notesTables.migrations, IndexTexts1795000000001] };
      const IS_VALID = `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass('notes_text')`;
      const write = (number: bigint) =>
        running.run((transaction) => running.session(transaction).query(INSERT, [number, 'one']));

      /** The session that waits for the backup. */
      async function waitingBuild(): Promise<number> {
        const sql =
          'SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
        for (;;) {
          const { rows } = await backup.query<{ pid: number }>(sql);
          if (rows[0]) return rows[0].pid;
          await delay(2);
        }
      }

      it('let them write, and wait for the transactions that were there before', async () => {
        await write(1n);
        await beginBackup();
        const opening = openDatabase(settings, [nextRelease]);
        await waitingBuild();
        await write(2n);
        expect(await running.query(IS_VALID)).toEqual([{ isValid: false }]);
        await backup.query('COMMIT');

        const next = await opening;
        expect(await next.query(IS_VALID)).toEqual([{ isValid: true }]);
        await next.close();
      });

      it('are refused within a transaction, also while the table is empty', async () => {
        class IndexWithin1795000000001 extends IndexTexts1795000000001 {
          override readonly transaction = undefined as never;
        }
        const wrong = { records: [], migrations: [...notesTables.migrations, IndexWithin1795000000001] };
        await expect(openDatabase(settings, [wrong])).rejects.toThrow('needs `transaction = false`');
      });

      it('continue after they were cut off', async () => {
        await write(1n);
        await beginBackup();
        const opening = openDatabase(settings, [nextRelease]);
        const cut = expect(opening).rejects.toThrow('cannot be opened');
        await backup.query('SELECT pg_terminate_backend($1, 1000)', [await waitingBuild()]);
        await cut;
        await backup.query('COMMIT');
        expect(await running.query(IS_VALID)).toEqual([{ isValid: false }]);

        const next = await openDatabase(settings, [nextRelease]);
        expect(await next.query(IS_VALID)).toEqual([{ isValid: true }]);
        await next.close();
      });

      it('wait for the build of a server that has ended, and use its index', async () => {
        await write(1n);
        await beginBackup();
        const ended = new pg.Client({ connectionString: unpooled(settings.url) });
        await ended.connect();
        const building = ended.query('CREATE INDEX CONCURRENTLY notes_text ON notes (text)');
        await waitingBuild();
        const opening = openDatabase(settings, [nextRelease]);
        const { rows } = await backup.query<{ id: string }>("SELECT 'notes_text'::regclass::oid AS id");
        await backup.query('COMMIT');
        await building;
        await ended.end();

        const next = await opening;
        expect(await next.query(`SELECT 'notes_text'::regclass::oid AS id`)).toEqual(rows);
        await next.close();
      });

      it('end the start when a transaction does not end in time, with a line that says why', async () => {
        await write(1n);
        await beginBackup();
        const opening = openDatabase({ ...settings, migrationTimeoutMs: 1 }, [nextRelease]);
        await expect(opening).rejects.toThrow(WAITS_TOO_LONG);
        // Now there is an index to be removed, for which it waits too.
        const again = openDatabase({ ...settings, migrationTimeoutMs: 1 }, [nextRelease]);
        await expect(again).rejects.toThrow(WAITS_TOO_LONG);
        await backup.query('COMMIT');

        const next = await openDatabase(settings, [nextRelease]);
        expect(await next.query(IS_VALID)).toEqual([{ isValid: true }]);
        await next.close();
      });

      it('end the start also when it could not be seen once whether they wait', async () => {
        await write(1n);
        await beginBackup();
        jest.spyOn(DataSource.prototype, 'query').mockRejectedValueOnce(new Error('too many connections'));
        const opening = openDatabase({ ...settings, migrationTimeoutMs: 1 }, [nextRelease]);
        await expect(opening).rejects.toThrow(WAITS_TOO_LONG);
      });
    });
  });
});
