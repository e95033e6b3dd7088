import { INT64_MAX, INT64_MIN } from '@animal-store/kernel';

interface Convertible {
  readonly '~standard'?: {
    readonly jsonSchema?: Readonly<Record<'input' | 'output', (options: object) => Record<string, unknown>>>;
  };
}

/** A bigint of zod, which has no JSON Schema for it. Its format has bounds. */
const INT64 = { type: 'integer', format: 'int64' };

interface OfZod {
  readonly zodSchema: {
    readonly type: string;
    readonly minValue?: bigint | null;
    readonly maxValue?: bigint | null;
  };
  readonly jsonSchema: object;
}
const OPTIONS_OF_ZOD = {
  unrepresentable: 'any',
  override: ({ zodSchema: { type, minValue, maxValue }, jsonSchema }: OfZod) => {
    if (type !== 'bigint') return;
    const [least, most] = [minValue ?? INT64_MIN, maxValue ?? INT64_MAX];
    Object.assign(jsonSchema, INT64, {
      // Texts here; `exact` makes them bigints.
      minimum: least > INT64_MIN ? `${least}` : undefined,
      maximum: most < INT64_MAX ? `${most}` : undefined,
    });
  },
};

/**
 * The JSON Schema of a `schema` (Standard JSON Schema), for the OpenAPI document; undefined for a schema without one. A
 * bigint of zod is an int64.
 */
export function jsonSchemaOf(schema: unknown, { schemaType }: { schemaType: 'input' | 'output' }) {
  const convert = (schema as Convertible)['~standard']?.jsonSchema?.[schemaType];
  if (!convert) return undefined;
  const { $defs = {}, ...own } = exact(convert({ target: 'draft-2020-12', libraryOptions: OPTIONS_OF_ZOD }));
  delete own['$schema'];
  return { schema: own, components: $defs as Record<string, object> };
}

/** The schema with the bounds of int64s as bigints: texts until then, because Zod turns its result into JSON. */
function exact(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if ((value as { format?: unknown } | null)?.format !== 'int64') return value;
    const bounds = Object.entries(value as object).map(([name, bound]: [string, unknown]) =>
      /^m(in|ax)imum$/.test(name) && typeof bound === 'string' ? [name, BigInt(bound)] : [name, bound],
    );
    return Object.fromEntries(bounds) as object;
  }) as Record<string, unknown>;
}
