import { parse } from 'lossless-json';

/** A number without fraction and exponent. */
const INTEGER = /^-?\d+$/;

/** Parses JSON with every whole number as an exact bigint; a fraction or an exponent makes a number. */
export function parseJson(text: string): unknown {
  return parse(text, null, {
    parseNumber: (number) => (INTEGER.test(number) ? BigInt(number) : Number(number)),
  });
}

/** JSON text of `value`, with a bigint as the plain number it is (RFC 8259 sets no bound on a number). */
export function toJson(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'string':
    case 'number':
    case 'boolean':
      return JSON.stringify(value);
    case 'object':
      break;
    default:
      return 'null';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (value instanceof Date) return JSON.stringify(value);
  let text = '';
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key];
    if (field !== undefined) text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${toJson(field)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}
