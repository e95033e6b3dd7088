import { parse } from 'lossless-json';

/** Longer texts are quoted faster by the engine than by checking every character here. */
const SHORT = 64;
const FIRST_PRINTABLE = 0x20;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const FIRST_SURROGATE = 0xd800;

/** A number without fraction and exponent. */
const INTEGER = /^-?\d+$/;
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:e(.+))?$/i;

/**
 * Parses JSON exactly: whole numbers that a number cannot represent become bigints when they are plain digits. All
 * other numbers are parsed as JSON.parse does, except that a number whose digits are not whole is never rounded to a
 * whole one: it becomes the number beside it, and NaN where all numbers are whole (from 2^52 on).
 *
 * @throws SyntaxError for invalid JSON, and when an object has the same key twice with different values
 */
export function parseJson(text: string): unknown {
  return parseSimple(text) ?? parse(text, null, { parseNumber });
}

/**
 * More digits may lose their last ones, a large negative exponent may make it 0, and with a backslash a text has
 * more than one spelling.
 */
const NOT_SIMPLE = /\d(?:[\d.]{15}|[eE]-\d{3})|\\/;

/**
 * What the engine makes of a text, where that is exact: no long number, and no name twice. Null for every other text.
 */
function parseSimple(text: string): unknown {
  if (NOT_SIMPLE.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return countFields(value) === countColons(text) ? value : null;
  } catch {
    // The exact parser says what is wrong.
    return null;
  }
}

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countFields(item);
    return count;
  }
  for (const name in value) count += 1 + countFields((value as Record<string, unknown>)[name]);
  return count;
}

/** Outside strings, in JSON without a backslash. */
function countColons(json: string): number {
  let count = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) isInString = !isInString;
    else if (code === COLON && !isInString) count++;
  }
  return count;
}

function parseNumber(digits: string): number | bigint {
  const number = Number(digits);
  if (INTEGER.test(digits)) return Number.isSafeInteger(number) ? number : BigInt(digits);
  return Number.isInteger(number) ? unlessFraction(number, digits) : number;
}

/** A number that is whole, possibly only because it was rounded: then the closest one that is not, or NaN. */
function unlessFraction(number: number, digits: string): number {
  const [, whole, part = '', exponent = '0'] = PARTS.exec(digits)!;
  const all = whole + part;
  const point = Math.max(whole!.length + Number(exponent), 0);
  if (!/[1-9]/.test(all.slice(point))) return number;
  const size = Math.abs(number);
  // Between a half and three quarters of an epsilon is rounded to the next number, in both directions.
  const step = size * 0.6 * Number.EPSILON || Number.MIN_VALUE;
  const isRoundedDown = Number(all.slice(0, point)) === size;
  const beside = isRoundedDown ? size + step : size - step;
  if (Number.isInteger(beside)) return NaN;
  return digits.startsWith('-') ? -beside : beside;
}

/**
 * The JSON text of `value`, like JSON.stringify, except that a bigint becomes a plain number: RFC 8259 sets no bound on
 * numbers. A value without JSON text, such as a function, becomes null.
 */
export function toJson(value: unknown): string {
  return textOf(value, '') ?? 'null';
}

/** Undefined for values that JSON omits from objects. */
function textOf(value: unknown, key: string | number): string | undefined {
  if (typeof value !== 'object' || value === null) return textOfPlain(value);
  const { toJSON } = value as { toJSON?: unknown };
  return textOfPlain(typeof toJSON === 'function' ? toJSON.call(value, String(key)) : value);
}

function textOfPlain(value: unknown): string | undefined {
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
      return Array.isArray(value) ? arrayJson(value) : objectJson(value as Record<string, unknown>);
    default:
      return undefined;
  }
}

function arrayJson(items: readonly unknown[]): string {
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    text += textOf(items[index], index) ?? 'null';
  }
  return `${text}]`;
}

function objectJson(fields: Record<string, unknown>): string {
  const isPlain = Object.getPrototypeOf(fields) === Object.prototype;
  // `new String('a')` is written as text, not as an object.
  if (!isPlain && isBoxed(fields)) return JSON.stringify(fields);
  let text = '{';
  let place = 0;
  for (const name in fields) {
    if (!isPlain && !Object.hasOwn(fields, name)) continue;
    const field = textOf(fields[name], name);
    if (field === undefined) continue;
    text += fieldName(name, place) + field;
    place++;
  }
  return `${text}}`;
}

function isBoxed(value: object): boolean {
  return value instanceof String || value instanceof Number || value instanceof Boolean;
}

/**
 * The field name last written at each position, and its JSON text. Most objects have the same fields as the object
 * before.
 */
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
