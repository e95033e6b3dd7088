import fc from 'fast-check';
import { formatDecimal, parseDecimal } from './decimal.js';

describe('A decimal in text', () => {
  it.each<[string, number, bigint]>([
    ['147.50', 2, 14_750n],
    ['0.07', 2, 7n],
    ['-0.07', 2, -7n],
    ['90071992547409.93', 2, 9_007_199_254_740_993n],
    ['0.005', 3, 5n],
    ['12', 0, 12n],
  ])('%s with %i places is %s of the smallest unit, and back', (text, places, units) => {
    expect(parseDecimal(text, places)).toBe(units);
    expect(formatDecimal(units, places)).toBe(text);
  });

  it('loses no digit on the way to text and back', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat({ max: 20 }), (units, places) => {
        expect(parseDecimal(formatDecimal(units, places), places)).toBe(units);
      }),
    );
  });

  it.each(['147.5', '147.500', '147', '.50', '147.', '1e2', ' 1.00', '+1.00', '1,00', ''])(
    'is not %j with two places',
    (text) => {
      expect(() => parseDecimal(text, 2)).toThrow(new SyntaxError('Not a decimal with 2 places.'));
    },
  );
});
