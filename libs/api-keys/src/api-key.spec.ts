import { generateApiKey, hashApiKey, isWellFormedApiKey, keyRemover } from './api-key.js';

const GOOD = 'ask_test_0123456789ABCDEFGHIJKLMNOPQRSTUV3CFQA9';

describe('an API key', () => {
  it('is the prefix, 32 random characters and a checksum of 6', () => {
    expect(generateApiKey('ask_live_')).toMatch(/^ask_live_[0-9A-Za-z]{38}$/);
  });

  it('is well formed', () => {
    expect(isWellFormedApiKey(generateApiKey('ask_live_'), 'ask_live_')).toBe(true);
  });

  it('is never made twice', () => {
    const keys = new Set(Array.from({ length: 1_000 }, () => generateApiKey('ask_live_')));
    expect(keys.size).toBe(1_000);
  });

  it('uses every base62 character about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2_000; i++) {
      for (const character of generateApiKey('').slice(0, 32)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    // The expected count is 1,032; the bounds are six standard deviations away.
    expect(Math.min(...counts.values())).toBeGreaterThan(840);
    expect(Math.max(...counts.values())).toBeLessThan(1_225);
  });

  it('ends in the CRC-32 of what precedes', () => {
    // These checksums were computed with crc32 of Python's zlib. The second one starts with zeros.
    expect(isWellFormedApiKey(GOOD, 'ask_test_')).toBe(true);
    expect(isWellFormedApiKey('ask_test_0000000000000000000000000000003900klWb', 'ask_test_')).toBe(true);
  });

  it('is stored as its SHA-256', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('a text with keys', () => {
  const withoutKeys = keyRemover(['ask_live_', 'ask_test_']);

  it('can be shown without them, also incomplete ones', () => {
    expect(withoutKeys(`No ${GOOD}, ask_live_0a and ASK_TEST_0.`)).toBe(
      'No ask_test_[redacted], ask_live_[redacted] and ASK_TEST_[redacted].',
    );
    expect(withoutKeys('Keys begin with ask_live_ here.')).toBe('Keys begin with ask_live_ here.');
  });
});

describe('a text that is no key', () => {
  it.each([
    ['of another environment', GOOD.replace('test', 'live')],
    ['with one character changed', GOOD.replace('0', '1')],
    ['with two characters swapped', GOOD.replace('01', '10')],
    ['with a wrong checksum', `${GOOD.slice(0, -1)}0`],
    ['cut short', GOOD.slice(0, -1)],
    ['with something after it', `${GOOD}0`],
    ['with a character outside base62', GOOD.replace('0', '-')],
    ['with a character outside ASCII', GOOD.replace('0', 'ı')],
    ['in capitals', GOOD.toUpperCase()],
    ['that is empty', ''],
  ])('is refused: a key %s', (_, text) => {
    expect(isWellFormedApiKey(text, 'ask_test_')).toBe(false);
  });
});
