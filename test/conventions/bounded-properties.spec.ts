import fc from 'fast-check';

describe('A property', () => {
  let nowMs = 0;

  beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => nowMs));
  afterEach(() => jest.restoreAllMocks());

  /** Checks a property with `numRuns` runs, each of which takes this long, and returns how many began. */
  async function startedRuns(numRuns: number, runMs: number): Promise<number> {
    let begun = 0;
    const property = fc.asyncProperty(fc.nat(), async () => {
      begun += 1;
      await Promise.resolve();
      nowMs += runMs;
    });
    await fc.assert(property, { numRuns });
    return begun;
  }

  it('has all its runs within 20 seconds', async () => {
    expect(await startedRuns(40, 500)).toBe(40);
  });

  it('begins no run after 20 seconds, and says how many it had', async () => {
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await startedRuns(40, 1_000)).toBe(20);
    expect(said).toHaveBeenCalledWith(
      'Only 20 of 40 runs of a property in 20 s: A property begins no run after 20 seconds, and says how many it had\n',
    );
  });

  it('fails when it had less than a quarter of its runs', async () => {
    await expect(startedRuns(40, 2_500)).rejects.toThrow('Only 8 of 40 runs of a property in 20 s.');
  });

  it('fails with its counterexample, even when there is no time to look for a smaller one', async () => {
    const property = fc.property(fc.nat(), () => {
      nowMs += 30_000;
      throw new Error('The animal is gone.');
    });
    expect(() => fc.assert(property)).toThrow('Property failed after 1 tests');
  });
});
