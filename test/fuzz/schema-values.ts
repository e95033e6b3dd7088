import fc, { type Arbitrary } from 'fast-check';
import { anyCharacter } from '@animal-store/kernel/testing';
import { accepts, type Schema } from './schemas.js';

/** JSON texts that are invalid for most fields. */
const ODD = [
  ...['null', 'true', '[]', '{}', '[7]', '[{}]', '7', '7.5', '1e400', '9'.repeat(1_000)],
  ...['"x"', '"7"', '"true"', '"null"', '""', '"\\u0000"', '"\\u001f"', '"\\u007f"'],
  ...['"2026-02-30"', '"2026-13-01T00:00:00Z"', '"2026-01-01T00:00:00"', '"1767225600"'],
  ...['9223372036854775808', '-9223372036854775809'],
];
/** Text is well-formed and not blank, which a schema cannot express. */
const NO_TEXTS = ['"\\ud83e"', '"\\udd9c\\ud83e"', '"  "'];
const UNKNOWN_FIELDS = ['id', '__proto__', 'constructor', 'toString', '', 'Name', 'x'.repeat(1_000)];
/** More items would only make a body too large. */
const MAX_ITEMS = 5;
const SAMPLES = 200;
const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

type Field = readonly [name: string, json: string];

/** JSON texts that `schema` allows: objects with any of the optional fields, in any order. */
export function validJson(schema: Schema): Arbitrary<string> {
  return only(candidates(schema), schema, (json) => accepts(schema, json));
}

/** JSON texts with one error according to `schema`. */
export function offJson(schema: Schema): Arbitrary<string> {
  const ways: Arbitrary<string>[] = [fc.constantFrom(...odd(schema))];
  if (schema['properties']) ways.push(...offObjects(schema));
  if (schema['items']) {
    const good = fc.array(validJson(schema['items'] as Schema), { minLength: 1, maxLength: 200 });
    const off = offJson(schema['items'] as Schema);
    ways.push(
      fc.tuple(good, off).map(([all, bad]) => jsonList([...all.slice(0, 3), bad])),
      good.map(jsonList),
    );
  }
  return only(fc.oneof(...ways), schema, (json) => !accepts(schema, json) || NO_TEXTS.includes(json));
}

/** Valid values of a parameter with this schema, which are written without quotes. */
export function plainValue(schema: Schema): Arbitrary<string> {
  if (schema['type'] === 'integer') return wholeNumber(schema);
  return validJson(schema).map((json) => (json.startsWith('"') ? (JSON.parse(json) as string) : json));
}

/** JSON texts, nearly all of which `schema` allows. */
function candidates(schema: Schema): Arbitrary<string> {
  const { type, items, anyOf, oneOf = anyOf, enum: choices, const: single } = schema;
  const { minItems = 0, maxItems = MAX_ITEMS } = schema as { minItems?: number; maxItems?: number };
  if (single !== undefined) return fc.constant(JSON.stringify(single));
  if (choices) return fc.constantFrom(...(choices as unknown[]).map((choice) => JSON.stringify(choice)));
  if (oneOf)
    return fc.oneof(
      ...(oneOf as Schema[]).map((one) =>
        candidates({ ...schema, oneOf: undefined, anyOf: undefined, ...one }),
      ),
    );
  if (Array.isArray(type))
    return fc.oneof(...type.map((one: unknown) => candidates({ ...schema, type: one })));
  switch (type) {
    case 'string':
      return text(schema).map((value) => JSON.stringify(value));
    case 'integer':
      return fc.tuple(wholeNumber(schema), fc.constantFrom('', '', '.0', 'e0')).map(spelled);
    case 'number':
      return decimal(schema).map((value) => JSON.stringify(value));
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'null':
      return fc.constant('null');
    case 'array': {
      const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, MAX_ITEMS)) };
      return fc.array(validJson(items as Schema), bounds).map(jsonList);
    }
    default:
      return object(schema);
  }
}

/** A whole number: often small, so that it is the id of a resource, and often at a bound. */
function wholeNumber({ minimum, maximum, multipleOf = 1 }: Schema): Arbitrary<string> {
  const step = BigInt(multipleOf as number);
  const least = (Number.isSafeInteger(minimum) ? BigInt(minimum as number) : INT64.least) / step;
  const most = (Number.isSafeInteger(maximum) ? BigInt(maximum as number) : INT64.most) / step;
  const [low, high] = [least > 1n ? least : 1n, most < 20n ? most : 20n];
  const few = low <= high ? fc.bigInt({ min: low, max: high }) : fc.constantFrom(least, most);
  return fc
    .oneof(
      { weight: 3, arbitrary: few },
      { weight: 1, arbitrary: fc.constantFrom(least, most) },
      { weight: 1, arbitrary: fc.bigInt({ min: least, max: most }) },
    )
    .map((count) => String(count * step));
}

/** A whole number may be written as a fraction or with an exponent, as long as a double has it. */
function spelled([digits, ending]: [string, string]): string {
  return Number.isSafeInteger(Number(digits)) ? digits + ending : digits;
}

function decimal({ minimum = -1e9, maximum = 1e9 }: Schema): Arbitrary<number> {
  return fc.double({ min: minimum as number, max: maximum as number, noNaN: true });
}

function text(schema: Schema): Arbitrary<string> {
  const {
    format,
    pattern,
    minLength = 0,
    maxLength = 1_000,
  } = schema as {
    format?: string;
    pattern?: string;
    minLength?: number;
    maxLength?: number;
  };
  const moment = fc
    .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
    .map((date) => date.toISOString());
  if (format === 'date-time') return moment;
  if (format === 'date') return moment.map((date) => date.slice(0, 10));
  if (format === 'uuid') return fc.uuid();
  if (format === 'email') return fc.emailAddress();
  if (format?.startsWith('uri')) return fc.webUrl();
  // A set of forbidden characters says nothing about those that are worth a try.
  const isAnythingBut = /^\^\[\^[^\]]*\][*+]\$$/.test(pattern ?? '^[^]*$');
  const any = isAnythingBut
    ? fc.string({ unit: 'grapheme', minLength, maxLength })
    : fc.stringMatching(new RegExp(pattern!, 'u'));
  const longest = fc.constantFrom(...['x', '🦜'].map((character) => character.repeat(maxLength)));
  return fc
    .oneof({ weight: 8, arbitrary: any }, longest)
    .filter((value) => [...value.trim()].length >= minLength && value.isWellFormed());
}

function object(schema: Schema): Arbitrary<string> {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, Schema>;
    required?: string[];
    additionalProperties?: Schema | boolean;
  };
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const named = fc
    .subarray(optional)
    .map((chosen) => [...required, ...chosen])
    .chain((names) => fc.shuffledSubarray(names, { minLength: names.length }))
    .chain(fieldsOf(properties));
  const name = fc.stringMatching(/^[a-z]{1,10}$/).filter((each) => !Object.hasOwn(properties, each));
  const value = typeof additionalProperties === 'object' ? validJson(additionalProperties) : fc.json();
  const more = fc.uniqueArray(fc.tuple(name, value), { maxLength: 3, selector: ([each]) => each });
  return fc
    .tuple(named, additionalProperties === false ? fc.constant([]) : more)
    .map(([fields, others]) => jsonObject([...fields, ...others]));
}

/** Objects with a field that is missing, wrong, twice there or unknown. */
function offObjects(schema: Schema): Arbitrary<string>[] {
  const { properties, required = [] } = schema as { properties: Record<string, Schema>; required?: string[] };
  const names = Object.keys(properties);
  const fields = fieldsOf(properties)(names);
  const unknown = fc.oneof(
    fc.constantFrom(...UNKNOWN_FIELDS),
    fc.string({ unit: anyCharacter, maxLength: 20 }),
  );
  return [
    ...required.map((missing) => fields.map((all) => jsonObject(all.filter(([name]) => name !== missing)))),
    ...names.map((off) =>
      fc
        .tuple(fields, offJson(properties[off]!))
        .map(([all, json]) => jsonObject(all.map(([name, good]) => [name, name === off ? json : good]))),
    ),
    fields.map((all) => jsonObject([...all, [all[0]![0], all[0]![1] === '-1' ? '-2' : '-1']])),
    fc.tuple(fields, unknown, fc.json()).map(([all, name, value]) => jsonObject([...all, [name, value]])),
  ];
}

/** Values to try as invalid ones. */
function odd({ type, minimum, maximum, enum: choices = [], minLength, maxLength }: Schema): string[] {
  const bounds = [minimum, maximum].filter((bound) => Number.isSafeInteger(bound)) as number[];
  const beside = bounds.flatMap((bound) => [bound - 1, bound + 1, bound + 0.5]).map(String);
  const texts = (choices as unknown[]).filter((choice) => typeof choice === 'string');
  const changed = texts.flatMap((choice) => [`${choice} `, choice.toUpperCase(), `${choice}\0`]);
  const tooLong = maxLength === undefined ? [] : [`"${'x'.repeat((maxLength as number) + 1)}"`];
  const noTexts = type === 'string' ? NO_TEXTS.slice(0, minLength ? 3 : 2) : [];
  return [...ODD, ...beside, ...changed.map((choice) => JSON.stringify(choice)), ...tooLong, ...noTexts];
}

/** The `values` that pass the test. At least one must pass, because fast-check would search forever. */
function only(
  values: Arbitrary<string>,
  schema: Schema,
  passes: (json: string) => boolean,
): Arbitrary<string> {
  if (!fc.sample(values, { numRuns: SAMPLES, seed: 1 }).some(passes))
    throw new Error(`The fuzz suites find no value for ${JSON.stringify(schema)}`);
  return values.filter(passes);
}

/** The fields with these names, with valid values. The arbitraries of the values are made once. */
function fieldsOf(properties: Record<string, Schema>): (names: readonly string[]) => Arbitrary<Field[]> {
  const fields = new Map(
    Object.entries(properties).map(([name, schema]) => [
      name,
      validJson(schema).map((json): Field => [name, json]),
    ]),
  );
  return (names) => fc.tuple(...names.map((name) => fields.get(name)!));
}

function jsonObject(fields: readonly Field[]): string {
  return `{${fields.map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(',')}}`;
}

function jsonList(items: readonly string[]): string {
  return `[${items.join(', ')}]`;
}
