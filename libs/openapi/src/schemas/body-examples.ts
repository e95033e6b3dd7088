import type { Operation } from '../operation-description.js';
import type { Schema, Schemas } from './bounds.js';

/** Gives each JSON body an example, of those of its fields and its own: tools that import the document send it. */
export function addBodyExamples({ requestBody, responses }: Operation, schemas: Schemas): void {
  for (const body of [requestBody, ...Object.values(responses)]) {
    const media = body && 'content' in body ? body.content?.['application/json'] : undefined;
    if (!media?.schema || media.examples) continue;
    media.example = merged(exampleOf(media.schema, schemas), media.example);
  }
}

/** The example with those fields of it, at any depth, that another one has. */
function merged(example: unknown, own: unknown): unknown {
  if (!isObject(example) || !isObject(own)) return own === undefined ? example : own;
  const fields = Object.entries(own).map(([name, value]) => [name, merged(example[name], value)]);
  return { ...example, ...Object.fromEntries(fields) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { $ref, example, allOf, items, properties } = schema;
  if ($ref !== undefined)
    return exampleOf(schemas[$ref.replace('#/components/schemas/', '')] as Schema, schemas);
  if (example !== undefined) return example;
  if (allOf) return exampleOf(allOf[0]!, schemas);
  if (items) return [exampleOf(items, schemas)];
  if (!properties) return ofType(schema);
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, exampleOf(property, schemas)]),
  );
}

const OF_FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2027-01-31T09:30:00.000Z',
  date: '2027-01-31',
  email: 'ada@example.com',
  uuid: '0b9f2c1e-5a4d-4c3b-8e7f-6a5d4c3b2a19',
  uri: 'https://example.com',
};

/** For a field of `@ApiProperty()`, which says no more than a type. */
function ofType({ type, format = '', enum: choices, maximum = 1, minLength = 1, ...rest }: Schema): unknown {
  const { minimum = Math.min(1, maximum) } = rest;
  const [first = 'null'] = [type ?? []].flat();
  const string = OF_FORMATS[format] ?? 'x'.repeat(minLength);
  const examples = { string, number: minimum, integer: minimum, boolean: true, array: [], object: {} };
  return choices?.[0] ?? (examples as Record<string, unknown>)[first] ?? null;
}
