import { SHAPES } from '../generated/operations.js';
import type { Shape } from './shape.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/**
 * Converts every int64 in the input of an operation to a bigint.
 *
 * @param place the name of `value` in errors: `petId`, `petIds[1]`
 * @throws TypeError for a number that is not whole
 * @throws RangeError for a number that may have been rounded, and for a bigint that is no int64
 */
export function withBigints(value: unknown, shape: Shape | undefined, place = ''): unknown {
  if (shape === 'int64') return checkedInt64(value, place);
  return mapParts(value, shape, (part, partShape, name) =>
    withBigints(part, partShape, placeOf(place, name)),
  );
}

/**
 * Converts every int64 in parsed JSON to a bigint and every other number to a number.
 *
 * @param value parsed JSON, in which whole numbers beyond 2⁵³ are already bigints
 */
export function withInt64s(value: unknown, shape: Shape | undefined): unknown {
  if (typeof value === 'bigint') return shape === 'int64' ? value : Number(value);
  if (shape === 'int64') return Number.isInteger(value) ? BigInt(value as number) : value;
  return mapParts(value, shape, withInt64s);
}

function checkedInt64(value: unknown, place: string): unknown {
  if (typeof value === 'bigint') {
    if (value >= MIN && value <= MAX) return value;
    throw new RangeError(`${place} must be an int64, from -2^63 to 2^63 - 1, not ${value}.`);
  }
  // The service validates everything else, such as null.
  if (typeof value !== 'number') return value;
  if (!Number.isInteger(value)) throw new TypeError(`${place} must be a whole number, not ${value}.`);
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new RangeError(
    `${place} must be a bigint beyond 2^53, where numbers are rounded: write 9007199254740993n instead of ${value}.`,
  );
}

function placeOf(place: string, name: string | number): string {
  if (typeof name === 'number') return `${place}[${name}]`;
  return place === '' ? name : `${place}.${name}`;
}

type Visit = (part: unknown, shape: Shape | undefined, name: string | number) => unknown;

/** Replaces each item or field of `value` by the result of `visit`. */
function mapParts(value: unknown, shape: Shape | undefined, visit: Visit): unknown {
  const { items, fields = {}, values } = resolved(shape);
  if (Array.isArray(value)) return value.map((item, index) => visit(item, items, index));
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const shapeOf = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : values);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, visit(field, shapeOf(name), name)]),
  );
}

function resolved(shape: Shape = {}): Exclude<Shape, string> {
  return typeof shape === 'string' ? resolved(SHAPES[shape]) : shape;
}
