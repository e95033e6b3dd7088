import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { INT64_MAX, INT64_MIN, isInt64, parseInt64 } from '@animal-store/kernel';

/** The group of `@Transform()` for a query and a path, which have only text. */
export const TEXT = 'text';
/** The names of constraints that the reader supports. */
export const IS_INT64 = 'isInt64';
export const LIST_BOUNDS = 'listBounds';

/** What is wrong with a value, phrased to follow the name of its field; null when it is valid. */
export type Rule = (value: unknown) => string | null;

/**
 * A decorator of class-validator from a rule in words.
 *
 * @param name of the constraint
 * @example
 * ```ts
 * const IsShipName = () => Follows('isShipName', shipNameProblem);
 * ```
 */
export function Follows(
  name: string,
  problemOf: Rule,
  { each = false, constraints = [] as unknown[] } = {},
): PropertyDecorator {
  const validator = {
    // What is no list is left to the rule of the list.
    validate: (value: unknown, args?: ValidationArguments) =>
      problemOf(value) === null || (each && !Array.isArray(args!.value)),
    defaultMessage: (args?: ValidationArguments) => {
      const value: unknown = args!.value;
      if (value === undefined) return '$property is required';
      if (!each) return `$property ${problemOf(value)}`;
      const problem = (value as unknown[]).map(problemOf).find((found) => found !== null);
      return `each value in $property ${problem}`;
    },
  };
  return ValidateBy({ name, constraints, validator }, { each });
}

/**
 * An exact int64: a field declared `bigint`. JSON has a number, and a query or a path its digits.
 *
 * @example
 * ```ts
 * @IsInt64({ minimum: 1n })
 * ownerId: bigint;
 * ```
 */
export function IsInt64({ minimum = INT64_MIN, each = false } = {}): PropertyDecorator {
  const problem = `must be a whole number from ${minimum} to ${INT64_MAX}`;
  const problemOf: Rule = (value) => {
    if (isInt64(value) && value >= minimum) return null;
    const isQuoted = typeof value === 'string' && parseInt64(value) !== null;
    return isQuoted ? 'must be a JSON number, without quotes' : problem;
  };
  return applyDecorators(
    Transform(({ value }) => ofEach(value, fromNumber)),
    Transform(({ value }) => ofEach(value, fromText), { groups: [TEXT] }),
    Follows(IS_INT64, problemOf, { each }),
  );
}

/** The JSON parser makes a bigint of a number only when a number would lose digits. */
function fromNumber(value: unknown): unknown {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

function fromText(value: unknown): unknown {
  return typeof value === 'string' ? (parseInt64(value) ?? value) : value;
}

function ofEach(value: unknown, convert: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(convert) : convert(value);
}

/** A list with so many items. In a query, a single value is a list of one. */
export function IsList({
  minItems = 0,
  maxItems,
}: {
  readonly minItems?: number;
  readonly maxItems: number;
}): PropertyDecorator {
  const problemOf: Rule = (value) => {
    if (!Array.isArray(value)) return 'must be an array';
    if (value.length < minItems) return `must contain at least ${minItems} elements`;
    return value.length > maxItems ? `must contain no more than ${maxItems} elements` : null;
  };
  return applyDecorators(
    Transform(({ value }) => (Array.isArray(value) ? (value as unknown) : [value]), { groups: [TEXT] }),
    Follows(LIST_BOUNDS, problemOf, { constraints: [maxItems] }),
  );
}
