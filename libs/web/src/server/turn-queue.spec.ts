import { SERVED_A_TURN, TurnQueue, type Waiting } from './turn-queue.js';

interface Connection extends Waiting {
  readonly name: string;
  left: number;
}

describe('TurnQueue', () => {
  let served: string[];
  let queue: TurnQueue<Connection>;

  beforeEach(() => {
    // What an earlier test has left in its queue is served later.
    const now: string[] = (served = []);
    const own: TurnQueue<Connection> = new TurnQueue((connection) => {
      if (--connection.left > 0) own.add(connection, false);
      now.push(connection.name);
    });
    queue = own;
  });

  function read(name: string, requests = 1): void {
    queue.add({ name, left: requests, isQueued: false }, requests === 1);
  }
  const turnToEnd = () => new Promise(setImmediate);
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `request ${index + 1}`);

  it('serves the requests of one turn at the end of the turn, in their order', async () => {
    for (const name of ['first', 'second', 'third']) read(name);
    await new Promise(process.nextTick);
    expect(served).toEqual([]);

    await turnToEnd();
    expect(served).toEqual(['first', 'second', 'third']);
  });

  it('does each step for all of them before the next one', async () => {
    queue = new TurnQueue(({ name }) => {
      served.push(`${name} begins`);
      void Promise.resolve().then(() => served.push(`${name} ends`));
    });
    for (const name of ['first', 'second']) read(name);
    await turnToEnd();

    expect(served).toEqual(['first begins', 'second begins', 'first ends', 'second ends']);
  });

  it('serves few requests of one connection in a turn', async () => {
    read('many', 3 * SERVED_A_TURN);
    await turnToEnd();
    expect(served).toHaveLength(SERVED_A_TURN);

    read('another');
    await turnToEnd();
    expect(served.indexOf('another')).toBe(SERVED_A_TURN + 1);
    expect(served).toHaveLength(2 * SERVED_A_TURN);
  });

  it('serves one request of each connection, however many there are, and no second one then', async () => {
    const names = numbered(SERVED_A_TURN + 1);
    for (const name of names) read(name, 3);
    await turnToEnd();
    expect(served).toEqual(names);

    await turnToEnd();
    expect(served).toEqual([...names, ...names]);
  });

  it('serves the 31 requests after a single one at once, and then lets requests wait again', async () => {
    read('alone');
    await turnToEnd();
    for (const name of numbered(31)) read(name);
    expect(served).toEqual(['alone', ...numbered(31)]);

    read('waits');
    expect(served).not.toContain('waits');
    await turnToEnd();
    expect(served).toContain('waits');
  });

  it('lets the further requests of a connection wait after a single one as well', async () => {
    read('alone');
    await turnToEnd();
    read('many', 2);
    expect(served).toEqual(['alone']);
  });

  it('serves the others when one of them throws', async () => {
    queue = new TurnQueue(({ name }) => {
      served.push(name);
      if (name === 'throws') throw new Error('on purpose');
    });
    // Jest would end with it.
    const immediate = jest.spyOn(globalThis, 'setImmediate');
    for (const name of ['first', 'throws', 'last']) read(name);
    const serveTurn = immediate.mock.calls[0]![0];
    clearImmediate(immediate.mock.results[0]!.value);
    immediate.mockRestore();
    expect(serveTurn).toThrow('on purpose');
    await turnToEnd();

    expect(served).toEqual(['first', 'throws', 'last']);
  });
});
