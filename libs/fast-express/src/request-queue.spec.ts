import { AsyncLocalStorage } from 'node:async_hooks';
import { RequestQueue } from './request-queue.js';

describe('RequestQueue', () => {
  const served: string[] = [];
  let queue: RequestQueue<string>;

  beforeEach(() => {
    served.length = 0;
    queue = new RequestQueue((name) => served.push(name));
  });

  function read(...names: string[]): void {
    for (const name of names) queue.add(name);
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `request ${index + 1}`);
  const turnToEnd = () => new Promise(setImmediate);

  it('serves the requests of one turn at the end of the turn, in their order', async () => {
    read('first', 'second', 'third');
    await new Promise(process.nextTick);
    expect(served).toEqual([]);

    await turnToEnd();
    expect(served).toEqual(['first', 'second', 'third']);
  });

  it('does each step for all of them before the next one', async () => {
    queue = new RequestQueue(async (name) => {
      served.push(`${name} begins`);
      await Promise.resolve();
      served.push(`${name} ends`);
    });
    read('first', 'second');
    await turnToEnd();

    expect(served).toEqual(['first begins', 'second begins', 'first ends', 'second ends']);
  });

  it('serves the 31 requests after a single one at once, and then lets requests wait again', async () => {
    read('alone');
    await turnToEnd();
    read(...numbered(31));
    expect(served).toEqual(['alone', ...numbered(31)]);

    read('waits');
    expect(served).not.toContain('waits');
    await turnToEnd();
    expect(served).toContain('waits');
  });

  it('serves each request in the asynchronous context in which it was read', async () => {
    const trace = new AsyncLocalStorage<string>();
    queue = new RequestQueue((name) => served.push(`${name} of ${trace.getStore()}`));
    trace.run('one trace', () => read('first'));
    trace.run('another', () => read('second'));
    await turnToEnd();

    expect(served).toEqual(['first of one trace', 'second of another']);
  });

  it('serves the other requests when one of them throws', async () => {
    queue = new RequestQueue((name) => {
      if (name === 'broken') throw new Error('a bug');
      served.push(name);
    });
    read('before', 'broken', 'behind');

    expect(queue.flush).toThrow('a bug');
    await turnToEnd();
    expect(served).toEqual(['before', 'behind']);
  });

  it('serves each request once, also when serving one of them flushes the queue', async () => {
    queue = new RequestQueue((name) => {
      served.push(name);
      queue.flush();
    });
    read('first', 'second');
    await turnToEnd();

    expect(served).toEqual(['first', 'second']);
  });

  it('serves all requests when it is flushed, once', async () => {
    read('read');
    queue.flush();
    expect(served).toEqual(['read']);

    await turnToEnd();
    expect(served).toEqual(['read']);
  });
});
