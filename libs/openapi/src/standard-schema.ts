import { INT64_MAX, INT64_MIN } from '@animal-store/kernel';

interface Convertible {
  readonly '~standard'?: {
    readonly jsonSchema?: Readonly<Record<'input' | 'output', (options: object) => Record<string, unknown>>>;
  };
}

interface OfZod {
  readonly zodSchema: {
    readonly type: string;
    readonly minValue?: bigint | null;
    readonly maxValue?: bigint | null;
  };
  readonly jsonSchema: object;
}

/**
 * The JSON Schema of a `schema` (Standard JSON Schema), for the OpenAPI document. A bigint is an int64: JSON Schema has no
 * type for it, so zod refuses it unless it is told what it becomes. Undefined for a schema that says none.
 */
export function jsonSchemaOf(schema: unknown, { schemaType }: { schemaType: 'input' | 'output' }) {
  const convert = (schema as Convertible)['~standard']?.jsonSchema?.[schemaType];
  if (!convert) return undefined;
  const libraryOptions = {
    unrepresentable: 'any',
    override: ({ zodSchema: { type, minValue, maxValue }, jsonSchema }: OfZod) => {
      const bounds = { minimum: `${minValue ?? INT64_MIN}`, maximum: `${maxValue ?? INT64_MAX}` };
      if (type === 'bigint') Object.assign(jsonSchema, { type: 'integer', format: 'int64', ...bounds });
    },
  };
  const { $defs = {}, ...own } = exact(convert({ target: 'draft-2020-12', libraryOptions }));
  delete own['$schema'];
  return { schema: own, components: $defs as Record<string, object> };
}

/** With the bounds of int64s as bigints. zod turns its result into JSON, where they have to be text. */
function exact(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    const { format, minimum, maximum } = (value ?? {}) as Record<string, string>;
    if (format !== 'int64' || typeof minimum !== 'string') return value;
    return { ...(value as object), minimum: BigInt(minimum), maximum: BigInt(maximum!) };
  }) as Record<string, unknown>;
}
