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
  /** Serves requests that get their response as soon as they are read. */
  function serve(...names: string[]): void {
    for (const name of names) {
      queue.expect();
      respond(name);
    }
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `response ${index + 1}`);
  const turnToEnd = () => new Promise(setImmediate);
  const tick = () => new Promise(process.nextTick);

  it('sends the responses to the requests of one turn at the end of the turn, in the order of the requests', async () => {
    serve('first', 'second', 'third');
    await tick();
    expect(left).toEqual([]);

    await turnToEnd();
    expect(left).toEqual(['first', 'second', 'third']);
  });

  it('sends them before other work that their requests scheduled for the end of the turn', async () => {
    queue.expect();
    const write = turnToEnd().then(() => expect(left).toEqual(['list']));
    serve('list');
    await write;
  });

  it('lets at most 32 responses wait', async () => {
    serve(...numbered(31));
    expect(left).toEqual([]);

    serve('response 32');
    expect(left).toEqual(numbered(32));

    serve('after them');
    await turnToEnd();
    expect(left.at(-1)).toBe('after them');
  });

  it('sends responses that come after their turn together with others of the same moment', async () => {
    for (let request = 0; request < 3; request++) queue.expect();
    await turnToEnd();

    respond('committed', 'in the same transaction');
    expect(left).toEqual([]);
    await tick();
    expect(left).toEqual(['committed', 'in the same transaction']);
  });

  it('sends the responses to the 31 requests after a single request at once, and then lets responses wait again', async () => {
    serve('alone');
    await turnToEnd();
    expect(left).toEqual(['alone']);

    for (const name of numbered(31)) {
      serve(name);
      await tick();
      expect(left.at(-1)).toBe(name);
    }

    serve('waits');
    await tick();
    expect(left).not.toContain('waits');
    await turnToEnd();
    expect(left).toContain('waits');
  });

  it('does not treat the last of many requests as a single one', async () => {
    serve(...numbered(33));
    await turnToEnd();

    serve('waits');
    await tick();
    expect(left).toEqual(numbered(33));
    await turnToEnd();
    expect(left.at(-1)).toBe('waits');
  });

  it('sends the other responses when one of them throws', async () => {
    queue.expect();
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
    serve('ready');
    queue.flush();

    expect(left).toEqual(['ready']);
  });
});
