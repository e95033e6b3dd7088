import { applyDecorators } from '@nestjs/common';
import { Transform, type TransformFnParams } from 'class-transformer';
import {
  isISO8601,
  registerDecorator,
  ValidateIf,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';
import { INT64_MAX, INT64_MIN, isInt64 } from '@animal-store/kernel';

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
export function IsInt64(options?: ValidationOptions): PropertyDecorator {
  const subject = options?.each ? 'each value in $property' : '$property';
  const isWhole = rule('isInt64', isInt64, {
    message: `${subject} must be a whole number from ${INT64_MIN} to ${INT64_MAX}`,
    ...options,
  });
  return applyDecorators(isWhole, Transform(toInt64, { toClassOnly: true }));
}

const DATE_AND_TIME = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/**
 * A date and time in text (RFC 3339). It needs a zone, as without one it means a different time on every server, and
 * its date must exist. Read it with `Date.parse`.
 */
export function IsInstant(options?: ValidationOptions): PropertyDecorator {
  const subject = options?.each ? 'each value in $property' : '$property';
  return rule('isInstant', isInstant, {
    message: `${subject} must be a date and time with a zone (RFC 3339), such as 2027-01-31T12:00:00Z`,
    ...options,
  });
}

function isInstant(value: unknown): boolean {
  if (typeof value !== 'string' || !DATE_AND_TIME.test(value)) return false;
  return isISO8601(value.toUpperCase(), { strict: true }) && !Number.isNaN(Date.parse(value));
}

/** A value that a rule of the domain accepts. The message is that of the rule. */
export function FollowsRule(problemOf: (value: unknown) => string | null): PropertyDecorator {
  return rule('followsRule', (value) => problemOf(value) === null, {
    message: ({ value, property }: ValidationArguments) => `${property} ${problemOf(value)}`,
  });
}

/** An optional field. Unlike `IsOptional`, it does not accept null. */
export function OptionalField(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

function rule(
  name: string,
  validate: (value: unknown) => boolean,
  options: ValidationOptions,
): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property as string,
      options,
      validator: { validate },
    });
}
