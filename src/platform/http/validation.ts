import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  isISO8601,
  registerDecorator,
  ValidateIf,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';
import { INT64_MAX, INT64_MIN, isInt64 } from '../../shared/int64.js';
import { toInt64 } from './int64.transform.js';

/**
 * A whole number in the signed 64-bit range. The field's type is `bigint`; with `each`, an array of them. It is exact
 * behind pipes of Nest too, such as ParseArrayPipe, which know nothing of int64s.
 */
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
 * The text of an instant (RFC 3339): with a zone, as without one it is another instant on every server, and of a day that
 * the calendar has. `Date.parse` reads it.
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

/** A value for which a domain rule finds no problem; the message is the rule's own. */
export function Keeps(problemOf: (value: unknown) => string | null): PropertyDecorator {
  return rule('keeps', (value) => problemOf(value) === null, {
    message: ({ value, property }: ValidationArguments) => `${property} ${problemOf(value)}`,
  });
}

/** A field that may be left out. Unlike `IsOptional`, null is not the same as left out. */
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
