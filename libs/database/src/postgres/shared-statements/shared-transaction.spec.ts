import { setImmediate as turn } from 'node:timers/promises';
import { StorageUnavailable, type Transaction } from '@animal-store/kernel';
import type { SelectSql, SqlTransaction, SqlValue, WriteSql } from '../../sql-session.js';
import { ADD, CHANGE, FIND, INSERT, LOCK, REPLACE, TRY_LOCK } from '../../testing/toy-statements.js';
import type { PostgresTransaction } from '../postgres-transaction.js';
import { type Sent, SharedTransaction } from './shared-transaction.js';
import { SharedTransactions, type SharedTransactionsParts } from './shared-transactions.js';
import { NotShared, type SharedUnit } from './shared-unit.js';

type UnitWork = (unit: SqlTransaction) => Promise<unknown>;

/** What was sent, each with its arguments. */
let sent: [text: string, ...values: unknown[]][];
/** What each text finds, by its argument. Without one it finds a row. */
let finds: Record<string, (id: SqlValue) => object[]>;
let lastId: bigint;

beforeEach(() => {
  sent = [];
  finds = {};
  lastId = 0n;
});

const transaction = {
  query: async (text: string, values: readonly SqlValue[]) => {
    sent.push([text, ...values]);
    await turn();
    if (text === 'nextval' && !finds[text])
      return Array.from({ length: values[0] as number }, () => ({ id: (lastId += 1n) }));
    return (finds[text] ?? ((id: SqlValue) => [{ id }]))(values[0]!);
  },
  execute: ({ single, many }: WriteSql, values: readonly unknown[]) => {
    sent.push([single, ...values, many]);
    return Promise.resolve();
  },
} as unknown as PostgresTransaction;

const lock = (id: bigint) => (unit: SqlTransaction) => unit.select(LOCK, [id]);
const change = (id: bigint) => async (unit: SqlTransaction) => {
  await lock(id)(unit);
  await unit.execute(CHANGE, [id]);
};
const insert = (unit: SqlTransaction) => unit.insert(INSERT, ['Rex']);

describe('A transaction that several units share', () => {
  let lastSteps: Map<string, Sent>;
  beforeEach(() => (lastSteps = new Map()));

  async function run(...works: UnitWork[]): Promise<readonly SharedUnit[]> {
    const shared = new SharedTransaction(
      transaction,
      works.map((work) => (unit: Transaction) => work(unit as SqlTransaction)),
      lastSteps,
    );
    await shared.run();
    return shared.units;
  }

  const states = (units: readonly SharedUnit[]) => units.map(({ state, again }) => again ?? state);

  describe('sends', () => {
    it('a statement for each of those that cannot be grouped', async () => {
      const units = await run(lock(1n), lock(2n));
      expect(states(units)).toEqual(['succeeded', 'succeeded']);
      expect(units.map(({ outcome }) => outcome)).toEqual([[{ id: 1n }], [{ id: 2n }]]);
      expect(sent).toEqual([
        [TRY_LOCK, 1n],
        [TRY_LOCK, 2n],
      ]);
    });

    it('a read without a lock as it is', async () => {
      await run((unit) => unit.select({ ...FIND, groupable: { names: ['id'], order: [] } }, [1n]));
      expect(sent).toEqual([['FIND', 1n]]);
    });

    it('equal writes as one, when all have ended', async () => {
      await run(change(1n), change(2n));
      expect(sent.slice(2)).toEqual([['UPDATE many', [1n, 2n], 'UPDATE many']]);
    });

    it('a single write, and one that has no text for many, by itself', async () => {
      const addAlone = (name: string) => (unit: SqlTransaction) =>
        unit.execute({ ...ADD, many: null }, [name]);
      await run(change(1n), addAlone('Rex'), addAlone('Mia'));
      expect(sent.slice(1)).toEqual([
        ['UPDATE one', 1n, 'UPDATE many'],
        ['INSERT one', 'Rex', null],
        ['INSERT one', 'Mia', null],
      ]);
    });

    it('the writes of a unit in their order, and no two of them as one', async () => {
      const addAndChange =
        (id: bigint, ...names: string[]) =>
        async (unit: SqlTransaction) => {
          for (const name of names) await unit.execute(ADD, [name]);
          await change(id)(unit);
        };
      await run(addAndChange(1n, 'Rex', 'Mia'), addAndChange(2n, 'Tom'));
      expect(sent.slice(2)).toEqual([
        ['INSERT many', ['Rex', 'Tom'], 'INSERT many'],
        ['INSERT one', 'Mia', 'INSERT many'],
        ['UPDATE many', [1n, 2n], 'UPDATE many'],
      ]);
    });

    it('nothing that a refused unit has written', async () => {
      const refused = async (unit: SqlTransaction) => {
        await change(1n)(unit);
        throw new Error('taken');
      };
      expect(states(await run(refused, change(2n)))).toEqual(['refused', 'succeeded']);
      expect(sent.at(-1)).toEqual(['UPDATE one', 2n, 'UPDATE many']);
    });
  });

  describe('whose units want one row', () => {
    it('lets the next one continue when the first has ended without a write', async () => {
      const units = await run(lock(1n), change(1n));
      expect(states(units)).toEqual(['succeeded', 'succeeded']);
      expect(sent.at(-1)).toEqual(['UPDATE one', 1n, 'UPDATE many']);
    });

    it('lets the next one wait while the first requests something else', async () => {
      const twice: UnitWork = async (unit) => {
        await lock(1n)(unit);
        return lock(2n)(unit);
      };
      expect(states(await run(twice, lock(1n)))).toEqual(['succeeded', 'succeeded']);
    });

    it('leaves all but the first that writes to another transaction', async () => {
      expect(states(await run(change(1n), change(1n), lock(1n), lock(2n)))).toEqual([
        'succeeded',
        'together',
        'together',
        'succeeded',
      ]);
    });

    it('lets the next one write when the first was refused', async () => {
      const refused = async (unit: SqlTransaction) => {
        await change(1n)(unit);
        throw new Error('taken');
      };
      expect(states(await run(refused, change(1n)))).toEqual(['refused', 'succeeded']);
    });

    it('does not let one write what another has, which still runs', async () => {
      const slow: UnitWork = async (unit) => {
        await lock(1n)(unit);
        await turn();
        await turn();
      };
      const replace: UnitWork = async (unit) => {
        await lock(2n)(unit);
        await unit.execute(REPLACE, [1n]);
      };
      expect(states(await run(slow, replace))).toEqual(['succeeded', 'together']);
    });

    it('ends when two wait for what the other has', async () => {
      const both =
        (first: bigint, second: bigint): UnitWork =>
        async (unit) => {
          await change(first)(unit);
          await change(second)(unit);
        };
      const units = await run(both(1n, 2n), both(2n, 1n));
      expect(states(units)).toEqual(['together', 'together']);
      expect(sent).toHaveLength(4);
    });
  });

  it('looks for a row without a lock when it finds none, and lets its unit wait for it elsewhere', async () => {
    finds[TRY_LOCK] = (id) => (id === 2n ? [{ id }] : []);
    finds['LOCK'] = (id) => (id === 1n ? [{ id }] : []);
    const units = await run(lock(1n), lock(2n), lock(3n));
    expect(states(units)).toEqual(['waiting', 'succeeded', 'succeeded']);
    expect(units[2]!.outcome).toEqual([]);
    expect(sent.slice(3)).toEqual([
      ['LOCK', 1n],
      ['LOCK', 3n],
    ]);
  });

  describe('draws', () => {
    it('ids for all that need one, and remembers how many each step needs', async () => {
      const units = await run(insert, insert);
      expect(units.map(({ outcome }) => outcome)).toEqual([1n, 2n]);
      expect(sent).toEqual([
        ['nextval', 2],
        ['INSERT many', ['Rex', 'Rex'], [1n, 2n], 'INSERT many'],
      ]);
      expect([...lastSteps]).toEqual([['', { text: '', unitCount: 2, needs: new Map([['nextval', 2]]) }]]);
    });

    it('ids before the first statement when all units before needed one', async () => {
      lastSteps.set('', { text: '', unitCount: 2, needs: new Map([['nextval', 2]]) });
      await run(insert, insert, lock(1n));
      expect(sent[0]).toEqual(['nextval', 3]);
    });

    it('none before the first statement when not all did', async () => {
      lastSteps.set('', { text: '', unitCount: 2, needs: new Map([['nextval', 1]]) });
      await run(lock(1n), lock(2n));
      expect(sent.map(([text]) => text)).not.toContain('nextval');
    });

    it('as many ids with a statement as units before needed behind it, rounded up', async () => {
      const lockAndInsert = (id: bigint) => async (unit: SqlTransaction) => {
        await lock(id)(unit);
        return insert(unit);
      };
      lastSteps.set(LOCK.sql, { text: LOCK.sql, unitCount: 4, needs: new Map([['nextval', 2]]) });
      await run(lockAndInsert(1n), lock(2n), lock(3n));
      expect(sent).toEqual([
        [TRY_LOCK, 1n],
        [TRY_LOCK, 2n],
        [TRY_LOCK, 3n],
        ['nextval', 2],
        ['INSERT one', 'Rex', 1n, 'INSERT many'],
      ]);
      expect(lastSteps.get(LOCK.sql)).toEqual({
        text: LOCK.sql,
        unitCount: 3,
        needs: new Map([['nextval', 1]]),
      });
    });
  });

  describe('continues without a unit', () => {
    afterEach(() => jest.useRealTimers());

    it('that is late, whatever the others do in the meantime', async () => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
      let release: () => void = () => undefined;
      let releaseLate: () => void = () => undefined;
      const running = run(
        () => new Promise<void>((resolve) => (release = resolve)),
        () => new Promise<void>((resolve) => (releaseLate = resolve)),
        change(1n),
      );
      await turn();
      jest.advanceTimersByTime(60);
      release();
      await turn();
      jest.advanceTimersByTime(50);
      expect(states(await running)).toEqual(['succeeded', 'alone', 'succeeded']);
      expect(sent).toHaveLength(2);
      releaseLate();
    });

    it.each<[string, UnitWork]>([
      ['is refused', () => Promise.reject(new Error('taken'))],
      ['has to run again', (unit) => unit.query('SELECT 1').catch(() => null)],
    ])('that %s, and sends nothing that it has requested', async (_, end) => {
      let requested: Promise<unknown> | undefined;
      const late: UnitWork = async (unit) => {
        await turn();
        await change(2n)(unit);
      };
      const units = await run((unit) => {
        requested = lock(1n)(unit);
        requested.catch(() => undefined);
        return end(unit);
      }, late);
      await expect(requested).rejects.toThrow(NotShared);
      expect(states(units)).toEqual(['alone', 'succeeded']);
      expect(sent).toEqual([
        [TRY_LOCK, 2n],
        ['UPDATE one', 2n, 'UPDATE many'],
      ]);
    });
  });

  it('ends with the error of the ids that it draws first', async () => {
    const error = new Error('no such sequence');
    lastSteps.set('', { text: '', unitCount: 2, needs: new Map([['nextval', 2]]) });
    finds['nextval'] = () => {
      throw error;
    };
    await expect(run(insert, insert)).rejects.toBe(error);
  });

  it('ends with the error of a statement, and no unit takes it for its own', async () => {
    const error = new Error('no such table');
    finds['FIND'] = () => {
      throw error;
    };
    const outcomes: unknown[] = [];
    const reading = (select: SelectSql, id: bigint) => async (unit: SqlTransaction) => {
      await unit.select(select, [id]).catch((reason: unknown) => outcomes.push(reason));
      throw new Error('it is none of mine');
    };
    const units: SharedUnit[] = [];
    const watched =
      (work: UnitWork): UnitWork =>
      (unit) => {
        units.push(unit as SharedUnit);
        return work(unit);
      };
    const holds: UnitWork = async (unit) => {
      await lock(1n)(unit);
      await unit.select(FIND, [2n]);
    };
    const continues: UnitWork = async (unit) => {
      await lock(3n)(unit);
      return reading(FIND, 3n)(unit);
    };
    const works = [holds, reading(LOCK, 1n), continues].map(watched);
    await expect(run(...works)).rejects.toBe(error);
    await Promise.all(units.map(({ ended }) => ended));
    expect(outcomes).toEqual([error, error]);
    expect(units.map(({ again }) => again)).toEqual(['alone', 'alone', 'alone']);
  });
});

describe('Units of work as they arrive', () => {
  let ran: string[];
  let units: SharedTransactions;
  let attempt: SharedTransactionsParts['attempt'];
  const own = {} as SqlTransaction;

  beforeEach(() => {
    ran = [];
    attempt = (work) => work(transaction);
    const runs =
      (where: string) =>
      async <T>(work: (of: Transaction) => Promise<T>) => {
        ran.push(where);
        return work(own);
      };
    units = new SharedTransactions({
      alone: runs('alone'),
      waiting: runs('waiting'),
      attempt: (work) => {
        ran.push('together');
        return attempt(work);
      },
      reportListener: () => undefined,
      atOnce: 4,
      limitMs: 60_000,
    });
  });

  const run = (...works: UnitWork[]) =>
    Promise.allSettled(works.map((work) => units.run((of: Transaction) => work(of as SqlTransaction))));
  /** What the unit does in a transaction with others; in one of its own it succeeds. */
  const shared =
    (work: UnitWork): UnitWork =>
    (of) =>
      of === own ? Promise.resolve('done') : work(of);
  const done = (value: unknown) => ({ status: 'fulfilled', value });

  it('have a transaction of their own when they come alone', async () => {
    expect(await run(shared(lock(1n)))).toEqual([done('done')]);
    expect(ran).toEqual(['alone']);
  });

  it('share one when they come together', async () => {
    expect(await run(lock(1n), lock(2n))).toEqual([done([{ id: 1n }]), done([{ id: 2n }])]);
    expect(ran).toEqual(['together']);
  });

  it('are refused where they are when they have written nothing, else once more alone', async () => {
    const error = new Error('taken');
    const refused = () => Promise.reject(error);
    const writes: UnitWork = async (unit) => {
      await unit.execute(ADD, ['Rex']);
      throw error;
    };
    expect(await run(refused, shared(writes))).toEqual([{ status: 'rejected', reason: error }, done('done')]);
    expect(ran).toEqual(['together', 'alone']);
  });

  it('wait alone for a row that another transaction has locked', async () => {
    finds[TRY_LOCK] = (id) => (id === 2n ? [{ id }] : []);
    expect(await run(shared(lock(1n)), lock(2n))).toEqual([done('done'), done([{ id: 2n }])]);
    expect(ran).toEqual(['together', 'waiting']);
  });

  it('run together once more when they want what another one writes, and then alone', async () => {
    const outcomes = await run(...Array<UnitWork>(4).fill(shared(change(1n))));
    expect(outcomes).toEqual([done(undefined), done(undefined), done('done'), done('done')]);
    expect(ran).toEqual(['together', 'together', 'alone', 'alone']);
  });

  it('run alone when they need it', async () => {
    const reads: UnitWork = (unit) => unit.query('SELECT 1');
    const outcomes = await run(shared(reads), shared(reads), lock(2n));
    expect(outcomes).toEqual([done('done'), done('done'), done([{ id: 2n }])]);
    expect(ran).toEqual(['together', 'alone', 'alone']);
  });

  it.each<[string, (work: UnitWork) => Promise<unknown>]>([
    ['did not begin', () => Promise.reject(new Error('no such function'))],
    [
      'failed at its end',
      async (work) => {
        await work(transaction);
        throw new Error('no such function');
      },
    ],
  ])('run alone, whatever they were to do, when their transaction %s', async (_, fails) => {
    attempt = (work) => fails(work as never) as never;
    finds[TRY_LOCK] = (id) => (id === 1n ? [{ id }] : []);
    const outcomes = await run(...[change(1n), change(1n), change(1n), lock(2n)].map(shared));
    expect(outcomes).toEqual(Array(4).fill(done('done')));
    expect(ran).toEqual(['together', ...Array<string>(4).fill('alone')]);
  });

  it('have an unknown outcome when the connection broke', async () => {
    const broken = new StorageUnavailable('Connection terminated');
    attempt = async (work) => {
      await work(transaction);
      throw broken;
    };
    const outcomes = await run(lock(1n), () => Promise.reject(new Error('taken')));
    expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason as Error)).toEqual([
      broken,
      new Error('taken'),
    ]);
    expect(ran).toEqual(['together']);
  });

  it('begin only once in a transaction that begins again', async () => {
    let begun = 0;
    const problems: unknown[] = [];
    attempt = async (work) => {
      await work(transaction);
      return work(transaction).catch((error: unknown) => {
        problems.push(error);
        throw error;
      });
    };
    const counts: UnitWork = async (of) => {
      if (of !== own) begun++;
      return Promise.resolve('done');
    };
    expect(await run(counts, counts)).toEqual([done('done'), done('done')]);
    expect(begun).toBe(2);
    expect(problems).toEqual([new NotShared('Units of work run again, each alone.')]);
    expect(ran).toEqual(['together', 'alone', 'alone']);
  });
});
