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
export function IsInt64(options?: ValidationOptions, minimum = INT64_MIN): PropertyDecorator {
  const isWhole = rule('isInt64', (value) => isInt64(value) && value >= minimum, {
    message: `${subjectOf(options)} must be a whole number from ${minimum} to ${INT64_MAX}`,
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
  return rule('isInstant', isInstant, {
    message: `${subjectOf(options)} must be a date and time with a zone (RFC 3339), such as 2027-01-31T12:00:00Z`,
    ...options,
  });
}

function isInstant(value: unknown): boolean {
  if (typeof value !== 'string' || !DATE_AND_TIME.test(value)) return false;
  return isISO8601(value.toUpperCase(), { strict: true }) && !Number.isNaN(Date.parse(value));
}

/** A day in text, `2027-01-31`. It must exist. */
export function IsDay(options?: ValidationOptions): PropertyDecorator {
  return rule('isDay', isDay, {
    message: `${subjectOf(options)} must be a day that exists, such as 2027-01-31`,
    ...options,
  });
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isISO8601(value, { strict: true });
}

/** A decimal number in text, with at most so many digits before the point and after it. */
export function IsDecimal(digits: number, places: number, options?: ValidationOptions): PropertyDecorator {
  const pattern = new RegExp(decimalPattern(digits, places));
  return rule('isDecimal', (value) => typeof value === 'string' && pattern.test(value), {
    message: `${subjectOf(options)} must be a decimal number in text, with at most ${digits} digits before the point and ${places} after it`,
    ...options,
  });
}

export function decimalPattern(digits: number, places: number): string {
  return `^-?(0|[1-9]\\d{0,${digits - 1}})(\\.\\d{1,${places}})?$`;
}

/** A value that a rule of the domain accepts. The message is that of the rule. */
export function FollowsRule(
  problemOf: (value: unknown) => string | null,
  options?: ValidationOptions,
): PropertyDecorator {
  return rule('followsRule', (value) => problemOf(value) === null, {
    message: ({ value, property }: ValidationArguments) =>
      options?.each && Array.isArray(value)
        ? `each value in ${property} ${value.map(problemOf).find((problem) => problem !== null)}`
        : `${property} ${problemOf(value)}`,
    ...options,
  });
}

/** An optional field. Unlike `IsOptional`, it does not accept null. */
export function OptionalField(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

function subjectOf(options?: ValidationOptions): string {
  return options?.each ? 'each value in $property' : '$property';
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
