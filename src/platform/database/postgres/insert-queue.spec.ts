import { setImmediate as turn } from 'node:timers/promises';
import { StorageUnavailable } from '@animal-store/kernel';
import { type InsertDatabase, InsertQueue, type RunInsert } from './insert-queue.js';

const STATEMENT = { single: 'INSERT one', many: 'INSERT many' };
const LIMIT_MS = 60_000;

describe('InsertQueue', () => {
  /** The rows of each statement, in the sequence in which they were sent. */
  let sent: string[][];
  let alone: string[];
  let respond: ((outcome: Error | null) => void)[];
  let connect: () => Promise<void>;
  let queue: InsertQueue;
  let lastId: bigint;
  let step: bigint;

  beforeEach(() => {
    sent = [];
    alone = [];
    respond = [];
    lastId = 0n;
    step = 1n;
    connect = () => Promise.resolve();
    const run: RunInsert = async (sql, [names]) => {
      const rows = (sql === STATEMENT.many ? names : [names]) as string[];
      sent.push(rows);
      const failure = await new Promise<Error | null>((resolve) => respond.push(resolve));
      if (failure) throw failure;
      return rows.map(() => ({ id: (lastId += step) }));
    };
    const database: InsertDatabase = {
      onConnection: async (work) => {
        await connect();
        await work(run);
      },
      insertAlone: (_, [name]) => {
        alone.push(name as string);
        return Promise.resolve(++lastId);
      },
    };
    queue = new InsertQueue(STATEMENT, database, LIMIT_MS);
  });

  afterEach(() => jest.restoreAllMocks());

  const insert = (name: string) => queue.insert([name]);

  it('sends what arrived in one turn as one statement', async () => {
    const ids = Promise.all([insert('Rex'), insert('Mia')]);
    await turn();
    respond[0]!(null);

    expect(await ids).toEqual([1n, 2n]);
    expect(sent).toEqual([['Rex', 'Mia']]);
  });

  it('sends two statements at a time, and then everything that has arrived meanwhile', async () => {
    const inserting = [insert('Rex')];
    await turn();
    inserting.push(insert('Mia'));
    await turn();
    inserting.push(insert('Tom'));
    await turn();
    inserting.push(insert('Ada'));
    await turn();
    expect(sent).toEqual([['Rex'], ['Mia']]);

    respond[1]!(null);
    await turn();
    await turn();
    expect(sent).toEqual([['Rex'], ['Mia'], ['Tom', 'Ada']]);
    respond[0]!(null);
    respond[2]!(null);
    await Promise.all(inserting);
    expect(queue.waitingCount).toBe(0);
  });

  it('adds what arrives while it waits for a connection', async () => {
    let connected = () => {};
    connect = () => new Promise<void>((resolve) => (connected = resolve));
    const inserting = [insert('Rex')];
    await turn();
    inserting.push(insert('Mia'));
    await turn();
    expect(queue.waitingCount).toBe(2);
    connected();
    await turn();
    respond[0]!(null);
    await Promise.all(inserting);

    expect(sent).toEqual([['Rex', 'Mia']]);
  });

  it('fails what waited for a connection that did not come, and tries again for what arrived meanwhile', async () => {
    let fail: (error: Error) => void = () => {};
    connect = () => new Promise((_, reject) => (fail = reject));
    const waited = insert('Rex');
    await turn();
    connect = () => Promise.resolve();
    const arrived = insert('Mia');
    fail(new StorageUnavailable('gone'));
    await expect(waited).rejects.toBeInstanceOf(StorageUnavailable);
    await turn();
    respond[0]!(null);
    await arrived;

    expect(sent).toEqual([['Mia']]);
  });

  it.each(['23514', '22001', '40P01'])(
    'inserts each row alone after error %s, which one may have caused',
    async (code) => {
      const ids = Promise.all([insert('Rex'), insert('Mia')]);
      await turn();
      respond[0]!(Object.assign(new Error('no'), { code }));

      expect(await ids).toEqual([1n, 2n]);
      expect(alone).toEqual(['Rex', 'Mia']);
    },
  );

  it('inserts each row alone from then on after an error of the text of many rows', async () => {
    const ids = Promise.all([insert('Rex'), insert('Mia')]);
    await turn();
    respond[0]!(Object.assign(new Error('column is of type jsonb'), { code: '42804' }));
    expect(await ids).toEqual([1n, 2n]);

    const later = Promise.all([insert('Tom'), insert('Ada')]);
    await turn();
    await turn();
    respond[1]!(null);
    respond[2]!(null);
    await later;
    expect(sent).toEqual([['Rex', 'Mia'], ['Tom'], ['Ada']]);
  });

  it('inserts each row alone from then on when ids have not come in order', async () => {
    step = -1n;
    const inserting = Promise.allSettled([insert('Rex'), insert('Mia')]);
    await turn();
    respond[0]!(null);
    for (const outcome of await inserting)
      expect(outcome).toMatchObject({ reason: { code: 'service_unavailable' } });

    const later = Promise.all([insert('Tom'), insert('Ada')]);
    await turn();
    await turn();
    respond[1]!(null);
    respond[2]!(null);
    expect(await later).toEqual([-3n, -4n]);
  });

  it('does not send a row that is late when the connection comes', async () => {
    connect = async () => {
      jest.spyOn(performance, 'now').mockReturnValue(performance.now() + LIMIT_MS);
    };
    await expect(insert('Rex')).rejects.toBeInstanceOf(StorageUnavailable);

    expect(sent).toEqual([]);
  });

  it.each([
    ['the connection breaks', new StorageUnavailable('Connection terminated unexpectedly')],
    ['PostgreSQL crashes', Object.assign(new Error('PANIC'), { code: 'XX000' })],
  ])('inserts nothing again when %s', async (_, failure) => {
    const inserting = Promise.allSettled([insert('Rex'), insert('Mia')]);
    await turn();
    respond[0]!(failure);

    expect(await inserting).toEqual(Array(2).fill({ status: 'rejected', reason: failure }));
    expect(alone).toEqual([]);
    expect(sent).toHaveLength(1);
  });
});
