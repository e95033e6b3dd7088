import { Batcher, type BatcherOptions, observeBatches } from './batcher.js';
import { StorageUnavailable } from '../storage-unavailable.js';

/** A batch that was sent, and its end. */
interface Sent {
  readonly items: readonly string[];
  readonly end: (results: readonly (string | Promise<string>)[]) => void;
  readonly fail: (error: unknown) => void;
}

function aBatcher(options: Partial<BatcherOptions> = {}) {
  const sent: Sent[] = [];
  const send = (items: readonly string[]) =>
    new Promise<readonly (string | Promise<string>)[]>((end, fail) => sent.push({ items, end, fail }));
  const batcher = new Batcher(send, { max: 3, ...options });
  const addAll = (items: string) => [...items].map((item) => batcher.add(item));
  return { batcher, sent, addAll, batches: () => sent.map(({ items }) => items.join('')) };
}

const nextTurn = () => jest.advanceTimersByTimeAsync(0);

describe('Batcher', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('sends what arrives in one turn once, and gives each item its result', async () => {
    const { sent, addAll } = aBatcher();
    const results = addAll('abc');
    expect(sent).toEqual([]);
    await nextTurn();

    sent[0]!.end(['A', 'B', 'C']);

    expect(await Promise.all(results)).toEqual(['A', 'B', 'C']);
    expect(sent).toHaveLength(1);
  });

  it('sends at most so many items in a batch, and as many batches as there are', async () => {
    const { batcher, sent, addAll, batches } = aBatcher();
    const results = addAll('abcdefgh');
    await nextTurn();
    expect(batches()).toEqual(['abc', 'def', 'gh']);
    expect(batcher.waitingCount).toBe(0);

    sent[0]!.end(['A', 'B', 'C']);
    sent[1]!.end(['D', 'E', 'F']);
    sent[2]!.end(['G', 'H']);
    expect(await Promise.all(results)).toEqual([...'ABCDEFGH']);
  });

  it('gives an item its own error, and the others their results', async () => {
    const { sent, addAll } = aBatcher();
    const results = addAll('abc');
    await nextTurn();

    sent[0]!.end(['A', Promise.reject(new Error('b exists already')), Promise.resolve('C')]);

    expect(await Promise.allSettled(results)).toEqual([
      { status: 'fulfilled', value: 'A' },
      { status: 'rejected', reason: new Error('b exists already') },
      { status: 'fulfilled', value: 'C' },
    ]);
  });

  it('rejects all items of a batch that fails, and continues', async () => {
    const { batcher, sent, addAll } = aBatcher({ max: 2, atOnce: 1 });
    const results = addAll('abc');
    await nextTurn();

    sent[0]!.fail(new Error('no connection'));
    await nextTurn();
    sent[1]!.end(['C']);

    await expect(results[0]).rejects.toThrow('no connection');
    await expect(results[1]).rejects.toThrow('no connection');
    expect(await results[2]).toBe('C');
    const last = batcher.add('d');
    await nextTurn();
    sent[2]!.end(['D']);
    expect(await last).toBe('D');
  });

  it('rejects all items when a result is missing or sending throws', async () => {
    const { sent, addAll } = aBatcher();
    const [a, b] = addAll('ab');
    await nextTurn();
    sent[0]!.end(['A']);
    await expect(a).rejects.toThrow('2 items were sent, but 1 results were returned.');
    await expect(b).rejects.toThrow(RangeError);

    const send = (): string[] => {
      throw new TypeError('not connected');
    };
    const failing = new Batcher(send, { max: 3 });
    const failed = expect(failing.add('c')).rejects.toThrow('not connected');
    await nextTurn();
    await failed;
  });

  it('refuses items whose batch does not begin in time, and only those', async () => {
    const { batcher, sent, addAll, batches } = aBatcher({ atOnce: 1, limitMs: 500 });
    const results = addAll('abc');
    await nextTurn();
    const late = expect(batcher.add('d')).rejects.toThrow(StorageUnavailable);
    await jest.advanceTimersByTimeAsync(400);
    const inTime = batcher.add('e');

    await jest.advanceTimersByTimeAsync(101);
    await late;
    expect(batcher.waitingCount).toBe(1);

    // What has been sent has no limit here.
    sent[0]!.end(['A', 'B', 'C']);
    expect(await Promise.all(results)).toEqual(['A', 'B', 'C']);
    await nextTurn();
    sent[1]!.end(['E']);
    expect(await inTime).toBe('E');
    expect(batches()).toEqual(['abc', 'e']);
  });

  it('with a few at a time lets items wait for those in flight, a little and while there are as many', async () => {
    const { sent, addAll, batches } = aBatcher({ atOnce: 2 });
    const results = addAll('a');
    await nextTurn();
    results.push(...addAll('b'));
    await jest.advanceTimersByTimeAsync(8);
    results.push(...addAll('c'));
    expect(batches()).toEqual(['a']);

    await jest.advanceTimersByTimeAsync(3);
    expect(batches()).toEqual(['a', 'bc']);

    results.push(...addAll('d'));
    await jest.advanceTimersByTimeAsync(50);
    expect(batches()).toEqual(['a', 'bc']);
    sent[0]!.end(['A']);
    await nextTurn();
    expect(batches()).toEqual(['a', 'bc', 'd']);
    sent[1]!.end(['B', 'C']);
    sent[2]!.end(['D']);
    expect(await Promise.all(results)).toEqual([...'ABCD']);
  });

  it('rests between batches, but not before the first', async () => {
    const { sent, addAll, batches } = aBatcher({ atOnce: 1, everyMs: 250 });
    const results = addAll('a');
    await nextTurn();
    sent[0]!.end(['A']);
    expect(await results[0]).toBe('A');

    results.push(...addAll('b'));
    await jest.advanceTimersByTimeAsync(200);
    results.push(...addAll('c'));
    expect(batches()).toEqual(['a']);

    await jest.advanceTimersByTimeAsync(51);
    expect(batches()).toEqual(['a', 'bc']);
    sent[1]!.end(['B', 'C']);
    expect(await Promise.all(results)).toEqual([...'ABC']);
  });

  describe('with an observer', () => {
    let caller = 'nobody';
    const seen: unknown[] = [];
    beforeEach(() => {
      seen.length = 0;
      observeBatches({
        origin: () => caller,
        sending: (origins, send) => {
          seen.push(origins);
          return send();
        },
      });
    });
    afterEach(() => observeBatches(null));

    it('reports who added each item of a batch, also of one that waited for others', async () => {
      const { batcher, sent, batches } = aBatcher({ max: 2, atOnce: 1 });
      const results = [...'abc'].map((item) => {
        caller = `caller of ${item}`;
        return batcher.add(item);
      });
      await nextTurn();
      expect(seen).toEqual([['caller of a', 'caller of b']]);

      caller = 'nobody';
      sent[0]!.end(['A', 'B']);
      await nextTurn();
      expect(seen[1]).toEqual(['caller of c']);
      expect(batches()).toEqual(['ab', 'c']);
      sent[1]!.end(['C']);
      expect(await Promise.all(results)).toEqual([...'ABC']);
    });
  });
});
