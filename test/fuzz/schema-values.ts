import fc, { type Arbitrary } from 'fast-check';
import type { Schema } from './api-document.js';

/** JSON texts that no field of any kind allows. */
const NEVER = ['null', 'true', '[]', '{}', '[7]', '7.5', '7.0', '7e0', '1e400', '-0.0', '9'.repeat(1_000)];
const NO_OBJECTS = ['[]', 'null', '"x"', '7', 'true', '[{}]'];
const UNKNOWN_FIELDS = ['id', '__proto__', 'constructor', 'toString', '', 'Name', 'x'.repeat(1_000)];

type Field = readonly [name: string, json: string];

/** JSON texts of objects that `schema` allows: any of the optional fields, in any order. */
export function validObject({ properties = {}, required = [] }: Schema): Arbitrary<string> {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return fc
    .subarray(optional)
    .chain((chosen) => shuffled([...required, ...chosen]))
    .chain((names) => fieldsNamed(names, properties))
    .map(jsonObject);
}

/** JSON texts with one thing in them that `schema` does not allow. */
export function offObject({ properties = {}, required = [] }: Schema): Arbitrary<string> {
  const names = Object.keys(properties);
  const fields = fieldsNamed(names, properties);
  const replaced = (all: readonly Field[], off: string, json: string) =>
    jsonObject(all.map(([name, good]) => [name, name === off ? json : good]));
  const unknownNames = fc
    .oneof(fc.constantFrom(...UNKNOWN_FIELDS), fc.string({ unit: 'binary', maxLength: 20 }))
    .filter((name) => !names.includes(name));
  return fc.oneof(
    ...required.map((missing) => fields.map((all) => jsonObject(all.filter(([name]) => name !== missing)))),
    ...names.map((off) =>
      fc.tuple(fields, offValue(properties[off]!)).map(([all, json]) => replaced(all, off, json)),
    ),
    fc.tuple(fields, unknownNames, fc.json()).map(([all, name, json]) => jsonObject([...all, [name, json]])),
    // The same name twice.
    fields.map((all) => jsonObject([...all, [all[0]![0], '-1']])),
    fc.constantFrom(...NO_OBJECTS),
  );
}

/** What `schema` allows, as it is written without quotes. */
export function plainValue(schema: Schema): Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  return schema.type === 'integer' ? wholeNumber(schema) : text(schema);
}

/** Often small, so that it names something; often at a bound. */
export function wholeNumber({ minimum, maximum }: Schema): Arbitrary<string> {
  const few = maximum! < 20n ? maximum! : 20n;
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.bigInt({ min: 1n, max: few }) },
      { weight: 1, arbitrary: fc.constantFrom(minimum!, maximum!) },
      { weight: 1, arbitrary: fc.bigInt({ min: minimum!, max: maximum! }) },
    )
    .map(String);
}

function text({ pattern = '', minLength = 0n, maxLength = 1_000n }: Schema): Arbitrary<string> {
  const expression = new RegExp(pattern, 'u');
  const least = Number(minLength);
  const most = Number(maxLength);
  const isAnythingBut = pattern.startsWith('^[^');
  const candidates = isAnythingBut
    ? fc.string({ unit: 'grapheme', minLength: least, maxLength: most })
    : fc.stringMatching(expression);
  // What the schema of a name cannot say: it is trimmed, and well-formed.
  return candidates.filter(
    (value) =>
      [...value.trim()].length >= least &&
      [...value].length <= most &&
      expression.test(value) &&
      value.isWellFormed(),
  );
}

function jsonValue(schema: Schema): Arbitrary<string> {
  return schema.type === 'integer'
    ? wholeNumber(schema)
    : plainValue(schema).map((value) => JSON.stringify(value));
}

function offValue({ type, enum: choices, minimum, maximum, maxLength = 0n }: Schema): Arbitrary<string> {
  if (type === 'integer') return fc.constantFrom(...NEVER, '"7"', `${maximum! + 1n}`, `${minimum! - 1n}`);
  if (choices) {
    const [choice] = choices;
    return fc.constantFrom(
      ...NEVER,
      '7',
      '""',
      `"${choice} "`,
      `"${choice!.toUpperCase()}"`,
      `"${choice}\\u0000"`,
    );
  }
  const controls = ['"\\u0000"', '"\\u001f"', '"\\u007f"'];
  const loneSurrogates = ['"\\ud83e"', '"\\udd9c\\ud83e"'];
  const tooLong = `"${'x'.repeat(Number(maxLength) + 1)}"`;
  return fc.constantFrom(...NEVER, '7', '""', '"  "', tooLong, ...controls, ...loneSurrogates);
}

function fieldsNamed(
  names: readonly string[],
  properties: Readonly<Record<string, Schema>>,
): Arbitrary<Field[]> {
  return fc.tuple(...names.map((name) => jsonValue(properties[name]!).map((json): Field => [name, json])));
}

function jsonObject(fields: readonly Field[]): string {
  return `{${fields.map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(',')}}`;
}

function shuffled<T>(items: T[]): Arbitrary<T[]> {
  return fc.shuffledSubarray(items, { minLength: items.length });
}
