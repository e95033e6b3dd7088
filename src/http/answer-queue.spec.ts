import { AnswerQueue } from './answer-queue.js';

describe('AnswerQueue', () => {
  const left: string[] = [];
  let queue: AnswerQueue;

  beforeEach(() => {
    left.length = 0;
    queue = new AnswerQueue();
  });

  function add(...names: string[]): void {
    for (const name of names) queue.add({ leave: () => left.push(name) });
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `answer ${index + 1}`);
  const turnToEnd = () => new Promise(setImmediate);

  it('lets the answers of a turn leave when the turn ends, in their order', async () => {
    add('first', 'second', 'third');
    expect(left).toEqual([]);

    await turnToEnd();
    expect(left).toEqual(['first', 'second', 'third']);
  });

  it('lets no more than 32 wait', async () => {
    add(...numbered(31));
    expect(left).toEqual([]);

    add('answer 32');
    expect(left).toEqual(numbered(32));

    add('after them');
    await turnToEnd();
    expect(left.at(-1)).toBe('after them');
  });

  it('lets the 31 answers after a lone one leave at once, and the next one wait again', async () => {
    add('alone');
    await turnToEnd();
    expect(left).toEqual(['alone']);

    add(...numbered(31));
    expect(left).toEqual(['alone', ...numbered(31)]);

    add('waits');
    expect(left).not.toContain('waits');
    await turnToEnd();
    expect(left).toContain('waits');
  });

  it('does not take the last of many for a lone one', async () => {
    add(...numbered(33));
    await turnToEnd();

    add('waits');
    expect(left).toEqual(numbered(33));
    await turnToEnd();
    expect(left.at(-1)).toBe('waits');
  });
});
