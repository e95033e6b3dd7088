import { type KeyUse, keyProblems, lostKeys } from './check.js';

const use = (key: string, invokedMs: number, status: number, code: string | null = null): KeyUse => ({
  key,
  invokedMs,
  returnedMs: invokedMs + 1,
  status,
  code,
});

describe('The check of keys', () => {
  const keyEnds = [{ keys: ['root', 'child', 'grandchild'], doneMs: 1_000 }];

  it('finds nothing while a server may still know a key, nor in refusals', () => {
    const keyUses = [use('root', 6_000, 200), use('child', 6_001, 401), use('sibling', 9_000, 200)];
    expect(keyProblems({ keyUses, keyEnds })).toEqual([]);
    expect(lostKeys(['root', 'sibling'], { keyUses, keyEnds })).toEqual([]);
  });

  it('finds a descendant that works more than 5 s after its end', () => {
    const keyUses = [use('grandchild', 6_001, 200)];
    expect(keyProblems({ keyUses, keyEnds })).toEqual(['grandchild works 5001 ms after it was ended.']);
  });

  it('finds a key that is banned for the requests of another one, and not one banned for its own', () => {
    const refused = Array.from({ length: 20 }, () => use('culprit', 0, 429, 'rate_limit_exceeded'));
    const banned = [use('culprit', 1, 429, 'api_key_banned'), use('sibling', 1, 429, 'api_key_banned')];
    expect(keyProblems({ keyUses: [...refused, ...banned], keyEnds })).toEqual([
      'sibling is banned after 0 refusals of its own.',
    ]);
    expect(keyProblems({ keyUses: [...refused.slice(1), banned[0]!], keyEnds })).toEqual([
      'culprit is banned after 19 refusals of its own.',
    ]);
    const lost = use('culprit', 1, 0);
    expect(keyProblems({ keyUses: [...refused.slice(1), banned[0]!, lost], keyEnds })).toEqual([]);
  });

  it('finds nothing in a ban of an ended key, which counts as its address', () => {
    const keyUses = [
      use('child', 2_000, 429, 'rate_limit_exceeded'),
      use('child', 2_001, 429, 'api_key_banned'),
    ];
    expect(keyProblems({ keyUses, keyEnds })).toEqual([]);
  });

  it('finds a key that ends with no one who has ended it', () => {
    const keyUses = [use('sibling', 0, 200), use('sibling', 9_000, 401)];
    expect(lostKeys(['sibling'], { keyUses, keyEnds })).toEqual([
      'sibling is 401 in the end, and nobody has ended it.',
    ]);
  });
});
