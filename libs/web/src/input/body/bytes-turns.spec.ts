import { BytesTurns } from './bytes-turns.js';

describe('BytesTurns', () => {
  /** How many handlers begin in each turn of the event loop, when each takes so long. */
  async function begunByTurn(count: number, tookMs: number): Promise<number[]> {
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
      nowMs += tookMs;
      begun[begun.length - 1]!++;
    });
    setImmediate(countTurns);
    await Promise.all(handlers);
    isDone = true;
    return begun.filter((many) => many > 0);
  }

  it('begins one in a turn while they take long', async () => {
    expect(await begunByTurn(5, 6)).toEqual([1, 1, 1, 1, 1]);
  });

  it('begins more and more in a turn while these stay short', async () => {
    expect(await begunByTurn(15, 0)).toEqual([1, 2, 4, 8]);
    expect(Math.max(...(await begunByTurn(1_000, 0)))).toBe(64);
  });

  it('begins one again after a long turn', async () => {
    expect(await begunByTurn(9, 2)).toEqual([1, 2, 4, 1, 1]);
  });

  it('goes on after a pause', async () => {
    const turns = new BytesTurns();
    await turns.next();
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await turns.next();
  });
});
