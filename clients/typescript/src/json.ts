import type { Shape } from './description.js';
import { withInt64s } from './int64.js';

/** A whole number so long that `JSON.parse` may round it: 2⁵³ has 16 digits. */
const LONG_INTEGER = /(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/;
const STRING_OR_LONG_INTEGER = new RegExp(`("(?:[^"\\\\]|\\\\.)*")(\\s*:)?|(${LONG_INTEGER.source})`, 'g');

/**
 * Parses JSON text, with a bigint for every int64 that `shape` names and a number for every other number.
 *
 * @throws SyntaxError when the text is no JSON
 */
export function parseJson(text: string, shape?: Shape): unknown {
  const value: unknown = LONG_INTEGER.test(text) ? parseWithBigints(text) : JSON.parse(text);
  return withInt64s(value, shape);
}

/**
 * JSON text of `value` as `JSON.stringify` writes it, but with the digits of a bigint where that throws.
 *
 * @example
 * ```ts
 * response.type('json').send(toJson(await store.listPets()));
 * ```
 */
export function toJson(value: unknown): string {
  // A value without JSON, such as undefined, is null, as it is in an array.
  return jsonOf(value, '') ?? 'null';
}

/** `JSON.parse` reads a long whole number digit by digit when it is a string: `i` marks those, `s` the strings. */
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
    return value.startsWith('i') ? BigInt(value.slice(1)) : value.slice(1);
  });
}

function jsonOf(given: unknown, name: string): string | undefined {
  const value = hasToJson(given) ? given.toJSON(name) : given;
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

function hasToJson(value: unknown): value is { toJSON: (name: string) => unknown } {
  return typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === 'function';
}
