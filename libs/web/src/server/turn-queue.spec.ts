import { TurnQueue, type Waiting } from './turn-queue.js';

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
