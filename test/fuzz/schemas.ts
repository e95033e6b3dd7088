import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'lossless-json';

/**
 * A JSON schema of the document without references and `allOf`. Its objects have only the fields that they name, unless
 * it says otherwise.
 */
export type Schema = Readonly<Record<string, unknown>>;

/** No schema is that deep, unless it refers to itself. */
const DEEPEST = 50;

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const compiled = new Map<Schema, ValidateFunction>();
/** By its text, for schemas that are equal. */
const compiledOf = new Map<string, ValidateFunction>();

/** The target of a reference inside `document`. */
export function targetOf(document: unknown, $ref: string): unknown {
  const [, ...path] = $ref.split('/');
  return path.reduce((part, name) => (part as Schema)[name.replaceAll('~1', '/')], document);
}

/** @throws Error with the place, for a schema that refers to itself */
export function readSchema(document: unknown, node: unknown, place: string, depth = 0): Schema {
  if (depth > DEEPEST) throw new Error(`${place}: the fuzz suites know no schema that refers to itself.`);
  const schema = { ...merged(document, node as Schema) };
  const read = (part: unknown, within = ''): Schema =>
    readSchema(document, part, `${place}${within}`, depth + 1);
  const { properties, items, additionalProperties } = schema;
  if (properties) {
    const entries = Object.entries(properties).map(([name, part]) => [name, read(part, `.${name}`)]);
    schema['properties'] = Object.fromEntries(entries);
    schema['additionalProperties'] ??= false;
  }
  if (typeof additionalProperties === 'object')
    schema['additionalProperties'] = read(additionalProperties, '.*');
  if (items) schema['items'] = read(items, '[]');
  for (const keyword of ['oneOf', 'anyOf']) {
    const parts = schema[keyword] as unknown[] | undefined;
    if (parts) schema[keyword] = parts.map((part) => read(part));
  }
  return schema;
}

/** A schema with the targets of its own references, which say the same of a keyword that two of them have. */
function merged(document: unknown, { $ref, allOf = [], ...own }: Schema): Schema {
  const parts = [...(allOf as Schema[]), ...($ref ? [targetOf(document, $ref as string) as Schema] : [])];
  const all = [...parts.map((part) => merged(document, part)), own];
  const properties = all.flatMap((part) => (part['properties'] ? [part['properties']] : []));
  const required = all.flatMap((part) => (part['required'] as string[] | undefined) ?? []);
  return {
    ...(Object.assign({}, ...all) as Schema),
    ...(properties.length > 0 && { properties: Object.assign({}, ...properties) as Schema }),
    ...(required.length > 0 && { required }),
  };
}

/** The validation errors of a value. */
export function problemsOf(schema: Schema, value: unknown): string[] {
  let validate = compiled.get(schema);
  if (!validate) {
    // Most headers have the same schema in every response.
    const text = JSON.stringify(schema);
    const same = compiledOf.get(text);
    compiled.set(schema, (validate = same ?? ajv.compile(schema)));
    compiledOf.set(text, validate);
  }
  if (validate(value)) return [];
  return validate.errors!.map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** The validation errors of a JSON text. @throws Error when it is none */
export function problemsOfJson(schema: Schema, json: string): string[] {
  const outside: string[] = [];
  const value = parse(json, null, {
    // Ajv rounds: it cannot distinguish the number after an int64 from the last one.
    parseNumber: (digits) => {
      if (/^-?\d+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits))
        outside.push(`${digits} is no int64`);
      return Number(digits);
    },
  });
  return [...outside, ...problemsOf(schema, value)];
}

/** Whether a JSON text is a value of `schema`. */
export function accepts(schema: Schema, json: string): boolean {
  try {
    return problemsOfJson(schema, json).length === 0;
  } catch {
    return false;
  }
}
