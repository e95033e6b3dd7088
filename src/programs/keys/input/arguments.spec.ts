import { parseDuration } from './arguments.js';

describe('a duration', () => {
  it.each([
    ['0s', 0],
    ['90s', 90_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    ['36525d', 3_155_760_000_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '90', 'd', '1.5h', '-1h', '1w', '1H', ' 1h', '1h30m', '36526d', '9999999999s'])(
    'cannot be %j',
    (text) => {
      expect(() => parseDuration(text)).toThrow('must be a whole number followed by s, m, h or d');
    },
  );
});
