import { INT64_MAX, INT64_MIN } from '@animal-store/kernel';

interface Convertible {
  readonly '~standard'?: {
    readonly jsonSchema?: Readonly<Record<'input' | 'output', (options: object) => Record<string, unknown>>>;
  };
}

/** A bigint in the words of each library, which knows no JSON Schema for it. The bounds become bigints in the end. */
const INT64 = { type: 'integer', format: 'int64', minimum: `${INT64_MIN}`, maximum: `${INT64_MAX}` };

interface OfZod {
  readonly zodSchema: {
    readonly type: string;
    readonly minValue?: bigint | null;
    readonly maxValue?: bigint | null;
  };
  readonly jsonSchema: object;
}
interface OfValibot {
  readonly valibotSchema: { readonly type: string };
}
interface OfArktype {
  readonly base: object;
  readonly domain?: string;
}

const OPTIONS_OF_ZOD = {
  unrepresentable: 'any',
  override: ({ zodSchema: { type, minValue, maxValue }, jsonSchema }: OfZod) => {
    const { minimum, maximum } = INT64;
    const bounds = { minimum: `${minValue ?? minimum}`, maximum: `${maxValue ?? maximum}` };
    if (type === 'bigint') Object.assign(jsonSchema, INT64, bounds);
  },
};
const OPTIONS_OF_VALIBOT = {
  errorMode: 'ignore',
  overrideSchema: ({ valibotSchema: { type } }: OfValibot) => (type === 'bigint' ? INT64 : undefined),
};
const OPTIONS_OF_ARKTYPE = {
  fallback: {
    domain: ({ base, domain }: OfArktype) => (domain === 'bigint' ? INT64 : base),
    default: ({ base }: OfArktype) => base,
  },
};
const LIBRARY_OPTIONS = { ...OPTIONS_OF_ZOD, ...OPTIONS_OF_VALIBOT, ...OPTIONS_OF_ARKTYPE };

/**
 * The JSON Schema of a `schema` (Standard JSON Schema), for the OpenAPI document. A bigint is an int64. Undefined for a
 * schema that says none.
 */
export function jsonSchemaOf(schema: unknown, { schemaType }: { schemaType: 'input' | 'output' }) {
  const convert = (schema as Convertible)['~standard']?.jsonSchema?.[schemaType];
  if (!convert) return undefined;
  const { $defs = {}, ...own } = exact(convert({ target: 'draft-2020-12', libraryOptions: LIBRARY_OPTIONS }));
  delete own['$schema'];
  return { schema: own, components: $defs as Record<string, object> };
}

/** With the bounds of int64s as bigints. The libraries turn their results into JSON, where they have to be text. */
function exact(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    const { format, minimum, maximum } = (value ?? {}) as Record<string, string>;
    if (format !== 'int64' || typeof minimum !== 'string') return value;
    return { ...(value as object), minimum: BigInt(minimum), maximum: BigInt(maximum!) };
  }) as Record<string, unknown>;
}
