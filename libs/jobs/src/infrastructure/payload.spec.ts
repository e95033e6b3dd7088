import fc from 'fast-check';
import { payloadOf, payloadText } from './payload.js';

const again = (payload: unknown): unknown => payloadOf(payloadText(payload));

const names = fc.constantFrom('$bigint', '$$bigint', '$$$bigint', '$', '__proto__', 'toString', 'name');
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    // JSON writes -0 as 0.
    fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
    fc.bigInt(),
    fc.array(tie('value')),
    fc.array(fc.tuple(names, tie('value'))).map((fields) => Object.fromEntries(fields) as unknown),
  ),
}));

describe('The payload of a job', () => {
  it('comes back equal, whatever JSON or bigints it has', () => {
    fc.assert(fc.property(values, (payload) => expect(again(payload)).toStrictEqual(payload)));
  });

  it.each([
    [{ $bigint: '5' }],
    [{ note: { $bigint: '5', more: 1 } }],
    [{ note: { $bigint: 'five' } }],
    [{ note: { $$bigint: 5n, $bigint: { $bigint: 5n } } }],
  ])('comes back equal when its fields look like a stored bigint: %p', (payload) => {
    expect(again(payload)).toStrictEqual(payload);
  });

  it('comes back without fields that are undefined, and null when it is', () => {
    expect(again({ note: undefined, more: 1 })).toStrictEqual({ more: 1 });
    expect(again(undefined)).toBeNull();
  });

  class Price {
    toJSON = () => '1.00';
  }

  it.each([
    ['a Date', new Date(0)],
    ['NaN', NaN],
    ['infinity', -Infinity],
    ['a Map', new Map()],
    ['bytes', Buffer.from('a')],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['what has a JSON of its own', new Price()],
  ])('is refused when it is stored with %s in it', (_, value) => {
    for (const payload of [value, { value }, { deeper: [{ value }, 5n] }])
      expect(() => payloadText(payload)).toThrow(TypeError);
  });

  it('is refused when an element of an array is undefined', () => {
    expect(() => payloadText([undefined])).toThrow(
      'The payload of a job has [object Undefined] as "0", which JSON does not have.',
    );
  });
});
