import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { length } from 'class-validator';
import { INT64_MAX, INT64_MIN, isInt64, parseInt64 } from '@animal-store/kernel';
import { Field, type FieldRule, type Rule } from '@animal-store/web';
import { int64Schema } from './int64.schema.js';

/** What every field says beside its type. */
export interface FieldFacts {
  readonly description?: string;
  /** A value, or a list of them for a field with `each`. */
  readonly example?: unknown;
  /**
   * Whether it may be left out; null is then refused unless `nullable`. Write its default in `description`: the keyword
   * `default` makes generated clients require the field.
   */
  readonly optional?: boolean;
  /** Whether it accepts null, as in a change that removes the value. The start refuses it in a query and a path. */
  readonly nullable?: boolean;
  /** For a list: the number of its items. The rules are those of each item. */
  readonly each?: { readonly minItems?: number; readonly maxItems: number };
}

export interface TextFacts extends FieldFacts {
  readonly minLength?: number;
  readonly maxLength: number;
  /** Of the characters, as in OpenAPI. */
  readonly pattern?: string;
  /** A rule of the domain, in place of those above. */
  readonly rule?: Rule;
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
  const { minLength, maxLength, pattern, ...common } = facts;
  const schema = { type: 'string', minLength, maxLength, pattern };
  return field(common, schema, { problemOf: rule ?? textRule(facts) });
}

/** In class-validator's words. */
function textRule({ minLength = 0, maxLength, pattern }: TextFacts): Rule {
  const characters = pattern === undefined ? null : new RegExp(pattern, 'u');
  return (value) => {
    if (typeof value !== 'string') return 'must be a string';
    if (!length(value, 0, maxLength)) return `must be shorter than or equal to ${maxLength} characters`;
    if (!length(value, minLength)) return `must be longer than or equal to ${minLength} characters`;
    return characters?.test(value) === false ? `must match ${characters} regular expression` : null;
  };
}

/** An exact int64: a `bigint`, or a list of them. */
export function Int64Field({
  minimum = INT64_MIN,
  ...facts
}: FieldFacts & { readonly minimum?: bigint } = {}): PropertyDecorator {
  const problem = `must be a whole number from ${minimum} to ${INT64_MAX}`;
  return field(facts, int64Schema({ minimum }), {
    isNumber: true,
    // The JSON parser makes a bigint of a number only when it has more digits than a number holds.
    read: (sent, source) => {
      if (source === 'text') return typeof sent === 'string' ? (parseInt64(sent) ?? sent) : sent;
      return Number.isSafeInteger(sent) ? BigInt(sent as number) : sent;
    },
    problemOf: (value) => (isInt64(value) && value >= minimum ? null : problem),
  });
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
  const problem = `must be one of ${values.join(', ')}`;
  const schema = { enum: [...values], enumName: name };
  return field(facts, schema, { problemOf: (value) => (values.includes(value as string) ? null : problem) });
}

/**
 * A date and time in text (RFC 3339). It needs a zone, as without one it means a different time on every server, and
 * its date must exist. Read it with `Date.parse`.
 */
export function InstantField(facts: FieldFacts = {}): PropertyDecorator {
  const longest = '2027-01-31T12:00:00.123456789+05:30'.length;
  const schema = { type: 'string', format: 'date-time', maxLength: longest };
  return field(facts, schema, { problemOf: instantProblem });
}

const DATE_AND_TIME = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

function instantProblem(value: unknown): string | null {
  const isInstant =
    typeof value === 'string' &&
    DATE_AND_TIME.test(value) &&
    exists(value.slice(0, '2027-01-31'.length)) &&
    !Number.isNaN(Date.parse(value));
  return isInstant ? null : 'must be a date and time with a zone (RFC 3339), such as 2027-01-31T12:00:00Z';
}

/** A day in text, `2027-01-31`, that exists. */
export function DayField(facts: FieldFacts = {}): PropertyDecorator {
  const schema = { type: 'string', format: 'date', maxLength: '2027-01-31'.length };
  return field(facts, schema, { problemOf: dayProblem });
}

function dayProblem(value: unknown): string | null {
  const isDay = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && exists(value);
  return isDay ? null : 'must be a day that exists, such as 2027-01-31';
}

/** `Date` reads February 30 as March 2, and month 13 as no date. */
function exists(day: string): boolean {
  const read = new Date(day);
  return !Number.isNaN(read.getTime()) && read.toISOString().slice(0, day.length) === day;
}

export interface DecimalFacts extends FieldFacts {
  /** The most digits before the point. */
  readonly whole: number;
  /** The digits after the point, exactly. */
  readonly places: number;
}

/**
 * A decimal without a sign, such as an amount of money. It is text, `"147.50"`, as many readers of JSON lose digits of a
 * number. Read it with `parseDecimal`.
 *
 * @throws RangeError when `whole` or `places` is no whole number of at least 1
 * @example
 * ```ts
 * @DecimalField({ whole: 6, places: 2, description: 'Of the whole stay.', example: '147.50' })
 * price: string;
 * ```
 */
export function DecimalField({ whole, places, ...facts }: DecimalFacts): PropertyDecorator {
  for (const [name, digits] of Object.entries({ whole, places })) {
    if (Number.isSafeInteger(digits) && digits >= 1) continue;
    throw new RangeError(
      `The "${name}" of @DecimalField() must be a whole number of at least 1, not ${digits}.`,
    );
  }
  const pattern = `^(0|[1-9]\\d{0,${whole - 1}})\\.\\d{${places}}$`;
  const before = whole === 1 ? '1 digit' : `1 to ${whole} digits`;
  const problem = `must be a decimal in text with ${before} before the point and ${places} after it, such as "1.${'0'.repeat(places)}"`;
  const isDecimal = new RegExp(pattern);
  const problemOf = (value: unknown) => (typeof value === 'string' && isDecimal.test(value) ? null : problem);
  const schema = { type: 'string', pattern, maxLength: whole + 1 + places };
  return field(facts, schema, { problemOf });
}

function field(facts: FieldFacts, item: object, rule: FieldRule): PropertyDecorator {
  const { each, optional = false, ...shown } = facts;
  const isEnum = 'enum' in item;
  const list = isEnum ? { ...item, isArray: true, ...each } : { type: 'array', items: item, ...each };
  const schema = { ...(each ? list : item), ...shown, required: !optional } as ApiPropertyOptions;
  return applyDecorators(Field({ ...rule, each, optional, nullable: facts.nullable }), ApiProperty(schema));
}
