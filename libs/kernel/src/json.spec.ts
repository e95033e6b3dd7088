import fc from 'fast-check';
import { formatDecimal } from './decimal.js';
import { parseJson, toJson } from './json.js';

describe('parseJson', () => {
  it.each([
    ['9223372036854775807', 9223372036854775807n],
    ['-9007199254740993', -9007199254740993n],
    ['-0', -0],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740992', -9007199254740992n],
    ['1.0', 1],
    ['1e3', 1000],
    ['9007199254740993.0', 9007199254740992],
    ['1e19', 1e19],
    ['{"a":[1,"1",null,true]}', { a: [1, '1', null, true] }],
  ])('reads %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each([
    ['4.9999999999999999999', 4.999999999999999],
    ['5.0000000000000000001', 5.000000000000001],
    ['-4.9999999999999999999', -4.999999999999999],
    ['0.99999999999999999999', 0.9999999999999999],
    ['123456789.9999999999', 123456789.99999999],
    ['49999999999.99999999e-10', 4.999999999999999],
    ['0.00000000049999999999999999999E+10', 4.999999999999999],
    ['1e-400', Number.MIN_VALUE],
    ['-0.1e-0400', -Number.MIN_VALUE],
    ['2251799813685249.0000001', 2251799813685249.5],
    ['2251799813685248.9999999', 2251799813685248.5],
    ['4503599627370495.99999', 4503599627370495.5],
    ['4503599627370497.3', NaN],
    ['9007199254740993.5', NaN],
    ['4503599627370497.0', 4503599627370497],
    ['90071992547409910e-1', 9007199254740991],
    ['5.00000000000000000000', 5],
    ['500000000000000000000e-20', 5],
    ['0.000000000000000000e-400', 0],
    ['1e400', Infinity],
  ])('reads %s, which is whole only when its digits are', (digits, value) => {
    expect(parseJson(`[${digits}]`)).toEqual([value]);
  });

  it('reads a number as whole exactly when its digits are', () => {
    const places = fc.nat({ max: 25 });
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), places, places, (units, point, exponent) => {
        const isWhole = units % 10n ** BigInt(point) === 0n;
        // The same value with an exponent that moves the point back.
        for (const text of [
          formatDecimal(units, point),
          `${formatDecimal(units, point + exponent)}e${exponent}`,
          `${units}e-${point}`,
        ]) {
          expect(Number.isInteger(Number(parseJson(text)))).toBe(isWhole);
        }
      }),
    );
  });

  it('reads any JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) =>
        expect(toJson(parseJson(text))).toBe(JSON.stringify(JSON.parse(text))),
      ),
    );
  });

  it.each([
    '{"a":1,"a":2}',
    '[{"a":{"b":1,"c":[],"b":null}}]',
    '{"a":1,"\\u0061":2}',
    '{"a:":1,"b":":","a:":2}',
  ])('refuses %s, which has a name twice', (text) => expect(() => parseJson(text)).toThrow(/^Duplicate key/));

  it.each<[string, unknown]>([
    ['{"a":1,"a":1}', { a: 1 }],
    ['{"a:b":"c:d","e":[{"f":":"}]}', { 'a:b': 'c:d', e: [{ f: ':' }] }],
    ['{"1234567890123456":"1234567890123456"}', { '1234567890123456': '1234567890123456' }],
    ['{"n":[null,999999999999999]}', { n: [null, 999_999_999_999_999] }],
  ])('reads %s', (text, value) => expect(parseJson(text)).toEqual(value));

  it('reads __proto__ as an ordinary field', () => {
    const value = parseJson('{"__proto__":{"admin":true}}') as object;

    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('toJson', () => {
  it('writes a bigint as an exact number', () => {
    expect(toJson({ id: 9223372036854775807n, low: -9223372036854775808n })).toBe(
      '{"id":9223372036854775807,"low":-9223372036854775808}',
    );
  });

  it('writes a bigint of an object with a class, too', () => {
    class Booking {
      readonly id = 9223372036854775807n;
    }
    expect(toJson([new Booking()])).toBe('[{"id":9223372036854775807}]');
  });

  it('writes null for a value without JSON text, and passes a toJSON of the value itself no key', () => {
    expect(toJson(undefined)).toBe('null');
    expect(toJson({ toJSON: (key: string) => `at ${key}` })).toBe('"at "');
  });

  it('leaves out undefined fields and writes dates as text', () => {
    expect(toJson({ a: undefined, b: new Date('2026-03-14T12:00:00.000Z'), c: [undefined] })).toBe(
      '{"b":"2026-03-14T12:00:00.000Z","c":[null]}',
    );
  });

  it.each<[string, object]>([
    ['functions and symbols', { a: () => 1, b: Symbol('b'), c: [() => 1, Symbol('c')] }],
    [
      'objects with toJSON',
      { at: { toJSON: (key: string) => `at ${key}` }, none: { toJSON: () => undefined } },
    ],
    [
      'an object whose toJSON returns the object itself',
      Object.assign(
        { a: 1 },
        {
          toJSON(this: object) {
            return this;
          },
        },
      ),
    ],
    [
      'an object with inherited properties',
      Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } }) as object,
    ],
    ['boxed values', [new String('a'), new Number(7), new Boolean(false)]],
    ['maps, sets, buffers and errors', [new Map([[1, 2]]), new Set([1]), Buffer.from('a'), new Error('a')]],
    ['special numbers', [NaN, Infinity, -0]],
    ['the first surrogate alone', ['\ud800']],
    ['arrays with holes', [, 1] as unknown[]],
  ])('writes %s as JSON.stringify does', (_what, value) => {
    expect(toJson(value)).toBe(JSON.stringify(value));
  });

  it('writes any data as JSON.stringify does', () => {
    // The names have all lengths and characters: also quotes, control characters, and lone and paired surrogates.
    const text = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 80 });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.string(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));

    fc.assert(fc.property(value, (data) => expect(toJson(data)).toBe(JSON.stringify(data))));
  });
});
