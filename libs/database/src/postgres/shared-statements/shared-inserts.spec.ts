import { setImmediate as turn } from 'node:timers/promises';
import { StorageUnavailable } from '@animal-store/kernel';
import { type RunInsert, sharedInserts, type SharedInserts } from './shared-inserts.js';

const STATEMENT = { single: 'INSERT one', many: 'INSERT many' };
const LIMIT_MS = 60_000;

describe('sharedInserts', () => {
  /** The rows of each statement, in the sequence in which they were sent. */
  let sent: string[][];
  let respond: ((outcome: Error | null) => void)[];
  let queue: SharedInserts;
  let lastId: bigint;
  let step: bigint;

  beforeEach(() => {
    sent = [];
    respond = [];
    lastId = 0n;
    step = 1n;
    const run: RunInsert = async (sql, [names]) => {
      const rows = (sql === STATEMENT.many ? names : [names]) as string[];
      sent.push(rows);
      const failure = await new Promise<Error | null>((resolve) => respond.push(resolve));
      if (failure) throw failure;
      return rows.map(() => (lastId += step));
    };
    queue = sharedInserts(STATEMENT, run, { limitMs: LIMIT_MS });
  });

  const insert = (name: string) => queue.add([name]);
  const failed = (code: string) => Object.assign(new Error('no'), { code });

  it('sends what arrived in one turn as one statement', async () => {
    const ids = Promise.all([insert('Rex'), insert('Mia')]);
    await turn();
    respond[0]!(null);

    expect(await ids).toEqual([1n, 2n]);
    expect(sent).toEqual([['Rex', 'Mia']]);
  });

  it('sends two statements at a time, and then everything that has arrived meanwhile', async () => {
    const inserting: Promise<bigint>[] = [];
    for (const name of ['Rex', 'Mia', 'Tom', 'Ada']) {
      inserting.push(insert(name));
      await turn();
    }
    expect(sent).toEqual([['Rex'], ['Mia']]);
    expect(queue.waitingCount).toBe(2);

    respond[1]!(null);
    await turn();
    await turn();
    expect(sent).toEqual([['Rex'], ['Mia'], ['Tom', 'Ada']]);
    respond[0]!(null);
    respond[2]!(null);
    await Promise.all(inserting);
    expect(queue.waitingCount).toBe(0);
  });

  it('sends at most 500 rows in a statement', async () => {
    for (let row = 0; row < 1_200; row++) void insert(`toy ${row}`);
    await turn();
    respond[0]!(null);
    await turn();
    await turn();

    expect(sent.map(({ length }) => length)).toEqual([500, 500, 200]);
  });

  it.each(['23514', '22001', '40P01', 'XX000', '42501', '54000'])(
    'inserts each row alone after error %s, which one may have caused',
    async (code) => {
      const outcomes = Promise.allSettled([insert('Rex'), insert('Mia'), insert('Tom')]);
      await turn();
      respond[0]!(failed(code));
      await turn();
      expect(sent.slice(1)).toEqual([['Rex'], ['Mia'], ['Tom']]);
      respond[1]!(null);
      respond[2]!(failed('23514'));
      respond[3]!(null);

      expect(await outcomes).toMatchObject([{ value: 1n }, { reason: { code: '23514' } }, { value: 2n }]);
    },
  );

  it('inserts a row again that a deadlock has ended', async () => {
    const id = insert('Rex');
    await turn();
    respond[0]!(failed('40P01'));
    await turn();
    respond[1]!(null);

    expect(await id).toBe(1n);
    expect(sent).toEqual([['Rex'], ['Rex']]);
  });

  it.each<[string, () => Error | null]>([
    ['an error of the text of many rows', () => failed('42804')],
    [
      'ids that did not come in order',
      () => {
        step = -1n;
        return null;
      },
    ],
  ])('inserts each row alone from then on after %s', async (_, outcome) => {
    const first = Promise.allSettled([insert('Rex'), insert('Mia')]);
    await turn();
    respond[0]!(outcome());
    await turn();
    for (const done of respond) done(null);
    await first;
    const before = sent.length;

    const later = Promise.all([insert('Tom'), insert('Ada')]);
    await turn();
    for (const done of respond) done(null);
    await later;
    expect(sent.slice(before)).toEqual([['Tom'], ['Ada']]);
  });

  it('does not know which row got which id when they did not come in order', async () => {
    step = -1n;
    const outcomes = Promise.allSettled([insert('Rex'), insert('Mia')]);
    await turn();
    respond[0]!(null);

    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ reason: { code: 'service_unavailable' } });
    expect(sent).toHaveLength(1);
  });

  it('inserts nothing again when the connection breaks, as the rows may have been stored', async () => {
    const failure = new StorageUnavailable('Connection terminated unexpectedly');
    const inserting = Promise.allSettled([insert('Rex'), insert('Mia')]);
    await turn();
    respond[0]!(failure);

    expect(await inserting).toEqual(Array(2).fill({ status: 'rejected', reason: failure }));
    expect(sent).toHaveLength(1);
  });
});
