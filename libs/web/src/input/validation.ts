import { applyDecorators } from '@nestjs/common';
import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, ValidateIf, type ValidationArguments, type ValidationOptions } from 'class-validator';
import { INT64_MAX, INT64_MIN, isInt64 } from '@animal-store/kernel';

/** What is wrong with a value, phrased to follow the name of its field; null when it is valid. */
export type Rule = (value: unknown) => string | null;

/** A value that a rule accepts. The message is the problem that the rule finds. */
export function FollowsRule(
  problemOf: Rule,
  options?: ValidationOptions,
  name = 'followsRule',
): PropertyDecorator {
  const defaultMessage = ({ value, property }: ValidationArguments) => {
    if (!options?.each) return `${property} ${problemOf(value)}`;
    return `each value in ${property} ${[value as unknown]
      .flat()
      .map(problemOf)
      .find((problem) => problem !== null)}`;
  };
  const validate = (value: unknown) => problemOf(value) === null;
  return ValidateBy({ name, validator: { validate, defaultMessage } }, options);
}

/**
 * Makes bigints of whole numbers, also in a list; other values stay for the rule. The JSON parser has made a bigint of a
 * number only when it has more digits than a number holds.
 */
export function toInt64({ value }: TransformFnParams): unknown {
  if (Array.isArray(value)) return value.map(int64Of);
  return int64Of(value);
}

function int64Of(value: unknown): unknown {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

/** A whole number in the signed 64-bit range. The field must be a `bigint`, or with `each` an array of them. */
export function IsInt64(options?: ValidationOptions, minimum = INT64_MIN): PropertyDecorator {
  const problem = `must be a whole number from ${minimum} to ${INT64_MAX}`;
  const isWhole = (value: unknown) => (isInt64(value) && value >= minimum ? null : problem);
  return applyDecorators(FollowsRule(isWhole, options, 'isInt64'), Transform(toInt64, { toClassOnly: true }));
}

export const isNotNull = (_: object, value: unknown): boolean => value !== null;

/** A field that accepts null, beside what its rules accept. Of a body: queries and paths cannot contain null. */
export function NullableField(): PropertyDecorator {
  return ValidateIf(isNotNull);
}

/** An optional field. Unlike `IsOptional`, it does not accept null. */
export function OptionalField(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}
