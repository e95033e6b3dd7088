import {
  registerDecorator,
  ValidateIf,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';
import { INT64_MAX, INT64_MIN, isInt64 } from '../shared/int64.js';

/** A whole number in the signed 64-bit range. The field's type is `bigint`; with `each`, an array of them. */
export function IsInt64(options?: ValidationOptions): PropertyDecorator {
  const subject = options?.each ? 'each value in $property' : '$property';
  return rule('isInt64', isInt64, {
    message: `${subject} must be a whole number from ${INT64_MIN} to ${INT64_MAX}`,
    ...options,
  });
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
