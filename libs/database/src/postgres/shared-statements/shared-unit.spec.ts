import type { SelectSql, SqlValue, WriteSql } from '../../sql-session.js';
import { ADD, ADD_BY_ID, CHANGE, FIND, INSERT, LOCK, REPLACE } from '../../testing/toy-statements.js';
import { type Call, NotShared, SharedUnit } from './shared-unit.js';

const AGAIN = 'This unit of work runs again, in another transaction.';

describe('A unit of work in a transaction with others', () => {
  let unit: SharedUnit;
  let added: Call[];
  const calls = { add: jest.fn(), drawnId: jest.fn(), claim: jest.fn(), changed: jest.fn() };

  beforeEach(() => {
    added = [];
    calls.add.mockReset().mockImplementation((call: Call) => added.push(call));
    calls.drawnId.mockReset();
    calls.claim.mockReset().mockReturnValue(true);
    calls.changed.mockReset();
    unit = new SharedUnit(calls);
  });

  const written = () => unit.writes.map(({ text, values, many }) => [text, values, many]);

  /** Locks the row of this id, as the transaction delivers it. */
  async function lock(id: SqlValue, select = LOCK, found: unknown[] = [{ id }]): Promise<void> {
    const locking = unit.select(select, [id]);
    unit.deliver(added.at(-1)!, found);
    expect(await locking).toEqual(found);
  }

  async function isRefused(work: () => unknown, again: SharedUnit['again'] = 'alone'): Promise<void> {
    const requested = added.length;
    const working = (async () => work())();
    working.catch(() => undefined);
    // What waits for PostgreSQL would wait for ever.
    expect(added).toHaveLength(requested);
    await expect(working).rejects.toThrow(NotShared);
    expect(unit.again).toBe(again);
  }

  describe('ends', () => {
    it('with what it resolved with, or was refused with', async () => {
      unit.start(() => Promise.resolve(7));
      await unit.ended;
      expect(unit).toMatchObject({ state: 'succeeded', outcome: 7, again: null });
      expect(calls.changed).toHaveBeenCalledTimes(1);

      const refused = new SharedUnit(calls);
      const error = new Error('taken');
      refused.start(() => Promise.reject(error));
      await refused.ended;
      expect(refused).toMatchObject({ state: 'refused', outcome: error, again: null });
    });

    it('as expelled when it has to run again, for the first reason', async () => {
      let problem: unknown;
      unit.start(async () => {
        problem = unit.expel('waiting');
        unit.expel('alone');
        await Promise.resolve();
      });
      await unit.ended;
      expect(problem).toEqual(new NotShared(AGAIN));
      expect(unit).toMatchObject({ state: 'expelled', again: 'waiting' });
    });

    it('for the others when it is late', () => {
      unit.expelLate();
      expect(unit).toMatchObject({ state: 'expelled', again: 'alone', isBusy: false });
    });
  });

  it('is busy unless it waits or has ended', async () => {
    expect(unit.isBusy).toBe(true);
    const locking = unit.select(LOCK, [7n]);
    expect(unit.isBusy).toBe(false);
    unit.deliver(added[0]!, []);
    await locking;
    expect(unit.isBusy).toBe(true);
    unit.start(() => Promise.resolve());
    await unit.ended;
    expect(unit.isBusy).toBe(false);
  });

  it('is a writer when it writes, until it is refused', async () => {
    expect(unit.isWriter).toBe(false);
    await unit.execute(ADD, ['Rex']);
    expect(unit.isWriter).toBe(true);
    unit.state = 'succeeded';
    expect(unit.isWriter).toBe(true);
    unit.state = 'refused';
    expect(unit.isWriter).toBe(false);
    unit.state = 'expelled';
    expect(unit.isWriter).toBe(false);
  });

  describe('reads', () => {
    it('a row that it looks up by its key, with a lock or before it writes', async () => {
      await lock(7n);
      await lock(8n, FIND);
      expect(added).toMatchObject([
        { unit, text: LOCK.sql, values: [7n], select: LOCK, row: 'toys 7 ' },
        { unit, text: FIND.sql, values: [8n], select: FIND, row: 'toys 8 ' },
      ]);
      await unit.execute(ADD, ['Rex']);
      await lock(9n);
    });
  });

  describe('writes', () => {
    it('what it adds, and what it replaces or adds by its key', async () => {
      await unit.execute(ADD, ['Rex']);
      await unit.execute(ADD_BY_ID, [7n]);
      await unit.execute(REPLACE, [8n]);
      expect(written()).toEqual([
        ['INSERT one', ['Rex'], 'INSERT many'],
        ['INSERT one', [7n], 'INSERT many'],
        ['REPLACE one', [8n], null],
      ]);
      expect(calls.claim.mock.calls).toEqual([
        [unit, 'toys 7 '],
        [unit, 'toys 8 '],
      ]);
    });

    it('what it has locked and found, or has added', async () => {
      await lock(7n);
      await unit.execute(CHANGE, [7n]);
      await unit.execute(ADD_BY_ID, [8n]);
      await unit.execute(CHANGE, [8n]);
      expect(unit.writes).toHaveLength(3);
    });
  });

  describe('inserts', () => {
    it('with an id that has been drawn already', async () => {
      calls.drawnId.mockReturnValue(5n);
      expect(await unit.insert(INSERT, ['Rex', 1n])).toBe(5n);
      expect(calls.drawnId).toHaveBeenCalledWith(unit, 'nextval');
      expect(added).toEqual([]);
      expect(written()).toEqual([['INSERT one', ['Rex', 5n, 1n], 'INSERT many']]);
    });

    it('with an id that it waits for', async () => {
      const inserting = unit.insert(INSERT, ['Rex']);
      expect(added).toMatchObject([{ unit, text: 'nextval', values: [], select: null, row: '' }]);
      unit.deliver(added[0]!, 6n);
      expect(await inserting).toBe(6n);
      expect(written()).toEqual([['INSERT one', ['Rex', 6n], 'INSERT many']]);
    });
  });

  describe('runs again, alone, when it', () => {
    it.each<[string, SelectSql, SqlValue]>([
      ['looks up no row', { ...LOCK, row: null }, 7n],
      ['names no row by its key', LOCK, 'seven'],
      ['skips what is locked', { ...LOCK, sql: `${LOCK.sql} SKIP LOCKED` }, 7n],
    ])('%s', (_, select, id) => isRefused(() => unit.select(select, [id])));

    it('reads what it has written', async () => {
      await unit.execute(ADD_BY_ID, [7n]);
      await isRefused(() => unit.select(LOCK, [7n]));
    });

    it('reads without a lock after it has written', async () => {
      await unit.execute(ADD, ['Rex']);
      await isRefused(() => unit.select(FIND, [7n]));
    });

    it('runs SQL of its own, or uses TypeORM', async () => {
      await isRefused(() => unit.query());
      unit = new SharedUnit(calls);
      await isRefused(() => unit.entityManager());
    });

    it.each<[string, () => Promise<void>]>([
      ['has not locked', () => Promise.resolve()],
      ['has not found', () => lock(7n, LOCK, [])],
      ['has only read', () => lock(7n, FIND)],
    ])('changes what it %s', async (_, before) => {
      await before();
      await isRefused(() => unit.execute(CHANGE, [7n]));
      expect(unit.writes).toEqual([]);
    });

    it.each<[string, WriteSql, SqlValue]>([
      ['may do anything', { single: 'CALL', many: null }, 7n],
      ['may do anything to a row', { single: 'CALL', many: null, row: CHANGE.row! }, 7n],
      ['changes any row', { ...CHANGE, row: null }, 7n],
      ['replaces any row', { ...REPLACE, row: null }, 7n],
      ['adds a row whose key is none', ADD_BY_ID, 'seven'],
    ])('writes what %s', async (_, write, id) => {
      await isRefused(() => unit.execute(write, [id]));
      expect(unit.writes).toEqual([]);
    });

    it('inserts where no id can be drawn', () =>
      isRefused(() => unit.insert({ single: 'INSERT', many: null }, ['Rex'])));
  });

  it('runs again with others when it writes what another unit has', async () => {
    calls.claim.mockReturnValue(false);
    await isRefused(() => unit.execute(REPLACE, [7n]), 'together');
    expect(unit.writes).toEqual([]);
  });

  it('gets the error of its statement', async () => {
    const locking = unit.select(LOCK, [7n]);
    added[0]!.reject(new Error('no such table'));
    await expect(locking).rejects.toThrow('no such table');
    expect(unit.isBusy).toBe(true);
  });

  it('does nothing more when it has to run again, or has ended', async () => {
    unit.expel('waiting');
    await isRefused(() => unit.select(LOCK, [7n]), 'waiting');
    await isRefused(() => unit.execute(ADD, ['Rex']), 'waiting');
    expect([added, unit.writes]).toEqual([[], []]);

    const ended = new SharedUnit(calls);
    ended.start(() => Promise.resolve());
    await ended.ended;
    await expect(ended.select(LOCK, [7n])).rejects.toThrow('This transaction has ended');
    await expect(ended.execute(ADD, ['Rex'])).rejects.toThrow('This transaction has ended');
  });
});
