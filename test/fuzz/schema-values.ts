import fc, { type Arbitrary } from 'fast-check';
import { anyCharacter } from '@animal-store/kernel/testing';
import {
  type Decimal,
  type Fields,
  type List,
  type Schema,
  type Text,
  notKnown,
  type Whole,
} from './known-schema.js';
import { accepts, scalarJson } from './schema-check.js';

/** JSON texts that are invalid for most fields. */
const ODD = [
  'null',
  'true',
  '[]',
  '{}',
  '[7]',
  '[{}]',
  '7',
  '7.5',
  '7.0',
  '7e0',
  '1e400',
  '-0.0',
  '9'.repeat(1_000),
];
const ODD_TEXTS = ['"x"', '"7"', '"true"', '"null"', '""', '"\\u0000"', '"\\u001f"', '"\\u007f"'];
const ODD_DATES = ['"2026-02-30"', '"2026-13-01T00:00:00Z"', '"2026-01-01T00:00:00"', '"1767225600"'];
/** Text must be well-formed, which a schema cannot express. */
const LONE_SURROGATES = ['"\\ud83e"', '"\\udd9c\\ud83e"'];
const UNKNOWN_FIELDS = ['id', '__proto__', 'constructor', 'toString', '', 'Name', 'x'.repeat(1_000)];
/** More items would only make a body too large. */
const MOST_ITEMS = 5;
const SAMPLES = 200;

type Field = readonly [name: string, json: string];

/** JSON texts that `schema` allows: objects with any of the optional fields, in any order. */
export function validJson(schema: Schema): Arbitrary<string> {
  switch (schema.kind) {
    case 'choice':
      return fc.constantFrom(...schema.values.map(scalarJson));
    case 'text':
      return text(schema).map((value) => JSON.stringify(value));
    case 'whole':
      return wholeNumber(schema);
    case 'decimal':
      return decimal(schema);
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'null':
      return fc.constant('null');
    case 'list':
      return list(schema);
    case 'object':
      return object(schema);
    case 'alternatives':
      return only(fc.oneof(...schema.of.map(validJson)), schema, (json) => accepts(schema, json));
  }
}

/** JSON texts with one error according to `schema`. */
export function offJson(schema: Schema): Arbitrary<string> {
  switch (schema.kind) {
    case 'list':
      return offList(schema);
    case 'object':
      return offObject(schema);
    case 'alternatives':
      return only(fc.oneof(...schema.of.map(offJson)), schema, (json) => !accepts(schema, json));
    default:
      return refusedOf(schema, oddOf(schema));
  }
}

/** Valid values of a parameter with this schema, which are written without quotes. */
export function plainValue(schema: Schema): Arbitrary<string> {
  switch (schema.kind) {
    case 'choice':
      return fc.constantFrom(...schema.values.map(String));
    case 'text':
      return text(schema);
    case 'whole':
    case 'decimal':
    case 'boolean':
      return validJson(schema);
    default:
      throw notKnown(schema.place, `a parameter of kind "${schema.kind}"`);
  }
}

/** A whole number: often small, so that it is the id of a resource, and often at a bound. */
export function wholeNumber({ minimum, maximum, multipleOf }: Whole): Arbitrary<string> {
  // The bounds, counted in steps of multipleOf.
  const [least, most] = [-(-minimum / multipleOf), maximum / multipleOf];
  const [low, high] = [least > 1n ? least : 1n, most < 20n ? most : 20n];
  const few = low <= high ? fc.bigInt({ min: low, max: high }) : fc.constantFrom(least, most);
  return fc
    .oneof(
      { weight: 3, arbitrary: few },
      { weight: 1, arbitrary: fc.constantFrom(least, most) },
      { weight: 1, arbitrary: fc.bigInt({ min: least, max: most }) },
    )
    .map((step) => String(step * multipleOf));
}

function decimal({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Decimal): Arbitrary<string> {
  const [min = -1e9, max = 1e9] = [exclusiveMinimum ?? minimum, exclusiveMaximum ?? maximum];
  const [minExcluded, maxExcluded] = [exclusiveMinimum !== undefined, exclusiveMaximum !== undefined];
  return fc.double({ min, max, minExcluded, maxExcluded, noNaN: true }).map((value) => JSON.stringify(value));
}

function text({ place, format, pattern, minLength, maxLength = 1_000 }: Schema & Text): Arbitrary<string> {
  if (format !== undefined) return formatted(format, place);
  const expression = new RegExp(pattern ?? '', 'u');
  // The service trims text and refuses lone surrogates, which a schema cannot express.
  return candidates(place, pattern, minLength, maxLength).filter(
    (value) =>
      [...value.trim()].length >= minLength &&
      [...value].length <= maxLength &&
      expression.test(value) &&
      value.isWellFormed(),
  );
}

function candidates(
  place: string,
  pattern: string | undefined,
  minLength: number,
  maxLength: number,
): Arbitrary<string> {
  const isAnythingBut = /^\^\[\^[^\]]*\][*+]\$$/.test(pattern ?? '^[^]*$');
  if (isAnythingBut) return fc.string({ unit: 'grapheme', minLength, maxLength });
  try {
    return fc.stringMatching(new RegExp(pattern!, 'u'));
  } catch {
    throw notKnown(place, `the pattern ${pattern}`);
  }
}

function formatted(format: string, place: string): Arbitrary<string> {
  const moment = fc
    .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const word = fc.stringMatching(/^[a-z]{1,10}$/);
  switch (format) {
    case 'date-time':
      return moment;
    case 'date':
      return moment.map((date) => date.slice(0, 10));
    case 'uuid':
      return fc.uuid();
    case 'email':
      return word.map((name) => `${name}@example.com`);
    case 'uri':
      return word.map((name) => `https://example.com/${name}`);
    case 'uri-reference':
      return word.map((name) => `/${name}`);
    default:
      throw notKnown(place, `the format "${format}"`);
  }
}

function list({ items, minItems, maxItems = minItems + MOST_ITEMS, uniqueItems }: List): Arbitrary<string> {
  const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, MOST_ITEMS)) };
  const item = validJson(items);
  return (uniqueItems ? fc.uniqueArray(item, bounds) : fc.array(item, bounds)).map(jsonList);
}

function object({ properties, required, others }: Fields): Arbitrary<string> {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const fieldsNamed = fieldsOf(properties);
  const named = fc
    .subarray(optional)
    .chain((chosen) => shuffled([...required, ...chosen]))
    .chain(fieldsNamed);
  return fc
    .tuple(named, otherFields(properties, others))
    .map(([fields, more]) => jsonObject([...fields, ...more]));
}

function otherFields(properties: Fields['properties'], others: Fields['others']): Arbitrary<Field[]> {
  if (others === 'none') return fc.constant([]);
  const name = fc.stringMatching(/^[a-z]{1,10}$/).filter((each) => !Object.hasOwn(properties, each));
  const field: Arbitrary<Field> = fc.tuple(name, others === 'any' ? fc.json() : validJson(others));
  return fc.uniqueArray(field, { maxLength: 3, selector: ([each]) => each });
}

function offObject(schema: Schema & Fields): Arbitrary<string> {
  const { properties, required, others } = schema;
  const names = Object.keys(properties);
  const fields = fieldsOf(properties)(names);
  const replaced = (all: readonly Field[], off: string, json: string) =>
    jsonObject(all.map(([name, good]) => [name, name === off ? json : good]));
  const ways = [
    ...required.map((missing) => fields.map((all) => jsonObject(all.filter(([name]) => name !== missing)))),
    ...names.map((off) =>
      fc.tuple(fields, offJson(properties[off]!)).map(([all, json]) => replaced(all, off, json)),
    ),
    refusedOf(schema, [...ODD, ...ODD_TEXTS]),
  ];
  if (names.length > 0) {
    // An object with a duplicate name.
    ways.push(fields.map((all) => jsonObject([...all, [all[0]![0], all[0]![1] === '-1' ? '-2' : '-1']])));
  }
  if (others !== 'any') {
    const unknownNames = fc
      .oneof(fc.constantFrom(...UNKNOWN_FIELDS), fc.string({ unit: anyCharacter, maxLength: 20 }))
      .filter((name) => !names.includes(name));
    const json = others === 'none' ? fc.json() : offJson(others);
    ways.push(
      fc.tuple(fields, unknownNames, json).map(([all, name, value]) => jsonObject([...all, [name, value]])),
    );
  }
  return fc.oneof(...ways);
}

function offList(schema: Schema & List): Arbitrary<string> {
  const { items, minItems, maxItems, uniqueItems } = schema;
  const item = validJson(items);
  const others = fc.array(item, { maxLength: 2 });
  const sized = (length: number) => fc.array(item, { minLength: length, maxLength: length }).map(jsonList);
  const ways = [
    fc
      .tuple(others, offJson(items), others)
      .map(([before, off, after]) => jsonList([...before, off, ...after])),
    refusedOf(schema, [...ODD, ...ODD_TEXTS]),
  ];
  if (minItems > 0) ways.push(sized(minItems - 1));
  if (maxItems !== undefined) ways.push(sized(maxItems + 1));
  if (uniqueItems) ways.push(item.map((twice) => jsonList([twice, twice])));
  return fc.oneof(...ways);
}

/** Values to try as invalid ones. Some of them may be valid for `schema`. */
function oddOf(schema: Schema): string[] {
  const odd = [...ODD, ...ODD_TEXTS];
  switch (schema.kind) {
    case 'choice': {
      const texts = schema.values.filter((value) => typeof value === 'string');
      const changed = texts.flatMap((value) => [
        `${value} `,
        value.toUpperCase(),
        value.toLowerCase(),
        `${value}\0`,
      ]);
      return [...odd, ...changed.map((value) => JSON.stringify(value))];
    }
    case 'text': {
      const { format, maxLength } = schema;
      if (format?.startsWith('date')) odd.push(...ODD_DATES);
      return maxLength === undefined ? odd : [...odd, `"${'x'.repeat(maxLength + 1)}"`];
    }
    case 'whole':
      return [...odd, `${schema.minimum - 1n}`, `${schema.maximum + 1n}`, `${schema.minimum}.5`];
    case 'decimal': {
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
      const below = minimum === undefined ? exclusiveMinimum : minimum - 1;
      const above = maximum === undefined ? exclusiveMaximum : maximum + 1;
      return [...odd, ...[below, above].filter((value) => value !== undefined).map(String)];
    }
    default:
      return odd;
  }
}

function refusedOf(schema: Schema, odd: readonly string[]): Arbitrary<string> {
  const refused = odd.filter((json) => !accepts(schema, json));
  // The service trims text and accepts only valid Unicode, whatever the schema says.
  if (schema.kind === 'text') refused.push(...LONE_SURROGATES, ...(schema.minLength > 0 ? ['"  "'] : []));
  return fc.constantFrom(...refused);
}

/** The `values` that pass the test. At least one must pass, because fast-check would search forever. */
function only(
  values: Arbitrary<string>,
  { place }: Schema,
  passes: (json: string) => boolean,
): Arbitrary<string> {
  if (!fc.sample(values, { numRuns: SAMPLES, seed: 1 }).some(passes)) {
    throw notKnown(place, 'a value that is right, or wrong, among its alternatives');
  }
  return values.filter(passes);
}

/** Fields with these names and valid values. */
type FieldsNamed = (names: readonly string[]) => Arbitrary<Field[]>;

/** Creates the arbitraries of the properties only once, because the result is called often. */
function fieldsOf(properties: Fields['properties']): FieldsNamed {
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

function shuffled<T>(items: T[]): Arbitrary<T[]> {
  return fc.shuffledSubarray(items, { minLength: items.length });
}
