import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { INT64_MIN } from '@animal-store/kernel';
import { Follows, IsInt64, IsList, type Rule } from '@animal-store/web';

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
  /** In characters (code points), as JSON Schema and PostgreSQL count them. */
  readonly maxLength: number;
  /** A regular expression for the text, as in OpenAPI. */
  readonly pattern?: string;
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
export function TextField({ minLength, maxLength, pattern, ...facts }: TextFacts): PropertyDecorator {
  const schema = { type: 'string', minLength, maxLength, pattern };
  return field(facts, schema, rule('isText', textRule({ minLength, maxLength, pattern }), facts));
}

/** The rule as class-validator's messages would say it. */
function textRule({ minLength = 0, maxLength, pattern }: TextFacts): Rule {
  const characters = pattern === undefined ? null : new RegExp(pattern, 'u');
  return (value) => {
    if (typeof value !== 'string') return 'must be a string';
    if (isLonger(value, maxLength)) return `must be shorter than or equal to ${maxLength} characters`;
    if (!isLonger(value, minLength - 1)) return `must be longer than or equal to ${minLength} characters`;
    return characters?.test(value) === false ? `must match ${characters} regular expression` : null;
  };
}

/** A code point has one or two units of UTF-16, and only texts whose length is between are counted. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters || text.length > 2 * characters) return text.length > characters;
  return [...text].length > characters;
}

/** An exact int64: a `bigint`, or a list of them. */
export function Int64Field({
  minimum = INT64_MIN,
  ...facts
}: FieldFacts & { readonly minimum?: bigint } = {}): PropertyDecorator {
  return field(facts, int64Schema({ minimum }), IsInt64({ minimum, each: facts.each !== undefined }));
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
  const problemOf: Rule = (value) => (values.includes(value as string) ? null : problem);
  return field(facts, schema, rule('isOneOf', problemOf, facts));
}

/** The example of an instant that must not be in the past: the document has noon of this day in a year. */
export const IN_A_YEAR = 'in a year';

/**
 * A date and time in text (RFC 3339). It needs a zone, as without one it means a different time on every server, and
 * its date must exist. Read it with `Date.parse`.
 */
export function InstantField(facts: FieldFacts = {}): PropertyDecorator {
  const longest = '2027-01-31T12:00:00.123456789+05:30'.length;
  const schema = { type: 'string', format: 'date-time', maxLength: longest };
  return field(facts, schema, rule('isInstant', instantProblem, facts));
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
  return field(facts, schema, rule('isDay', dayProblem, facts));
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
 * A decimal without a sign, such as an amount of money. It is text, `"147.50"`, as many readers of JSON lose digits of
 * a number. Read it with `parseDecimal`.
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
  const example = `1.${'0'.repeat(places)}`;
  const problem = `must be a decimal in text with ${before} before the point and ${places} after it, such as "${example}"`;
  const isDecimal = new RegExp(pattern);
  const problemOf: Rule = (value) => (typeof value === 'string' && isDecimal.test(value) ? null : problem);
  const schema = { type: 'string', pattern, maxLength: whole + 1 + places, example };
  return field(facts, schema, rule('isDecimal', problemOf, facts));
}

function rule(name: string, problemOf: Rule, { each }: FieldFacts): PropertyDecorator {
  return Follows(name, problemOf, { each: each !== undefined });
}

function field(facts: FieldFacts, item: object, ofItem: PropertyDecorator): PropertyDecorator {
  const { each, optional = false, ...shown } = facts;
  const isEnum = 'enum' in item;
  const list = isEnum ? { ...item, isArray: true, ...each } : { type: 'array', items: item, ...each };
  const schema = { ...(each ? list : item), ...shown, required: !optional } as ApiPropertyOptions;
  return applyDecorators(
    // Unlike `@IsOptional()` it refuses null, which says nothing more.
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
    ...(facts.nullable ? [ValidateIf((_, value) => value !== null)] : []),
    ...(each ? [IsList(each)] : []),
    ofItem,
    ApiProperty(schema),
  );
}

/** The schema of an int64. Bounds that its format has already are left out: generators round them. */
export function int64Schema({ minimum, ...facts }: { minimum?: number | bigint; example?: number } = {}) {
  return {
    type: 'integer',
    format: 'int64',
    ...(minimum !== undefined && minimum !== INT64_MIN && { minimum }),
    ...facts,
  };
}

/** An id in a path, for `@Operation`. */
export function int64Id(description: string): { description: string; schema: object } {
  return { description, schema: int64Schema({ minimum: 1, example: 1 }) };
}
