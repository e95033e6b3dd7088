import { withInt64s } from './int64.js';
import type { Shape } from './shape.js';

/** Whole numbers so long that `JSON.parse` may round them: 2⁵³ has 16 digits. */
const LONG_INTEGER = /(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/;
const STRING_OR_LONG_INTEGER = new RegExp(`("(?:[^"\\\\]|\\\\.)*")(\\s*:)?|(${LONG_INTEGER.source})`, 'g');

/**
 * Parses JSON text. Every int64 in `shape` becomes a bigint, every other number a number.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string, shape?: Shape): unknown {
  return withInt64s(parseExactly(text), shape);
}

/**
 * Parses JSON text whose int64s are not known. A whole number becomes a bigint when a number would round it.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseExactly(text: string): unknown {
  return LONG_INTEGER.test(text) ? parseWithBigints(text) : JSON.parse(text);
}

/**
 * The JSON text of `value`, like `JSON.stringify`, but with the digits of bigints, for which `JSON.stringify` throws.
 *
 * @example
 * ```ts
 * response.type('json').send(toJson(await store.listPets()));
 * ```
 */
export function toJson(value: unknown): string {
  // A value without JSON text, such as undefined, becomes null, as in an array.
  return jsonOf(value, '') ?? 'null';
}

/**
 * Long whole numbers are turned into strings before `JSON.parse`, so that no digit is lost: the prefix `i` marks them,
 * `s` marks real strings.
 */
function parseWithBigints(text: string): unknown {
  const marked = text.replace(
    STRING_OR_LONG_INTEGER,
    (match, string: string | undefined, colon: string | undefined, digits: string) => {
      if (string === undefined) return `"i${digits}"`;
      return colon === undefined ? `"s${string.slice(1)}` : match;
    },
  );
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    const rest = value.slice(1);
    if (value.startsWith('s')) return rest;
    return Number.isSafeInteger(Number(rest)) ? Number(rest) : BigInt(rest);
  });
}

function jsonOf(input: unknown, name: string): string | undefined {
  const { toJSON } = (input ?? {}) as { toJSON?: unknown };
  const value: unknown = typeof toJSON === 'function' ? toJSON.call(input, name) : input;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item, index) => jsonOf(item, `${index}`) ?? 'null').join(',')}]`;
  const fields = Object.entries(value).flatMap(([field, part]) => {
    const json = jsonOf(part, field);
    return json === undefined ? [] : [`${JSON.stringify(field)}:${json}`];
  });
  return `{${fields.join(',')}}`;
}
