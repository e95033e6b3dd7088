import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { StorageUnavailable, type Transaction } from '@animal-store/kernel';
import { UniqueViolation } from '../../driver-errors.js';
import { NewPostgres } from '../../testing/new-postgres.js';
import { tablesOf } from '../../testing/tables.js';
import { describeOnPostgres } from '../../testing/temporary-database.js';
import { RoundTrip } from '../round-trip.js';

@Entity({ name: 'toys' })
class ToyRecord {
  @PrimaryColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  state: string;
}

@Entity({ name: 'loans' })
class LoanRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'bigint', name: 'toy_id' })
  toyId: bigint;

  @Column({ type: 'text' })
  child: string;
}

const tables = tablesOf(
  [ToyRecord, LoanRecord],
  'CREATE TABLE toys (id bigint PRIMARY KEY, state text NOT NULL)',
  `CREATE TABLE loans (id IDENTITY, toy_id bigint NOT NULL,
    child text NOT NULL UNIQUE)`,
);

class Taken extends Error {}
class ChangedTheirMind extends Error {}

describeOnPostgres('Units of work that share a transaction', () => {
  const postgres = NewPostgres.forEachTest(tables, { poolSize: 4 });
  let statements: ReturnType<typeof build>;
  /** What each round trip sent. */
  let sent: string[];

  function build() {
    const toys = postgres.database.statements(ToyRecord, 'toy');
    const loans = postgres.database.statements(LoanRecord, 'loan');
    return {
      lock: toys.select<Pick<ToyRecord, 'id'>>((toy) =>
        toy.where('toy.id = :id').setLock('pessimistic_write'),
      ),
      lockAll: toys.select<{ ids: readonly bigint[] }>((toy) =>
        toy.where('toy.id IN (:...ids)').orderBy('toy.id').setLock('pessimistic_write'),
      ),
      lockFrom: toys.select<{ from: bigint }>((toy) =>
        toy.where('toy.id >= :from').orderBy('toy.id').setLock('pessimistic_write'),
      ),
      take: toys.update(['state'], { equal: ['id'] }),
      find: toys.select<Pick<ToyRecord, 'id'>>((toy) => toy.where('toy.id = :id')),
      tryLock: toys.tryLock(),
      put: toys.insertWithId(['id', 'state'], { replaces: ['id'] }),
      insert: loans.insert(),
    };
  }

  beforeEach(async () => {
    await postgres.other.query("INSERT INTO toys SELECT id, 'free' FROM generate_series(1, 100) AS id");
    statements = build();
    sent = [];
    const send = RoundTrip.prototype.send;
    jest.spyOn(RoundTrip.prototype, 'send').mockImplementation(function (this: RoundTrip, client) {
      sent.push(this.text);
      return send.call(this, client);
    });
  });

  /** Lends a toy, as an order reserves an animal. */
  function lend(toyId: bigint, child = `child of ${toyId}`): Promise<bigint> {
    return postgres.database.run((transaction) => lendWithin(transaction, toyId, child));
  }

  async function lendWithin(transaction: Transaction, toyId: bigint, child: string): Promise<bigint> {
    const toy = await statements.lock.getOne({ id: toyId }, transaction);
    if (toy?.state !== 'free') throw new Taken();
    await statements.take.execute({ id: toyId, state: 'lent' }, transaction);
    return statements.insert.execute({ toyId, child }, transaction);
  }

  function insert(child: string, work: (transaction: Transaction) => Promise<void> = async () => {}) {
    return postgres.database.run(async (transaction) => {
      const id = await statements.insert.execute({ toyId: 1n, child }, transaction);
      await work(transaction);
      return id;
    });
  }

  async function loans(): Promise<[bigint, bigint, string][]> {
    const { rows } = await postgres.other.query<Record<string, string>>('SELECT * FROM loans ORDER BY id');
    return rows.map(({ id, toy_id, child }) => [BigInt(id!), BigInt(toy_id!), child!]);
  }

  async function lent(): Promise<bigint[]> {
    const sql = "SELECT id FROM toys WHERE state = 'lent' ORDER BY id";
    return (await postgres.other.query<{ id: string }>(sql)).rows.map(({ id }) => BigInt(id));
  }

  const verbs = () => sent.map((text) => text.split('; ').map((one) => one.split(' ')[0]));

  it('draw ids with the statement before, once others have needed them', async () => {
    await Promise.all([lend(7n), lend(3n), lend(5n)]);
    sent = [];
    const ids = await Promise.all([lend(8n), lend(2n), lend(6n), lend(4n)]);

    expect((await loans()).slice(3)).toEqual(
      ids.map((id, index) => [id, [8n, 2n, 6n, 4n][index], expect.any(String)]),
    );
    expect(verbs()).toEqual([
      ['BEGIN', 'SELECT', 'SELECT'],
      ['UPDATE', 'INSERT', 'COMMIT'],
    ]);
    expect(sent[0]).toMatch(/FOR UPDATE.*nextval/s);
  });

  it('begin when their ids are drawn, once each of those before them has begun with that', async () => {
    await Promise.all([insert('Ada'), insert('Ben')]);
    sent = [];
    const tripsBefore: number[] = [];
    const add = (child: string) =>
      postgres.database.run((transaction) => {
        tripsBefore.push(sent.length);
        return statements.insert.execute({ toyId: 1n, child }, transaction);
      });
    const ids = await Promise.all([add('Cleo'), add('Dan'), add('Eve')]);

    expect((await loans()).slice(2)).toEqual(ids.map((id, index) => [id, 1n, ['Cleo', 'Dan', 'Eve'][index]]));
    expect(tripsBefore).toEqual([1, 1, 1]);
    expect(verbs()).toEqual([
      ['BEGIN', 'SELECT'],
      ['INSERT', 'COMMIT'],
    ]);
  });

  it('leave work of the background to a transaction of its own, so that it runs once', async () => {
    let runs = 0;
    const lockSome = async (transaction: Transaction) => {
      runs++;
      await statements.lockFrom.getMany({ from: 50n }, transaction);
    };
    await Promise.all([lend(1n), postgres.database.deferred.run(lockSome), lend(2n)]);

    expect(runs).toBe(1);
    expect(await lent()).toEqual([1n, 2n]);
  });

  it('take a round trip for each step and a statement of each kind, however many they are', async () => {
    const ids = await Promise.all([lend(7n), lend(3n), lend(5n)]);

    expect((await loans()).map(([id, toyId]) => [id, toyId])).toEqual([
      [ids[0], 7n],
      [ids[1], 3n],
      [ids[2], 5n],
    ]);
    expect(await lent()).toEqual([3n, 5n, 7n]);
    expect(verbs()).toEqual([['BEGIN', 'SELECT'], ['SELECT'], ['UPDATE', 'INSERT', 'COMMIT']]);
  });

  describe('of which each arrives alone', () => {
    /** Resolves when its first statement is sent. */
    async function lendAlone(toyId: bigint): Promise<{ lending: Promise<bigint> }> {
      const { length } = sent;
      const lending = lend(toyId);
      while (sent.length === length) await turn();
      return { lending };
    }

    it('queue after the first while it is in flight', async () => {
      const { proxy, url } = await postgres.openProxy();
      await postgres.reopen({ url });
      statements = build();
      proxy.delayResponses();
      const { lending: first } = await lendAlone(1n);
      const others: Promise<bigint>[] = [];
      for (let toyId = 2n; toyId <= 50n; toyId++) {
        others.push(lend(toyId));
        await turn();
      }
      proxy.resume();
      await Promise.all([first, ...others]);
      // Two, unless this process was delayed for longer than they wait for the first.
      expect(sent.filter((text) => text.startsWith('BEGIN')).length).toBeLessThan(50);
      expect(await lent()).toHaveLength(50);
    });

    it('continue before those that wait for a row', async () => {
      await postgres.reopen({ poolSize: 10 });
      statements = build();
      await postgres.other.query('BEGIN');
      await postgres.other.query('SELECT 1 FROM toys WHERE id <= 4 FOR UPDATE');
      const waiting: Promise<bigint>[] = [];
      for (const toyId of [1n, 2n, 3n, 4n]) waiting.push((await lendAlone(toyId)).lending);
      await lend(5n);
      await postgres.other.query('COMMIT');
      await Promise.all(waiting);
      expect(await lent()).toEqual([1n, 2n, 3n, 4n, 5n]);
    });
  });

  describe('that read what is their own', () => {
    /** Puts a toy of the child's own in order, as a request stores its response. */
    function put(id: bigint, database = postgres.database): Promise<string> {
      return database.run(async (transaction) => {
        const [{ isLocked }, toy] = await Promise.all([
          statements.tryLock(`toy ${id}`, transaction),
          statements.find.getOne({ id }, transaction),
        ]);
        if (!isLocked) throw new Taken();
        const state = toy === null ? 'new' : `${toy.state} again`;
        await statements.put.execute({ id, state }, transaction);
        return state;
      });
    }

    async function states(): Promise<string[]> {
      const sql = "SELECT state FROM toys WHERE state <> 'free' ORDER BY id";
      return (await postgres.other.query<{ state: string }>(sql)).rows.map(({ state }) => state);
    }

    it('take a statement of each kind, and each finds its own', async () => {
      expect(await Promise.all([put(7n), put(101n), put(102n)])).toEqual(['free again', 'new', 'new']);
      expect(await states()).toEqual(['free again', 'new', 'new']);
      expect(sent.map((text) => text.split('; ').map((one) => one.split(' ')[0]))).toEqual([
        ['BEGIN', 'SELECT', 'SELECT'],
        ['INSERT', 'COMMIT'],
      ]);
    });

    it('never share a transaction when that is the same', async () => {
      const outcomes = await Promise.allSettled([put(101n), put(101n), put(102n)]);
      const taken = outcomes.filter(({ status }) => status === 'rejected');
      expect(outcomes[0]).toEqual({ status: 'fulfilled', value: 'new' });
      expect(outcomes[2]).toEqual({ status: 'fulfilled', value: 'new' });
      expect(await states()).toEqual([taken.length === 0 ? 'new again' : 'new', 'new']);
    });

    it('are refused each by itself when another transaction has locked its name', async () => {
      const other = await postgres.openAnother();
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      let locking: Promise<void> | undefined;
      await new Promise<void>((isLocked) => {
        locking = other.run(async (transaction) => {
          expect((await statements.tryLock('toy 102', transaction)).isLocked).toBe(true);
          isLocked();
          await ended;
        });
      });
      const outcomes = await Promise.allSettled([put(101n), put(102n), put(103n)]);
      end();
      await locking;
      await other.close();

      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await states()).toEqual(['new', 'new']);
      expect(await put(102n)).toBe('new');
    });
  });

  it('continue without one that ends before what it requested has been sent', async () => {
    let read: Promise<unknown> | undefined;
    const refused = postgres.database.run((transaction) => {
      read = statements.lock.getOne({ id: 2n }, transaction);
      return Promise.reject(new ChangedTheirMind());
    });
    const late = postgres.database.run(async (transaction) => {
      await turn();
      return lendWithin(transaction, 5n, 'Cem');
    });
    const outcomes = await Promise.allSettled([lend(1n), refused, lend(2n), late]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    await expect(read).rejects.toThrow();
    expect((await loans()).map(([, toyId]) => toyId).sort()).toEqual([1n, 2n, 5n]);
  });

  describe('of which one waits for something else', () => {
    let release: () => void;
    let released: Promise<void>;
    beforeEach(() => {
      released = new Promise((resolve) => (release = resolve));
    });

    it('do not wait for it, and it runs again, alone, when it has ended', async () => {
      const runs: string[] = [];
      const slow = insert('Ann', async () => {
        runs.push('begins');
        await released;
        runs.push('ends');
      });
      // The statement of all three was sent, so none may be stored together with the slow one.
      await Promise.all([insert('Ben'), insert('Cem')]);
      expect((await loans()).map(([, , child]) => child)).toEqual(['Ben', 'Cem']);
      expect(runs).toEqual(['begins']);

      release();
      await slow;
      expect((await loans()).map(([, , child]) => child)).toEqual(['Ben', 'Cem', 'Ann']);
      expect(runs).toEqual(['begins', 'ends', 'begins', 'ends']);
    });

    it('stay together when it has written nothing', async () => {
      const slow = postgres.database.run(async (transaction) => {
        await released;
        return lendWithin(transaction, 1n, 'Ann');
      });
      await Promise.all([lend(2n), lend(3n)]);
      const steps = ['BEGIN', 'nextval', 'UPDATE'].map((verb) => expect.stringContaining(verb) as string);
      expect(sent.map((text) => text.split('; ')[0])).toEqual(steps);
      expect(await lent()).toEqual([2n, 3n]);

      release();
      await slow;
      expect(await lent()).toEqual([1n, 2n, 3n]);
    });

    it('fail by themselves when it never ends', async () => {
      const never = postgres.database.run(() => released);
      await expect(Promise.all([insert('Ben'), insert('Ben')])).rejects.toThrow(UniqueViolation);
      expect((await loans()).map(([, , child]) => child)).toEqual(['Ben']);

      release();
      await never;
    });
  });

  it('are refused in one transaction when they want the same row, or rows that do not exist', async () => {
    await postgres.other.query("UPDATE toys SET state = 'lent' WHERE id = 1");
    for (const toyIds of [
      Array(20).fill(1n),
      Array.from({ length: 20 }, (_, index) => BigInt(1_000 + index)),
    ]) {
      sent = [];
      const outcomes = await Promise.allSettled((toyIds as bigint[]).map((id) => lend(id)));
      expect(outcomes).toEqual(Array(20).fill({ status: 'rejected', reason: expect.any(Taken) as unknown }));
      expect(sent.filter((text) => text.startsWith('BEGIN'))).toHaveLength(1);
      expect(sent.length).toBeLessThanOrEqual(3);
    }
  });

  it('fail alone when what one of them writes takes longer than a statement may', async () => {
    await postgres.other.query(`CREATE FUNCTION ponder() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(CASE NEW.child WHEN ''Ann'' THEN 60 ELSE 0 END); RETURN NEW; END'`);
    await postgres.other.query(
      'CREATE TRIGGER ponder BEFORE INSERT ON loans FOR EACH ROW EXECUTE FUNCTION ponder()',
    );
    await postgres.reopen({ statementTimeoutMs: 1_000 });
    statements = build();
    const outcomes = await Promise.allSettled(['Ben', 'Ann', 'Cem'].map((child) => insert(child)));
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { reason: expect.any(StorageUnavailable) as unknown },
      { status: 'fulfilled' },
    ]);
    expect((await loans()).map(([, , child]) => child).sort()).toEqual(['Ben', 'Cem']);
  });

  it('fail alone when PostgreSQL refuses what one of them writes', async () => {
    await insert('Ann');
    const outcomes = await Promise.allSettled([
      lend(1n, 'Ann'),
      lend(2n, 'Ben'),
      insert('Ann'),
      insert('Cem'),
    ]);
    expect(outcomes).toMatchObject([
      { reason: expect.any(UniqueViolation) as unknown },
      { status: 'fulfilled' },
      { reason: expect.any(UniqueViolation) as unknown },
      { status: 'fulfilled' },
    ]);
    expect(await lent()).toEqual([2n]);
    expect((await loans()).map(([, , child]) => child).sort()).toEqual(['Ann', 'Ben', 'Cem']);
  });

  it('fail alone when PostgreSQL refuses what one of them requests', async () => {
    const take = (sql: string) =>
      postgres.database.run(async (transaction) => {
        await statements.tryLock(sql, transaction);
        return postgres.database.session(transaction).insert({ single: sql, many: null }, []);
      });
    const outcomes = await Promise.allSettled(['1', '1 / 0', '3'].map((id) => take(`SELECT ${id} AS id`)));
    expect(outcomes).toMatchObject([{ value: 1 }, { reason: { code: '22012' } }, { value: 3 }]);
  });

  it.each<[string, (transaction: Transaction) => Promise<unknown>]>([
    ['reads', (transaction) => statements.find.getOne({ id: 1n }, transaction)],
    ['runs SQL', (transaction) => postgres.database.session(transaction).query('SELECT 1')],
    ['uses TypeORM', (transaction) => postgres.database.entityManager(transaction).find(ToyRecord)],
    [
      'reads and ignores the error',
      (transaction) => statements.find.getOne({ id: 1n }, transaction).catch(() => null),
    ],
  ])('leave out one that %s, which has a transaction of its own', async (_, read) => {
    const other = postgres.database.run(async (transaction) => {
      await read(transaction);
      return statements.insert.execute({ toyId: 1n, child: 'Ben' }, transaction);
    });
    const [first, id, last] = await Promise.all([insert('Ann'), other, insert('Cem')]);
    expect((await loans()).map(([stored, , child]) => [stored, child])).toEqual(
      [
        [first, 'Ann'],
        [id, 'Ben'],
        [last, 'Cem'],
      ].sort(([a], [b]) => Number((a as bigint) - (b as bigint))),
    );
  });

  it('never run again before they have ended, also when PostgreSQL has lost a prepared statement', async () => {
    const runs: string[] = [];
    const one = { single: 'SELECT 1 AS id', many: null };
    const lost = Object.assign(new Error('lost'), { severity: 'ERROR', code: '26000' });
    jest.spyOn(RoundTrip.prototype, 'send').mockImplementationOnce(() => Promise.reject(lost));
    const slow = postgres.database.run(async (transaction) => {
      runs.push('begins');
      await statements.lock.getOne({ id: 1n }, transaction).catch(async () => {
        // Long enough for another attempt to begin.
        for (let count = 0; count < 50; count++) await turn();
      });
      runs.push('ends');
      await postgres.database.session(transaction).insert(one, []);
    });
    await Promise.all([slow, lend(2n)]);
    expect(runs).toEqual(['begins', 'ends', 'begins', 'ends']);
  });

  describe('whose outcome is unknown are 503 and never run again', () => {
    const UNKNOWN = Array(5).fill({ reason: expect.any(StorageUnavailable) as unknown }) as unknown[];
    const lendFive = () => Promise.allSettled([5n, 4n, 3n, 2n, 1n].map((toyId) => lend(toyId)));

    it('because their connection broke before the commit', async () => {
      await postgres.other.query('BEGIN');
      await postgres.other.query('LOCK TABLE loans IN SHARE ROW EXCLUSIVE MODE');
      const lending = lendFive();
      await postgres.breakWaiting();
      expect(await lending).toMatchObject(UNKNOWN);
      await postgres.other.query('COMMIT');
      expect(await loans()).toEqual([]);
    });

    it('because their connection broke while PostgreSQL committed', async () => {
      const { proxy, url } = await postgres.openProxy();
      await postgres.reopen({ url });
      statements = build();
      await postgres.other.query('SELECT pg_advisory_lock(1)');
      await postgres.other.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$`);
      await postgres.other.query(`CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON loans
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`);
      const lending = lendFive();
      await postgres.waitingForOther();
      proxy.stall();
      await postgres.other.query('SELECT pg_advisory_unlock(1)');
      while ((await loans()).length !== 5);
      await proxy.stop();
      expect(await lending).toMatchObject(UNKNOWN);
      expect(await loans()).toHaveLength(5);
    });
  });

  it.each<[string, (child: string) => Promise<unknown>]>([
    ['lock it', (child) => lend(1n, child)],
    [
      'change it by SQL of their own',
      () => postgres.run((session) => session.query("UPDATE toys SET state = 'lent' WHERE id = 1")),
    ],
  ])('continue beside fifty that wait for a row, because they %s', async (_, wait) => {
    await postgres.reopen({ poolSize: 10, connectTimeoutMs: 2_000 });
    statements = build();
    await postgres.other.query('BEGIN');
    await postgres.other.query('SELECT 1 FROM toys WHERE id = 1 FOR UPDATE');
    let isOver = false;
    const waitAgain = async (child: string): Promise<void> => {
      try {
        await wait(child);
      } catch (error) {
        if (error instanceof Taken) return;
        if (!(error instanceof StorageUnavailable)) throw error;
        await turn();
        if (!isOver) await waitAgain(child);
      }
    };
    const waiting = Array.from({ length: 50 }, (_, number) => waitAgain(`waiting ${number}`));
    for (let toyId = 2n; toyId <= 40n; toyId += 2n)
      await Promise.all([lend(toyId), lend(toyId + 1n), insert(`child of nobody ${toyId}`)]);
    isOver = true;
    await postgres.other.query('COMMIT');
    await Promise.all(waiting);
    expect(await lent()).toHaveLength(41);
  });

  it('do not wait for a row that another transaction has locked', async () => {
    const outcomes: string[] = [];
    await postgres.other.query('BEGIN');
    await postgres.other.query('SELECT 1 FROM toys WHERE id = 3 FOR UPDATE');
    const waiting = lend(3n).then(() => outcomes.push('waited'));
    await Promise.all([lend(2n), lend(4n)]);
    outcomes.push('others');
    await postgres.waitingForOther();
    await postgres.other.query('COMMIT');
    await waiting;
    expect(outcomes).toEqual(['others', 'waited']);
    expect(await lent()).toEqual([2n, 3n, 4n]);
  });

  it.each<[string, (transaction: Transaction) => Promise<readonly { readonly id: bigint }[]>]>([
    ['a list of keys', (transaction) => statements.lockAll.getMany({ ids: [2n, 3n] }, transaction)],
    ['a condition', (transaction) => statements.lockFrom.getMany({ from: 99n }, transaction)],
  ])(
    'leave out none of several rows, locked by %s, because another transaction has locked it',
    async (_, lock) => {
      await postgres.other.query('BEGIN');
      await postgres.other.query('SELECT 1 FROM toys WHERE id IN (3, 100) FOR UPDATE');
      const locking = postgres.database.run(lock);
      await lend(7n);
      await postgres.other.query('COMMIT');
      expect(await locking).toHaveLength(2);
    },
  );

  it('end when their rows are locked by others in the other order', async () => {
    const reversed = postgres.database.run(async (transaction) => {
      await statements.lock.getOne({ id: 9n }, transaction);
      await turn();
      await statements.lock.getOne({ id: 2n }, transaction);
    });
    const outcomes = await Promise.allSettled([lend(9n), lend(2n), lend(4n), reversed]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
    expect(await lent()).toEqual([2n, 4n, 9n]);
  });

  it('store exactly what they return, in any mix', async () => {
    const unit = fc.record({
      kind: fc.constantFrom('lend' as const, 'lend' as const, 'insert' as const),
      toyId: fc.bigInt(1n, 12n),
      child: fc.integer({ min: 1, max: 30 }).map((number) => `child ${number}`),
      turns: fc.integer({ min: 0, max: 2 }),
      fails: fc.constantFrom(false, false, false, true),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 40 }), async (units) => {
        await postgres.other.query("DELETE FROM loans; UPDATE toys SET state = 'free'");
        const returned: [bigint, bigint, string][] = [];
        const running: Promise<void>[] = [];
        for (const { kind, toyId, child, turns, fails } of units) {
          const work = async (transaction: Transaction): Promise<[bigint, bigint, string]> => {
            const id =
              kind === 'insert'
                ? await statements.insert.execute({ toyId, child }, transaction)
                : await lendWithin(transaction, toyId, child);
            if (fails) throw new ChangedTheirMind();
            return [id, toyId, child];
          };
          running.push(
            postgres.database.run(work).then(
              (loan) => void returned.push(loan),
              (error: unknown) => {
                if (![Taken, ChangedTheirMind, UniqueViolation].some((known) => error instanceof known))
                  throw error;
              },
            ),
          );
          for (let count = 0; count < turns; count++) await turn();
        }
        await Promise.all(running);

        expect(await loans()).toEqual(returned.sort(([a], [b]) => Number(a - b)));
        const lendings = units.filter(({ kind }) => kind !== 'insert').map(({ toyId }) => toyId);
        const stillLent = await lent();
        expect(stillLent.every((id) => lendings.includes(id))).toBe(true);
        const ofToys = returned.filter(([, toyId]) => stillLent.includes(toyId));
        expect(new Set(stillLent)).toEqual(new Set(ofToys.map(([, toyId]) => toyId)));
      }),
      { numRuns: 40 },
    );
  });
});
