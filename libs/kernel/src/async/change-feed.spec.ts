import { ChangeFeed, type ChangedRow } from './change-feed.js';

interface Fact extends ChangedRow {
  readonly name: string;
}

describe('ChangeFeed', () => {
  let facts: Fact[];
  let reads: number[];
  const source = {
    latestChangeMs: async () => facts.at(-1)?.changedAtMs ?? null,
    changedAfter: async (afterMs: number, limit: number) => {
      reads.push(afterMs);
      return facts.filter(({ changedAtMs }) => changedAtMs! > afterMs).slice(0, limit);
    },
  };
  const fact = (changedAtMs: number) => ({ name: `fact ${changedAtMs}`, changedAtMs });

  beforeEach(() => {
    facts = [fact(7)];
    reads = [];
  });

  it('begins at the latest change, or at a given time', async () => {
    const seen: number[] = [];
    const note = (changed: readonly Fact[]) => void seen.push(...changed.map((one) => one.changedAtMs!));
    await new ChangeFeed(source, note).read();
    expect(seen).toEqual([]);
    await new ChangeFeed(source, note, { sinceMs: 0 }).read();
    expect(seen).toEqual([7]);
  });

  it('reads each change once, at the cost of what has changed', async () => {
    const parts: [number, boolean][] = [];
    const feed = new ChangeFeed(source, (changed, isLast) => void parts.push([changed.length, isLast]));
    await feed.read();
    facts.push(...Array.from({ length: 2_500 }, (_, index) => fact(8 + index)));
    await feed.read();
    await feed.read();
    expect(parts).toEqual([
      [0, true],
      [1_000, false],
      [1_000, false],
      [500, true],
      [0, true],
    ]);
    expect(reads).toEqual([7, 7, 1_007, 2_007, 2_507]);
  });

  it('reads again what could not be applied', async () => {
    let isDown = true;
    const applied: string[] = [];
    const feed = new ChangeFeed<Fact>(
      source,
      async (changed) => {
        if (isDown) throw new Error('The limiter is gone.');
        applied.push(...changed.map(({ name }) => name));
      },
      { sinceMs: 0 },
    );
    await expect(feed.read()).rejects.toThrow('The limiter is gone.');
    isDown = false;
    await feed.read();
    expect(applied).toEqual(['fact 7']);
  });
});
