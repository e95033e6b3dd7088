import { ResponseQueue } from './response-queue.js';

describe('ResponseQueue', () => {
  const left: string[] = [];
  let queue: ResponseQueue;

  beforeEach(() => {
    left.length = 0;
    queue = new ResponseQueue();
  });

  function respond(...names: string[]): void {
    for (const name of names) queue.add({ sendNow: () => left.push(name) });
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `response ${index + 1}`);
  const tick = () => new Promise(process.nextTick);

  it('sends responses that become ready at the same moment together, in their order', async () => {
    respond('committed', 'in the same transaction');
    await Promise.resolve();
    respond('a promise later');
    expect(left).toEqual([]);

    await tick();
    expect(left).toEqual(['committed', 'in the same transaction', 'a promise later']);
  });

  it('lets at most 32 responses wait', async () => {
    respond(...numbered(31));
    expect(left).toEqual([]);

    respond('response 32');
    expect(left).toEqual(numbered(32));

    respond('after them');
    await tick();
    expect(left.at(-1)).toBe('after them');
  });

  it('sends the other responses when one of them throws', async () => {
    respond('before');
    queue.add({
      sendNow: () => {
        throw new Error('a listener of its own');
      },
    });
    respond('behind');

    expect(queue.flush).toThrow('a listener of its own');
    await tick();
    expect(left).toEqual(['before', 'behind']);
  });

  it('sends all responses when it is flushed', () => {
    respond('ready');
    queue.flush();

    expect(left).toEqual(['ready']);
  });
});
