import { BytesTurns } from './bytes-turns.js';

describe('BytesTurns', () => {
  /** How many handlers begin in each turn of the event loop from the first to the last, when each takes so long. */
  async function startedByTurn(count: number, durationMs: number): Promise<number[]> {
    let nowMs = 0;
    const turns = new BytesTurns(() => nowMs);
    const begun: number[] = [0];
    let isDone = false;
    const countTurns = (): void => {
      begun.push(0);
      if (!isDone) setImmediate(countTurns);
    };
    const handlers = Array.from({ length: count }, async () => {
      await turns.next();
      nowMs += durationMs;
      begun[begun.length - 1]!++;
    });
    setImmediate(countTurns);
    await Promise.all(handlers);
    isDone = true;
    const first = begun.findIndex((many) => many > 0);
    return begun.slice(first, begun.findLastIndex((many) => many > 0) + 1);
  }

  it('begins one in a turn while they take long', async () => {
    expect(await startedByTurn(5, 6)).toEqual([1, 1, 1, 1, 1]);
  });

  it('begins more and more in a turn while these stay short', async () => {
    expect(await startedByTurn(15, 0)).toEqual([1, 2, 4, 8]);
    expect(Math.max(...(await startedByTurn(1_000, 0)))).toBe(64);
  });

  it('begins one again after a long turn', async () => {
    expect(await startedByTurn(9, 2)).toEqual([1, 2, 4, 1, 1]);
  });

  it('begins them in the order in which they have come', async () => {
    const turns = new BytesTurns(() => 0);
    const begun: number[] = [];
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    await Promise.all(numbers.map((number) => turns.next().then(() => begun.push(number))));

    expect(begun).toEqual(numbers);
  });

  it('goes on after a pause', async () => {
    const turns = new BytesTurns();
    await turns.next();
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await turns.next();
  });
});
