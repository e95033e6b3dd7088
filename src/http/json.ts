import { parse } from 'lossless-json';

/** A number without fraction and exponent. */
const INTEGER = /^-?\d+$/;

/** Beyond this length the engine's own quoting is faster than looking at every character here. */
const SHORT = 64;
const FIRST_PRINTABLE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_SURROGATE = 0xd800;

/** Parses JSON with every whole number as an exact bigint; a fraction or an exponent makes a number. */
export function parseJson(text: string): unknown {
  return parse(text, null, {
    parseNumber: (number) => (INTEGER.test(number) ? BigInt(number) : Number(number)),
  });
}

/**
 * JSON text of `value`, with a bigint as the plain number it is: RFC 8259 sets no bound on a number. For plain data;
 * it asks no object but a Date for its `toJSON`.
 */
export function toJson(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'string':
      return quoted(value);
    case 'number':
    case 'boolean':
      return JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return arrayJson(value);
      return value instanceof Date ? JSON.stringify(value) : objectJson(value as Record<string, unknown>);
    default:
      return 'null';
  }
}

function arrayJson(items: readonly unknown[]): string {
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    text += toJson(items[index]);
  }
  return `${text}]`;
}

function objectJson(fields: Record<string, unknown>): string {
  let text = '{';
  let place = 0;
  for (const name in fields) {
    const field = fields[name];
    if (field === undefined) continue;
    text += fieldName(name, place) + toJson(field);
    place++;
  }
  return `${text}}`;
}

/** The names that came last at each place, and their texts: an object mostly has the fields of the one before. */
const lastNames: string[] = [];
const lastTexts: string[] = [];
const MAX_LAST_NAMES = 100;

function fieldName(name: string, place: number): string {
  if (lastNames[place] === name) return lastTexts[place]!;
  const text = `${place === 0 ? '' : ','}${JSON.stringify(name)}:`;
  if (place < MAX_LAST_NAMES) {
    lastNames[place] = name;
    lastTexts[place] = text;
  }
  return text;
}

function quoted(text: string): string {
  if (text.length > SHORT) return JSON.stringify(text);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < FIRST_PRINTABLE || code === QUOTE || code === BACKSLASH || code >= FIRST_SURROGATE) {
      return JSON.stringify(text);
    }
  }
  return `"${text}"`;
}
