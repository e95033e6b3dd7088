import { inheritTransformationMetadata } from '@nestjs/mapped-types';
import { oncePer } from '@animal-store/kernel/http';
import { getMetadataStorage, ValidateBy, type ValidationArguments, ValidationTypes } from 'class-validator';

/** JSON has types; a query string and a path have only text. */
export type Source = 'json' | 'text';

/** What is wrong with a value, phrased to follow the name of its field; null when it is valid. */
export type Rule = (value: unknown) => string | null;

/** What a field accepts, and what it says to everything else. */
export interface FieldRule {
  /** Of the value, or of each item of a list. */
  readonly problemOf: Rule;
  /** The value of the field, where JSON or text represents it differently; otherwise what was sent. */
  readonly read?: (sent: unknown, source: Source) => unknown;
  /** Whether JSON has a number here. A text is told to leave out its quotes. */
  readonly isNumber?: boolean;
  /** For a list: the number of its items. */
  readonly each?: { readonly minItems?: number; readonly maxItems: number };
  /** Whether it may be left out. */
  readonly optional?: boolean;
  readonly nullable?: boolean;
}

export type DtoType = new () => object;
export type Values = Record<string, unknown>;

export interface DtoField {
  readonly rule: FieldRule;
  /** What PartialType and `@IsOptional()` add: when one of these is false, the rule does not apply. */
  readonly conditions: readonly ((object: object, value: unknown) => boolean)[];
}

export interface Dto {
  readonly type: DtoType;
  /** The fields with a rule of their own, in the order of declaration. */
  readonly fields: ReadonlyMap<string, DtoField>;
  /** The names of all fields with a rule of any kind. */
  readonly names: ReadonlySet<string>;
  /** The names of those with a decorator of class-transformer. */
  readonly transformed: ReadonlySet<string>;
  /** Whether nothing else decides about its fields: no other rule, and no such decorator. */
  readonly isWhole: boolean;
}

const NAME = 'fieldRule';

/**
 * Gives a field its rule. For class-validator it is a rule like its own, so it applies in a DTO with others, in a list of
 * `ParseArrayPipe`, and wherever else the class is validated.
 */
export function Field(rule: FieldRule): PropertyDecorator {
  const refusal = ({ object, property, value: sent }: ValidationArguments) => {
    const value = valueOf(rule, sent, 'json');
    // The field is declared as what its rule reads, and class-validator has no other place to convert it.
    if (value !== sent) (object as Values)[property] = value;
    return refusalOf(rule, value, property, 'json');
  };
  const validator = {
    validate: (_: unknown, args?: ValidationArguments) => refusal(args!) === null,
    defaultMessage: (args?: ValidationArguments) => refusal(args!)!,
  };
  return ValidateBy({ name: NAME, constraints: [rule], validator });
}

/** The value of a field. A list of one value is that value in a query. */
export function valueOf({ read, each }: FieldRule, sent: unknown, source: Source): unknown {
  const value = each && source === 'text' && typeof sent === 'string' ? [sent] : sent;
  if (!read) return value;
  return Array.isArray(value) ? value.map((item) => read(item, source)) : read(value, source);
}

/** What a value is refused with; null for a valid one. */
export function refusalOf(rule: FieldRule, value: unknown, name: string, source: Source): string | null {
  const { each, problemOf, isNumber } = rule;
  if (value === undefined) return rule.optional ? null : `${name} is required`;
  if (value === null && rule.nullable) return null;
  if (value === null && rule.optional) return `${name} must not be null: leave it out`;
  const quotesAt = (path: string, item: unknown) =>
    isNumber && source === 'json' && typeof item === 'string'
      ? `${path} must be a JSON number, without quotes`
      : null;
  if (!each) {
    const problem = problemOf(value);
    return problem && (quotesAt(name, value) ?? `${name} ${problem}`);
  }
  if (!Array.isArray(value)) return `${name} must be an array`;
  const { minItems = 0, maxItems } = each;
  if (value.length < minItems) return `${name} must contain at least ${minItems} elements`;
  if (value.length > maxItems) return `${name} must contain no more than ${maxItems} elements`;
  for (const [index, item] of value.entries()) {
    const problem = problemOf(item);
    if (problem) return quotesAt(`${name}[${index}]`, item) ?? `each value in ${name} ${problem}`;
  }
  return null;
}

const BUILT_IN: readonly unknown[] = [
  ...[Object, String, Number, Boolean, BigInt, Symbol, Date],
  ...[Array, Map, Set, Buffer, Function, Promise],
];

/** Whether a declared type is a class of the application. One of nestjs-zod belongs to the pipe of that package. */
export function isDtoType(type: unknown): type is DtoType {
  const isClass = typeof type === 'function' && type.prototype !== undefined;
  return isClass && !BUILT_IN.includes(type) && !('isZodDto' in type);
}

export const dtoOf = oncePer(inspect);

/** class-validator also knows the rules of a class that PartialType or another helper of Nest has made. */
function inspect(type: DtoType): Dto {
  const all = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const conditional = all.filter((one) => one.type === ValidationTypes.CONDITIONAL_VALIDATION);
  const own = all.filter(({ name }) => name === NAME);
  const fields = own.map(({ propertyName, constraints }): [string, DtoField] => {
    const ofField = conditional.filter((one) => one.propertyName === propertyName);
    const conditions = ofField.map((one) => (one.constraints as DtoField['conditions'])[0]!);
    return [propertyName, { rule: (constraints as FieldRule[])[0]!, conditions }];
  });
  const isRuled = own.length > 0 && own.length + conditional.length === all.length;
  // class-transformer does not assign to a method or a getter of the class.
  const isAssigned = !own.some(({ propertyName }) => propertyName in type.prototype);
  const transformed = transformedNames(type);
  return {
    type,
    fields: new Map(fields),
    names: new Set(all.map(({ propertyName }) => propertyName)),
    transformed,
    isWhole: isRuled && isAssigned && transformed.size === 0,
  };
}

/** The helper for mapped types walks the decorators of class-transformer. */
function transformedNames(type: DtoType): Set<string> {
  const names = new Set<string>();
  inheritTransformationMetadata(type, class {}, (name) => !names.add(name));
  return names;
}
