import type { Type } from '@nestjs/common';
import {
  getMetadataStorage,
  registerDecorator,
  ValidateIf,
  validateSync,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';
import { INT64_MAX, INT64_MIN, isInt64 } from '../shared/int64.js';
import { keepsRules } from './kept-rules.js';

/** The fields of a class that carry a validation rule; others do not exist as far as requests are concerned. */
export function declaredFields(type: Type<object>): ReadonlySet<string> {
  let fields = fieldsByType.get(type);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    fields = new Set(rules.map((rule) => rule.propertyName));
    fieldsByType.set(type, fields);
  }
  return fields;
}

const fieldsByType = new Map<Type<object>, ReadonlySet<string>>();

/** One sentence per broken rule, each naming its field; none when `instance` keeps them all. */
export function violations(instance: object): string[] {
  if (keepsRules(instance)) return [];
  return validateSync(instance, { stopAtFirstError: true, forbidUnknownValues: false }).flatMap((error) =>
    Object.values(error.constraints ?? {}),
  );
}

/** A whole number in the signed 64-bit range, as `parseJson` reads it: a bigint. */
export function IsInt64(): PropertyDecorator {
  return rule('isInt64', isInt64, `$property must be a whole number from ${INT64_MIN} to ${INT64_MAX}`);
}

/** A value for which a domain rule finds no problem; the message is the rule's own. */
export function Keeps(problemOf: (value: unknown) => string | null): PropertyDecorator {
  return rule(
    'keeps',
    (value) => problemOf(value) === null,
    ({ value, property }) => `${property} ${problemOf(value)}`,
  );
}

/** A field that may be left out. Unlike `IsOptional`, null is not the same as left out. */
export function OptionalField(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

function rule(
  name: string,
  validate: (value: unknown) => boolean,
  message: NonNullable<ValidationOptions['message']> & (string | ((args: ValidationArguments) => string)),
): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property as string,
      options: { message },
      validator: { validate },
    });
}
