import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { exactJson } from './exact-json.js';
import type { Schema } from './known-schema.js';

type NumberRule = Readonly<Record<string, unknown>> & { readonly isWhole: boolean };

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
// `exactJson` reads every whole number as a bigint, which the keywords of Ajv do not support.
ajv.addKeyword({
  keyword: 'exactNumber',
  validate: (rule: NumberRule, value: unknown) => isWithin(rule, value),
});
ajv.addKeyword({
  keyword: 'exactChoice',
  validate: (choices: readonly string[], value: unknown) => choices.includes(scalarJson(value)),
});
const compiled = new Map<Schema, ValidateFunction>();

/** The validation errors of a value from `exactJson` against `schema`, which allows only the fields that it names. */
export function problemsOf(schema: Schema, value: unknown): string[] {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(checkable(schema));
    compiled.set(schema, validate);
  }
  if (validate(value)) return [];
  return validate.errors!.map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** Whether a JSON text is a value of `schema`. */
export function accepts(schema: Schema, json: string): boolean {
  try {
    return problemsOf(schema, exactJson(json)).length === 0;
  } catch {
    return false;
  }
}

/** The JSON text of a value of a choice. */
export function scalarJson(value: unknown): string {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

/** The JSON schema for Ajv, for values whose whole numbers are bigints. */
function checkable(schema: Schema): object {
  switch (schema.kind) {
    case 'choice':
      return { exactChoice: schema.values.map(scalarJson) };
    case 'text': {
      const { format, pattern, minLength, maxLength } = schema;
      return defined({ type: 'string', format, pattern, minLength, maxLength });
    }
    case 'whole':
    case 'decimal':
      return { exactNumber: { ...schema, isWhole: schema.kind === 'whole' } };
    case 'boolean':
    case 'null':
      return { type: schema.kind };
    case 'list': {
      const { items, minItems, maxItems, uniqueItems } = schema;
      return defined({ type: 'array', items: checkable(items), minItems, maxItems, uniqueItems });
    }
    case 'object': {
      const { properties, required, others } = schema;
      const entries = Object.entries(properties).map(([name, field]) => [name, checkable(field)]);
      const additionalProperties = typeof others === 'string' ? others === 'any' : checkable(others);
      return {
        type: 'object',
        properties: Object.fromEntries(entries) as object,
        required,
        additionalProperties,
      };
    }
    case 'alternatives':
      return { [schema.isExclusive ? 'oneOf' : 'anyOf']: schema.of.map(checkable) };
  }
}

/** The keywords without those that are undefined, which Ajv refuses. */
function defined(keywords: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}

function isWithin(rule: NumberRule, value: unknown): boolean {
  if (typeof value !== 'bigint' && (rule.isWhole || !Number.isFinite(value))) return false;
  const number = value as bigint | number;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rule as Readonly<
    Record<string, number | bigint | undefined>
  >;
  return (
    !(number < minimum!) &&
    !(number > maximum!) &&
    !(number <= exclusiveMinimum!) &&
    !(number >= exclusiveMaximum!) &&
    (multipleOf === undefined || (number as bigint) % (multipleOf as bigint) === 0n)
  );
}
