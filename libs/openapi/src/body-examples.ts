import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly minLength?: number;
  readonly $ref?: string;
  readonly example?: unknown;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Gives each JSON body an example, of those of its fields and its own: tools that import the document send it. */
export function addBodyExamples({ requestBody, responses }: Operation, schemas: Schemas): void {
  for (const body of [requestBody, ...Object.values(responses)]) {
    const media = body && 'content' in body ? body.content?.['application/json'] : undefined;
    if (!media?.schema || media.examples) continue;
    const own: unknown = media.example;
    const ofFields = exampleOf(media.schema, schemas);
    const isPart = typeof own === 'object' && !Array.isArray(own);
    media.example = isPart ? { ...(ofFields as object), ...own } : (own ?? ofFields);
  }
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

const DATES: Readonly<Record<string, string>> = {
  date: '2027-01-31',
  'date-time': '2027-01-31T09:30:00.000Z',
};

/** For a field of `@ApiProperty()`, which says no more than a type. */
function ofType({ type, format, enum: choices, minimum = 1, minLength = 1 }: Schema): unknown {
  const [first = 'null'] = [type ?? []].flat();
  const string = DATES[format ?? ''] ?? 'x'.repeat(minLength);
  const examples = { string, number: minimum, integer: minimum, boolean: true, array: [], object: {} };
  return choices?.[0] ?? (examples as Record<string, unknown>)[first] ?? null;
}
