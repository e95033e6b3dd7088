import { parse } from 'lossless-json';

/** Longer texts are quoted faster by the engine than by checking every character here. */
const SHORT = 64;
const FIRST_PRINTABLE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_SURROGATE = 0xd800;

/** A number without fraction and exponent. */
const INTEGER = /^-?\d+$/;

/** Stands for a whole number written with a fraction or an exponent, until its key is recorded. */
class Fractional {
  constructor(readonly value: number) {}
}

/** The keys of whole numbers that were written with a fraction or an exponent, by object or array. */
const fractionalKeys = new WeakMap<object, Set<string>>();

/**
 * Parses JSON exactly: whole numbers that a number cannot represent become bigints. All other numbers are parsed as
 * JSON.parse does.
 *
 * @throws SyntaxError for invalid JSON, and when an object has the same key twice with different values
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
  // Rare, so a second parse is acceptable.
  return hasFractional ? parseMarking(text) : value;
}

/** Whether the whole number at `key` of parsed JSON was written with a fraction or an exponent, such as 5.0 or 5e0. */
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
