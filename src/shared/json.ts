import { parse } from 'lossless-json';

/** Beyond this length the engine's own quoting is faster than looking at every character here. */
const SHORT = 64;
const FIRST_PRINTABLE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_SURROGATE = 0xd800;

/** A number without fraction and exponent. */
const INTEGER = /^-?\d+$/;

/** A whole number that was sent with a fraction or an exponent, until its place is marked. */
class Fractional {
  constructor(readonly value: number) {}
}

/** Where whole numbers stood that were sent with a fraction or an exponent: the keys, by object or array. */
const fractionalKeys = new WeakMap<object, Set<string>>();

/**
 * Parses JSON without losing a digit: a whole number beyond what a number holds exactly becomes a bigint, all others are
 * numbers as JSON.parse makes them.
 *
 * @throws SyntaxError also when an object has one key twice, with different values.
 */
export function parseJson(text: string): unknown {
  let hasFractional = false;
  const value = parse(text, null, {
    parseNumber(digits) {
      const number = Number(digits);
      if (INTEGER.test(digits)) return Number.isSafeInteger(number) ? number : BigInt(digits);
      hasFractional ||= Number.isSafeInteger(number);
      return number;
    },
  });
  // Hardly ever, so it may cost another parse.
  return hasFractional ? parseMarking(text) : value;
}

/** Whether the whole number at `key` of parsed JSON was sent with a fraction or an exponent, as 5.0 or 5e0. */
export function isFractional(holder: object, key: string): boolean {
  return fractionalKeys.get(holder)?.has(key) ?? false;
}

function parseMarking(text: string): unknown {
  const value = parse(text, null, {
    parseNumber(digits) {
      const number = Number(digits);
      if (!Number.isSafeInteger(number)) return INTEGER.test(digits) ? BigInt(digits) : number;
      return INTEGER.test(digits) ? number : new Fractional(number);
    },
  });
  if (value instanceof Fractional) return value.value;
  mark(value);
  return value;
}

function mark(holder: unknown): void {
  if (typeof holder !== 'object' || holder === null) return;
  for (const [key, value] of Object.entries(holder)) {
    if (!(value instanceof Fractional)) {
      mark(value);
      continue;
    }
    // An assignment to `__proto__` would set the prototype.
    Object.defineProperty(holder, key, {
      value: value.value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    const keys = fractionalKeys.get(holder) ?? new Set();
    fractionalKeys.set(holder, keys.add(key));
  }
}

/**
 * JSON text of `value` as JSON.stringify makes it, but for a bigint, which is the plain number it is: RFC 8259 sets no
 * bound on a number. What has no JSON text, a function for instance, is null.
 */
export function toJson(value: unknown): string {
  return textOf(value, '') ?? 'null';
}

/** Undefined for what JSON leaves out of an object. */
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
  // `new String('a')` is text and no object.
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
