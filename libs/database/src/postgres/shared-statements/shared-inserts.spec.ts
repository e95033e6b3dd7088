import { setImmediate as turn } from 'node:timers/promises';
import { type InsertParts, SharedInserts } from './shared-inserts.js';

const STATEMENT = { single: 'INSERT one', many: 'INSERT many' };

describe('SharedInserts', () => {
  /** The texts of the statements, in the sequence in which they were sent. */
  let texts: string[];
  /** The rows of each. */
  let sent: string[][];
  let respond: ((outcome: Error | null) => void)[];
  let queue: SharedInserts;
  let lastId: bigint;
  let step: bigint;
  /** How many of its ids PostgreSQL does not return. */
  let missing: number;

  function inserting(statement: { single: string; many: string | null }): SharedInserts {
    const query = async (_pool: unknown, sql: string, [names]: readonly unknown[]) => {
      const rows = (sql === STATEMENT.many ? names : [names]) as string[];
      texts.push(sql);
      sent.push(rows);
      const failure = await new Promise<Error | null>((resolve) => respond.push(resolve));
      if (failure) throw failure;
      return { rows: rows.slice(missing).map(() => ({ id: (lastId += step) })) };
    };
    return new SharedInserts(statement, {
      connections: { query, names: { of: (sql: string) => sql } },
      limitMs: 60_000,
      requireCapacity: () => undefined,
      rethrow: (error: unknown) => {
        throw error;
      },
    } as unknown as InsertParts);
  }

  beforeEach(() => {
    texts = [];
    sent = [];
    respond = [];
    lastId = 0n;
    step = 1n;
    missing = 0;
    queue = inserting(STATEMENT);
  });

  const insert = (name: string) => queue.insert([name]);
  const failed = (code: string) => Object.assign(new Error('no'), { code });

  async function respondToAll(outcome: Error | null = null): Promise<void> {
    for (const done of respond.splice(0)) done(outcome);
    await turn();
  }

  /** Two rows whose statement has such an outcome that each row is inserted alone from then on. */
  async function failTogether(outcome: Error | null = failed('42804')): Promise<void> {
    const first = Promise.allSettled([insert('Rex'), insert('Mia')]);
    await turn();
    await respondToAll(outcome);
    await respondToAll();
    await first;
    sent.length = 0;
  }

  it('sends a row that has come alone by the statement for one', async () => {
    const one = insert('Rex');
    await turn();
    await respondToAll();
    expect(await one).toBe(1n);
    expect(texts).toEqual([STATEMENT.single]);
  });

  it('sends each row of a statement that cannot have many by itself', async () => {
    queue = inserting({ ...STATEMENT, many: null });
    const both = Promise.all([insert('Rex'), insert('Mia')]);
    await turn();
    await respondToAll();
    expect(await both).toEqual([1n, 2n]);
    expect(texts).toEqual([STATEMENT.single, STATEMENT.single]);
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
    await failTogether(outcome());
    const later = Promise.all([insert('Tom'), insert('Ada')]);
    await turn();
    await respondToAll();
    await later;
    expect(sent).toEqual([['Tom'], ['Ada']]);
  });

  it('sends a row that is inserted alone without waiting for others', async () => {
    await failTogether();
    const later: Promise<bigint>[] = [];
    for (const name of ['Tom', 'Ada', 'Ben']) {
      later.push(insert(name));
      await turn();
    }
    expect(sent).toEqual([['Tom'], ['Ada'], ['Ben']]);
    await respondToAll();
    await Promise.all(later);
  });

  it('also inserts those alone that had been waiting', async () => {
    const first = Promise.all(['Rex', 'Mia'].map(insert));
    await turn();
    const later = Promise.all(['Tom', 'Ada'].map(insert));
    await respondToAll(failed('42804'));
    while (respond.length > 0) await respondToAll();
    await Promise.all([first, later]);
    expect(sent).toEqual([['Rex', 'Mia'], ['Rex'], ['Mia'], ['Tom'], ['Ada']]);
  });

  it.each<[string, () => void]>([
    ['did not come in order', () => (step = -1n)],
    ['are not different', () => (step = 0n)],
    ['are fewer', () => (missing = 1)],
  ])('does not know which row got which id when they %s', async (_, plant) => {
    plant();
    const outcomes = Promise.allSettled([insert('Rex'), insert('Mia')]);
    await turn();
    await respondToAll();

    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({
        reason: {
          code: 'service_unavailable',
          cause: 'PostgreSQL did not return 2 ids in ascending order for 2 rows.',
        },
      });
    expect(sent).toHaveLength(1);
  });
});
