import { setImmediate as turn } from 'node:timers/promises';
import { type InsertParts, SharedInserts } from './shared-inserts.js';

const STATEMENT = { single: 'INSERT one', many: 'INSERT many' };

describe('SharedInserts', () => {
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
    const query = async (_pool: unknown, sql: string, [names]: readonly unknown[]) => {
      const rows = (sql === STATEMENT.many ? names : [names]) as string[];
      sent.push(rows);
      const failure = await new Promise<Error | null>((resolve) => respond.push(resolve));
      if (failure) throw failure;
      return { rows: rows.map(() => ({ id: (lastId += step) })) };
    };
    queue = new SharedInserts(STATEMENT, {
      connections: { query, names: { of: (sql: string) => sql } },
      limitMs: 60_000,
      requireCapacity: () => undefined,
      rethrow: (error: unknown) => {
        throw error;
      },
    } as unknown as InsertParts);
  });

  const insert = (name: string) => queue.insert([name]);
  const failed = (code: string) => Object.assign(new Error('no'), { code });

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
});
