import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Route } from '@animal-store/http-errors';
import { parametersOf, SWAGGER_KEYS } from '@animal-store/kernel/http';
import { accepts, type DtoField, dtoOf, isDtoType } from '@animal-store/web';

type Facts = Readonly<Record<string, unknown>>;

/** The rules of class-validator that a schema can express, by their names there. */
const RULES: Readonly<Record<string, (first: unknown, second: unknown) => Facts>> = {
  isString: () => ({ type: 'string' }),
  isNumber: () => ({ type: 'number' }),
  isInt: () => ({ type: 'integer' }),
  isInt64: () => ({ type: 'integer', format: 'int64' }),
  isBoolean: () => ({ type: 'boolean' }),
  isDate: () => ({ type: 'string', format: 'date-time' }),
  isEmail: () => ({ type: 'string', format: 'email' }),
  isUuid: () => ({ type: 'string', format: 'uuid' }),
  isIn: (values) => oneOf(values),
  isEnum: (_, values) => oneOf(values),
  minLength: (minLength) => ({ minLength }),
  maxLength: (maxLength) => ({ maxLength }),
  isLength: (minLength, maxLength) => ({ minLength, maxLength }),
  matches: (pattern) => ((pattern as RegExp).flags ? {} : { pattern: (pattern as RegExp).source }),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  isPositive: () => ({ exclusiveMinimum: 0 }),
  arrayMinSize: (minItems) => ({ minItems }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  arrayUnique: () => ({ uniqueItems: true }),
};

/**
 * Documents the fields of the classes that handlers read by the rules of class-validator, with their bounds. What
 * `@ApiProperty()` says of a field stays, but that it is required where it may be left out.
 */
export function describeFields(routes: readonly Route[]): void {
  const described = new Set<unknown>();
  const describe = (type: unknown, isBody: boolean): void => {
    if (!isDtoType(type) || described.has(type)) return;
    described.add(type);
    for (const field of dtoOf(type).fields.values()) {
      document(type.prototype as object, field, isBody);
      describe(field.nested, isBody);
    }
  };
  for (const { controller, name } of routes)
    for (const { kind, type } of parametersOf(controller, name)) describe(type, kind === 'BODY');
}

function document(prototype: object, field: DtoField, isBody: boolean): void {
  const { type, isArray, required, ...said } = (Reflect.getMetadata(
    SWAGGER_KEYS.properties,
    prototype,
    field.name,
  ) ?? {}) as Record<string, unknown>;
  const found = field.nested ? ofNested(field) : ofRules(field);
  // Such as a boolean of a query, whose rule is about its text.
  const isOther = typeof type === 'string' && type !== 'integer' && 'type' in found && type !== found['type'];
  const byRules = isOther ? {} : found;
  const declared: unknown = type ?? Reflect.getMetadata('design:type', prototype, field.name);
  // Of what may be null TypeScript leaves that it is an object, and PartialType nothing.
  const isVague = declared === undefined || (typeof declared === 'function' && !isDtoType(declared));
  const isKnownByRules = isVague && 'type' in byRules && !('enum' in said);
  const shape = isKnownByRules
    ? { type: byRules['type'], isArray: byRules['isArray'] ?? false }
    : { type: declared, isArray };
  if (shape.type === undefined) return;
  const isNullable = isBody && accepts(null, field) && accepts(undefined, field);
  ApiProperty({
    name: field.exposedAs,
    ...byRules,
    ...(isNullable && { nullable: true }),
    ...said,
    ...shape,
    required: required !== false && !accepts(undefined, field),
  } as ApiPropertyOptions)(prototype, field.name);
}

function oneOf(values: unknown): Facts {
  const choices = values as readonly unknown[];
  return { type: typeof choices[0], enum: choices };
}

function ofNested({ nested, isList, maxItems }: DtoField): Facts {
  return { type: nested, ...(isList && { isArray: true, maxItems }) };
}

function ofRules({ checks, isList, maxItems }: DtoField): Facts {
  const rulesOf = (each: boolean): Facts =>
    Object.assign(
      {},
      ...checks.flatMap(({ metadata: { name = '', each: isOfItem, constraints } }) => {
        const [first, second] = (constraints ?? []) as unknown[];
        return isOfItem === each ? (RULES[name]?.(first, second) ?? []) : [];
      }),
    ) as Facts;
  if (!isList) return rulesOf(false);
  return { type: 'array', items: rulesOf(true), maxItems, ...rulesOf(false) };
}
