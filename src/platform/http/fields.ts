import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsString,
  Length,
  Matches,
  type ValidationOptions,
} from 'class-validator';
import { int64Schema } from './int64.schema.js';
import {
  decimalPattern,
  FollowsRule,
  IsDay,
  IsDecimal,
  IsInstant,
  IsInt64,
  OptionalField,
} from './validation.js';

/** What every field says beside its type. */
export interface FieldFacts {
  readonly description?: string;
  /** A value, or a list of them for a field with `each`. */
  readonly example?: unknown;
  /** For the document; the class sets it. */
  readonly default?: unknown;
  /** Whether it may be left out. It does not accept null. */
  readonly optional?: boolean;
  /** For a list: the number of its items. The rules are those of each item. */
  readonly each?: { readonly minItems?: number; readonly maxItems: number };
}

export interface TextFacts extends FieldFacts {
  readonly minLength?: number;
  readonly maxLength: number;
  /** Of the characters, as in OpenAPI. */
  readonly pattern?: string;
  /** A rule of the domain, in place of those above: the problem, phrased to follow the name of the field, or null. */
  readonly rule?: (value: unknown) => string | null;
}

/**
 * A text.
 *
 * @example
 * ```ts
 * @TextField({ minLength: 1, maxLength: 100, pattern: '^\\P{Cc}*$', description: 'What it was like.' })
 * comment: string;
 * ```
 */
export function TextField({ rule, ...facts }: TextFacts): PropertyDecorator {
  const { minLength = 0, maxLength, pattern, ...common } = facts;
  const schema = { type: 'string', minLength: facts.minLength, maxLength, pattern };
  return field(common, schema, (options) => {
    if (rule) return [FollowsRule(rule, options)];
    const length = [IsString(options), Length(minLength, maxLength, options)];
    return pattern === undefined ? length : [...length, Matches(new RegExp(pattern, 'u'), options)];
  });
}

/** An exact int64: a `bigint`, or a list of them. */
export function Int64Field({
  minimum,
  ...facts
}: FieldFacts & { readonly minimum?: bigint } = {}): PropertyDecorator {
  return field(facts, int64Schema({ minimum }), (options) => [IsInt64(options, minimum)]);
}

/**
 * One of the listed texts.
 *
 * @param facts `name` is the wire name of the values
 */
export function EnumField(
  values: readonly string[],
  { name, ...facts }: FieldFacts & { readonly name: string },
): PropertyDecorator {
  const isOne = `must be one of ${values.join(', ')}`;
  return field(facts, { enum: [...values], enumName: name }, ({ each = false }) => [
    IsIn(values, { each, message: `${each ? 'each value in ' : ''}$property ${isOne}` }),
  ]);
}

/** A date and time with a zone, in text (RFC 3339). Read it with `Date.parse`. */
export function InstantField(facts: FieldFacts = {}): PropertyDecorator {
  const longest = '2027-01-31T12:00:00.123456789+05:30'.length;
  const schema = { type: 'string', format: 'date-time', maxLength: longest };
  return field(facts, schema, (options) => [IsInstant(options)]);
}

/** A day, in text: `2027-01-31`. */
export function DayField(facts: FieldFacts = {}): PropertyDecorator {
  const schema = { type: 'string', format: 'date', maxLength: '2027-01-31'.length };
  return field(facts, schema, (options) => [IsDay(options)]);
}

/**
 * A decimal number in text, such as an amount of money, as a JSON number may lose digits.
 *
 * @param facts `digits` before the point and `places` after it, at most
 */
export function DecimalField({
  digits,
  places,
  ...facts
}: FieldFacts & { readonly digits: number; readonly places: number }): PropertyDecorator {
  const pattern = decimalPattern(digits, places);
  const schema = { type: 'string', pattern, maxLength: digits + places + '-.'.length };
  return field(facts, schema, (options) => [IsDecimal(digits, places, options)]);
}

type Rules = (options: ValidationOptions) => PropertyDecorator[];

function field(facts: FieldFacts, item: object, rules: Rules): PropertyDecorator {
  const { each, optional = false, ...shown } = facts;
  const isEnum = 'enum' in item;
  const list = isEnum ? { ...item, isArray: true, ...each } : { type: 'array', items: item, ...each };
  const schema = { ...(each ? list : item), ...shown, required: !optional } as ApiPropertyOptions;
  const ofList = each ? [IsArray(), ArrayMinSize(each.minItems ?? 0), ArrayMaxSize(each.maxItems)] : [];
  return applyDecorators(
    ...(optional ? [OptionalField()] : []),
    ...ofList,
    ...rules({ each: each !== undefined }),
    ApiProperty(schema),
  );
}
