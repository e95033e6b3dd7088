import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { StorageUnavailable } from '@animal-store/kernel';
import { UniqueViolation } from '../driver-errors.js';
import { RoundTrip, SentStatement, StatementNames } from './round-trip.js';
import type { SqlTransaction } from '../sql-session.js';
import { NewPostgres } from '../testing/new-postgres.js';
import { notesTables } from '../testing/tables.js';
import { describeOnPostgres } from '../testing/temporary-database.js';

const INSERT = 'INSERT INTO notes (number, text) VALUES ($1, $2)';
const UPDATE = 'UPDATE notes SET text = $2 WHERE number = $1';
const TEXTS = 'SELECT text FROM notes ORDER BY number';
const ONE = 'SELECT 1 AS one';

const one = (single: string) => ({ single, many: null });

class ChangedTheirMind extends Error {}

describeOnPostgres('Round trips of a transaction', () => {
  const postgres = NewPostgres.forEachTest(notesTables, { poolSize: 1 });
  /** What each round trip sent. */
  let sent: string[];
  /** How often the work of `write` was run. */
  let runs = 0;

  beforeEach(async () => {
    await postgres.other.query("INSERT INTO notes VALUES (1, 'one'), (2, 'two')");
    sent = [];
    runs = 0;
    const send = RoundTrip.prototype.send;
    jest.spyOn(RoundTrip.prototype, 'send').mockImplementation(function (this: RoundTrip, client) {
      sent.push(this.text);
      return send.call(this, client);
    });
  });

  function write<T>(work: (session: SqlTransaction) => Promise<T>): Promise<T> {
    return postgres.run((session) => {
      runs++;
      return work(session);
    });
  }

  async function texts(): Promise<string[]> {
    return (await postgres.other.query<{ text: string }>(TEXTS)).rows.map(({ text }) => text);
  }

  /** Keeps others from changing the first note. */
  async function lockFirst(): Promise<void> {
    await postgres.other.query('BEGIN');
    await postgres.other.query('SELECT 1 FROM notes WHERE number = 1 FOR UPDATE');
  }

  /** What waits for a lock for longer than a moment is run again, and then waits for seconds. */
  async function untilItWaits(): Promise<void> {
    while (runs < 2) await turn();
  }

  it('are one with BEGIN and the first statement, one with a write and the next, one with the last write and COMMIT', async () => {
    await write(async (session) => {
      await session.query(TEXTS);
      await session.execute(one(UPDATE), [1, 'first']);
      expect(await session.query(TEXTS)).toEqual([{ text: 'first' }, { text: 'two' }]);
      await session.execute(one(UPDATE), [2, 'second']);
      await session.execute(one(INSERT), [3, 'third']);
    });

    expect(sent).toEqual([`BEGIN; ${TEXTS}`, `${UPDATE}; ${TEXTS}`, `${UPDATE}; ${INSERT}; COMMIT`]);
    expect(await texts()).toEqual(['first', 'second', 'third']);
  });

  it('are one for statements that do not wait for one another, each of which sees what the one before waited for', async () => {
    await postgres.other.query('SELECT pg_advisory_lock(7)');
    const writing = write((session) =>
      Promise.all([session.query('SELECT pg_advisory_xact_lock(7)'), session.query(TEXTS)]),
    );
    await postgres.waitingForOther();
    await postgres.other.query("UPDATE notes SET text = 'first' WHERE number = 1");
    await postgres.other.query('SELECT pg_advisory_unlock(7)');

    expect((await writing)[1]).toEqual([{ text: 'first' }, { text: 'two' }]);
    // What has waited for a lock for long is run again.
    expect([...new Set(sent)]).toEqual([`BEGIN; SELECT pg_advisory_xact_lock(7); ${TEXTS}`, 'COMMIT']);
  });

  it('have twenty statements at most, so that they are not slower than one may be', async () => {
    await write(async (session) => {
      for (let number = 3; number < 48; number++) await session.execute(one(INSERT), [number, 'many']);
    });
    const counts = sent.map((text) => text.split('; ').length);
    // 45 inserts, BEGIN and COMMIT.
    expect(counts.reduce((sum, count) => sum + count)).toBe(47);
    expect(Math.max(...counts)).toBe(21);
    expect(await texts()).toHaveLength(47);
  });

  describe('with a write that fails after its caller continued', () => {
    it('are made again with each write waited for, so its error comes where it belongs', async () => {
      const adding = write(async (session) => {
        try {
          await session.execute(one(INSERT), [2, 'again']);
        } catch (error) {
          throw error instanceof UniqueViolation ? new ChangedTheirMind() : error;
        }
        await session.query(ONE).catch(() => {
          throw new Error('The wrong statement has failed.');
        });
      });

      await expect(adding).rejects.toThrow(ChangedTheirMind);
      expect(runs).toBe(2);
      expect(await texts()).toEqual(['one', 'two']);
    });

    it('are made again when that write was sent with COMMIT', async () => {
      const adding = write((session) => session.execute(one(INSERT), [2, 'again']));
      await expect(adding).rejects.toThrow(UniqueViolation);
      expect(sent).toEqual([`BEGIN; ${INSERT}; COMMIT`, `BEGIN; ${INSERT}`]);
      await write((session) => session.execute(one(INSERT), [3, 'three']));
      expect(await texts()).toEqual(['one', 'two', 'three']);
    });

    it('do not commit what the work stored when it ignores the error', async () => {
      const adding = write(async (session) => {
        await session.execute(one(INSERT), [2, 'again']);
        await session.query(ONE).catch(() => undefined);
        await session.execute(one(INSERT), [3, 'three']);
      });
      await expect(adding).rejects.toThrow(UniqueViolation);
      expect(await texts()).toEqual(['one', 'two']);
    });

    it('are made again as after any deadlock when it was one', async () => {
      await postgres.other.query('CREATE SEQUENCE calls');
      await postgres.other.query(`CREATE FUNCTION fail_first() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('calls') = 1 THEN RAISE EXCEPTION USING ERRCODE = '40P01'; END IF;
        RETURN 0; END $$`);
      await write(async (session) => {
        await session.execute(one(UPDATE), [1, 'first']);
        await session.execute(one('SELECT fail_first()'), []);
        await session.query(ONE);
        await session.execute(one(UPDATE), [2, 'second']);
      });

      expect(runs).toBe(2);
      expect(sent.at(-1)).toBe(`${UPDATE}; COMMIT`);
      expect(await texts()).toEqual(['first', 'second']);
    });

    it('reject an EntityManager whose statement comes next, and make the unit of work again', async () => {
      const adding = write(async (session) => {
        await session.execute(one(INSERT), [2, 'again']);
        await session.entityManager().query(ONE);
      });
      await expect(adding).rejects.toThrow(UniqueViolation);
      expect(runs).toBe(2);
    });

    it('are not made again when the connection breaks, as the outcome is unknown', async () => {
      await lockFirst();
      const writing = write((session) => session.execute(one(UPDATE), [1, 'first']));
      writing.catch(() => undefined);
      await untilItWaits();
      await postgres.breakWaiting();
      const runsBefore = runs;
      await postgres.other.query('COMMIT');

      await expect(writing).rejects.toThrow(StorageUnavailable);
      expect(runs).toBe(runsBefore);
      expect(await texts()).toEqual(['one', 'two']);
      await write((session) => session.execute(one(UPDATE), [1, 'first']));
      expect(await texts()).toEqual(['first', 'two']);
    });

    it('are not made again when the response to COMMIT is lost, although it was stored', async () => {
      const { proxy, url } = await postgres.openProxy();
      await postgres.reopen({ url });
      await lockFirst();
      const writing = write((session) => session.execute(one(UPDATE), [1, 'first']));
      writing.catch(() => undefined);
      await untilItWaits();
      await postgres.waitingForOther();
      proxy.delayResponses();
      await postgres.other.query('COMMIT');
      while ((await texts())[0] !== 'first');
      const runsBefore = runs;
      await proxy.stop();

      await expect(writing).rejects.toThrow(StorageUnavailable);
      expect(runs).toBe(runsBefore);
    });
  });

  it('are not made again when the connection breaks after the response to COMMIT', async () => {
    const { handleReadyForQuery } = RoundTrip.prototype;
    jest.spyOn(RoundTrip.prototype, 'handleReadyForQuery').mockImplementation(function (this: RoundTrip) {
      if (this.statements.at(-1)!.named.sql !== 'COMMIT') return handleReadyForQuery.call(this);
      this.handleError(new Error('Connection terminated unexpectedly'));
    });

    await expect(write((session) => session.execute(one(UPDATE), [1, 'first']))).rejects.toThrow(
      StorageUnavailable,
    );
    expect(runs).toBe(1);
    expect(await texts()).toEqual(['first', 'two']);
  });

  it('fail only the statement with a row that cannot be read', async () => {
    const parser = jest.spyOn(pg.Client.prototype, 'getTypeParser');
    parser.mockReturnValueOnce(() => {
      throw new RangeError('out of range');
    });
    const [failed, read] = await write((session) =>
      Promise.allSettled([session.query(ONE), session.query(TEXTS)]),
    );

    expect(failed).toMatchObject({ status: 'rejected', reason: { cause: new RangeError('out of range') } });
    expect(read).toMatchObject({ status: 'fulfilled', value: [{ text: 'one' }, { text: 'two' }] });
  });

  it('run a statement that PostgreSQL skipped, as one before it failed, when it comes again', async () => {
    const neverRun = 'SELECT 2 AS two';
    const failing = write((session) =>
      Promise.all([session.query('SELECT 1 / 0'), session.query(neverRun).catch(() => undefined)]),
    );
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(await write((session) => session.query(neverRun))).toEqual([{ two: 2 }]);
  });

  it('run no statement after the end of the transaction', async () => {
    let late: Promise<unknown> = Promise.resolve();
    await write((session) => {
      late = session.query(ONE).then(() => session.query(INSERT, [3, 'three']));
      return Promise.resolve();
    });
    await expect(late).rejects.toThrow('This transaction has ended');
    expect(await texts()).toEqual(['one', 'two']);
  });

  it('fail with the error of a value that cannot be read, and the connection continues', async () => {
    const types = {
      getTypeParser: () => () => {
        throw new RangeError('out of range');
      },
    };
    const client = new pg.Client({ connectionString: postgres.settings.url, types });
    await client.connect();
    const names = new StatementNames();
    await expect(new RoundTrip([new SentStatement(names.of(ONE))]).send(client)).rejects.toMatchObject({
      cause: new RangeError('out of range'),
    });
    const empty = new SentStatement(names.of(`${ONE} WHERE FALSE`));
    await new RoundTrip([empty]).send(client);
    expect(empty.rows).toEqual([]);
    await client.end();
  });
});
