import { isDeepStrictEqual } from 'node:util';

/** A JSON schema with only constructs that the fuzz suites can generate and check completely. */
export type Schema = { /** Its place in the document: `createPet body.name`. */ readonly place: string } & (
  | { readonly kind: 'choice'; readonly values: readonly unknown[] }
  | Text
  | Whole
  | Decimal
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  | List
  | Fields
  | Alternatives
);

export interface Text {
  readonly kind: 'text';
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength: number;
  readonly maxLength?: number;
}

export interface Whole {
  readonly kind: 'whole';
  readonly minimum: bigint;
  readonly maximum: bigint;
  readonly multipleOf: bigint;
}

/** A number with or without a fraction. */
export interface Decimal {
  readonly kind: 'decimal';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

export interface List {
  readonly kind: 'list';
  readonly items: Schema;
  readonly minItems: number;
  readonly maxItems?: number;
  readonly uniqueItems: boolean;
}

export interface Fields {
  readonly kind: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  /** The other fields that are allowed. The service refuses them unless the document allows them. */
  readonly others: Schema | 'any' | 'none';
}

export interface Alternatives {
  readonly kind: 'alternatives';
  readonly of: readonly Schema[];
  /** Whether a value must match only one of them. */
  readonly isExclusive: boolean;
}

/** A JSON schema as in the document, with whole numbers as bigints. */
type Raw = Readonly<Record<string, unknown>>;

/** A schema whose references are resolved, with the references that led to it. */
interface Flat {
  readonly raw: Raw;
  readonly within: readonly string[];
}

const ANNOTATIONS = [
  ...['title', 'description', 'example', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly'],
  ...['externalDocs', 'xml', 'discriminator'],
];
const OF_ANY_TYPE = ['type', 'nullable', 'enum', 'const', 'oneOf', 'anyOf', 'allOf', '$ref'];
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  string: ['format', 'pattern', 'minLength', 'maxLength'],
  integer: ['format', ...BOUNDS, 'multipleOf'],
  number: ['format', ...BOUNDS],
  boolean: [],
  null: [],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties'],
};
const KNOWN = new Set([...ANNOTATIONS, ...OF_ANY_TYPE, ...Object.values(OF_TYPE).flat()]);
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'date', 'uuid', 'email', 'uri', 'uri-reference'],
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** Reads the schemas of one document. */
export class SchemaReader {
  constructor(private readonly document: unknown) {}

  /** @throws Error with the place, for a construct that the fuzz suites would have to ignore */
  read(node: unknown, place: string): Schema {
    return this.readWithin([], node, place);
  }

  /** The target of a reference inside the document. */
  target($ref: string): unknown {
    const [, ...path] = $ref.split('/');
    return path.reduce((part, name) => (part as Record<string, unknown>)[name], this.document);
  }

  private readWithin(within: readonly string[], node: unknown, place: string): Schema {
    return this.known(this.flat({ raw: node as Raw, within }, place), place);
  }

  /** The schema with its references and `allOf` merged into it. */
  private flat({ raw, within }: Flat, place: string): Flat {
    const foreign = Object.keys(raw).find((keyword) => !KNOWN.has(keyword) && !keyword.startsWith('x-'));
    if (foreign !== undefined) throw notKnown(place, `"${foreign}"`);
    const { $ref, allOf = [], ...own } = raw as { $ref?: string; allOf?: Raw[] };
    let flat: Flat = { raw: own, within };
    if ($ref !== undefined) {
      if (within.includes($ref)) throw notKnown(place, `a schema that refers to itself, ${$ref},`);
      const target = { raw: this.target($ref) as Raw, within: [...within, $ref] };
      flat = joined(flat, this.flat(target, place), place);
    }
    return allOf.reduce<Flat>(
      (all, part) => joined(all, this.flat({ raw: part, within }, place), place),
      flat,
    );
  }

  private known({ raw, within }: Flat, place: string): Schema {
    const { nullable, oneOf, anyOf, ...rest } = raw as { nullable?: boolean; oneOf?: Raw[]; anyOf?: Raw[] };
    if (nullable) {
      const filled = this.known({ raw: { ...raw, nullable: false }, within }, place);
      return { place, kind: 'alternatives', of: [filled, { place, kind: 'null' }], isExclusive: false };
    }
    const of = oneOf ?? anyOf;
    if (of !== undefined) {
      const common = { raw: oneOf && anyOf ? { ...rest, anyOf } : rest, within };
      const each = of.map((one) => joined(common, this.flat({ raw: one, within }, place), place));
      return this.alternatives(each, place, oneOf !== undefined);
    }
    const {
      type,
      const: only,
      enum: values = only === undefined ? undefined : [only],
    } = rest as {
      type?: string | string[];
      const?: unknown;
      enum?: unknown[];
    };
    if (values !== undefined) return choice(values, place);
    if (!Array.isArray(type))
      return this.ofType(type ?? impliedType(rest, place), { raw: rest, within }, place);
    const each = type.map((one) => ({ raw: { ...keywordsOf(one, rest), type: one }, within }));
    return this.alternatives(each, place, false);
  }

  private alternatives(each: readonly Flat[], place: string, isExclusive: boolean): Schema {
    const of = each.map((one) => this.known(one, place));
    return of.length === 1 ? of[0]! : { place, kind: 'alternatives', of, isExclusive };
  }

  private ofType(type: string, { raw, within }: Flat, place: string): Schema {
    const keywords = OF_TYPE[type];
    if (keywords === undefined) throw notKnown(place, `the type "${type}"`);
    const foreign = Object.values(OF_TYPE)
      .flat()
      .find((keyword) => keyword in raw && !keywords.includes(keyword));
    if (foreign !== undefined) throw notKnown(place, `"${foreign}" of type ${type}`);
    const { format } = raw as { format?: string };
    if (format !== undefined && !FORMATS[type]!.includes(format))
      throw notKnown(place, `the format "${format}"`);
    switch (type) {
      case 'string':
        return { place, ...text(raw, place) };
      case 'integer':
        return { place, ...whole(raw, place) };
      case 'number':
        return { place, ...decimal(raw) };
      case 'array':
        return { place, ...this.list({ raw, within }, place) };
      case 'object':
        return { place, ...this.fields({ raw, within }, place) };
      default:
        return { place, kind: type as 'boolean' | 'null' };
    }
  }

  private list({ raw, within }: Flat, place: string): List {
    const {
      items,
      maxItems,
      uniqueItems = false,
    } = raw as {
      items?: unknown;
      maxItems?: bigint;
      uniqueItems?: boolean;
    };
    if (items === undefined) throw notKnown(place, 'a list of anything');
    return {
      kind: 'list',
      items: this.readWithin(within, items, `${place}[]`),
      minItems: Number(raw['minItems'] ?? 0),
      maxItems: maxItems === undefined ? undefined : Number(maxItems),
      uniqueItems,
    };
  }

  private fields({ raw, within }: Flat, place: string): Fields {
    const {
      properties = {},
      required = [],
      additionalProperties = false,
    } = raw as {
      properties?: Record<string, unknown>;
      required?: string[];
      additionalProperties?: unknown;
    };
    const read = Object.entries(properties).map(
      ([name, node]) => [name, this.readWithin(within, node, `${place}.${name}`)] as const,
    );
    return {
      kind: 'object',
      properties: Object.fromEntries(read),
      required,
      others: this.others(within, additionalProperties, place),
    };
  }

  private others(within: readonly string[], additionalProperties: unknown, place: string): Fields['others'] {
    if (typeof additionalProperties !== 'boolean') {
      return this.readWithin(within, additionalProperties, `${place}.*`);
    }
    return additionalProperties ? 'any' : 'none';
  }
}

/** The error for a construct that the fuzz suites do not know. */
export function notKnown(place: string, what: string): Error {
  return new Error(`${place}: the fuzz suites do not know ${what} yet.`);
}

/** A schema with the constraints of both schemas. */
function joined(one: Flat, other: Flat, place: string): Flat {
  const raw: Record<string, unknown> = { ...other.raw, ...one.raw };
  for (const keyword of Object.keys(one.raw).filter(
    (name) => name in other.raw && !ANNOTATIONS.includes(name),
  )) {
    raw[keyword] = both(keyword, one.raw[keyword], other.raw[keyword], place);
  }
  return { raw, within: [...new Set([...one.within, ...other.within])] };
}

function both(keyword: string, one: unknown, other: unknown, place: string): unknown {
  if (isDeepStrictEqual(one, other)) return one;
  if (keyword === 'required') return [...new Set([...(one as string[]), ...(other as string[])])];
  if (keyword !== 'properties') throw notKnown(place, `how to combine two of "${keyword}"`);
  const twice = Object.keys(one as Raw).find(
    (name) => name in (other as Raw) && !isDeepStrictEqual((one as Raw)[name], (other as Raw)[name]),
  );
  if (twice !== undefined) throw notKnown(`${place}.${twice}`, 'how to combine two of a field');
  return { ...(other as Raw), ...(one as Raw) };
}

function impliedType(raw: Raw, place: string): string {
  if ('properties' in raw || 'additionalProperties' in raw) return 'object';
  if ('items' in raw) return 'array';
  throw notKnown(place, 'a schema without a type');
}

function keywordsOf(type: string, raw: Raw): Raw {
  const entries = Object.entries(raw).filter(([keyword]) => OF_TYPE[type]?.includes(keyword));
  return Object.fromEntries(entries);
}

function choice(values: readonly unknown[], place: string): Schema {
  if (values.some((value) => typeof value === 'object' && value !== null)) {
    throw notKnown(place, 'a choice among lists or objects');
  }
  return { place, kind: 'choice', values };
}

function text(raw: Raw, place: string): Text {
  const {
    format,
    pattern,
    minLength = 0n,
    maxLength,
  } = raw as {
    format?: string;
    pattern?: string;
    minLength?: bigint;
    maxLength?: bigint;
  };
  if (format !== undefined && pattern !== undefined)
    throw notKnown(place, 'a format together with a pattern');
  const longest = maxLength === undefined ? undefined : Number(maxLength);
  return { kind: 'text', format, pattern, minLength: Number(minLength), maxLength: longest };
}

function whole(raw: Raw, place: string): Whole {
  for (const keyword of [...BOUNDS, 'multipleOf']) {
    if (typeof (raw[keyword] ?? 0n) !== 'bigint') throw notKnown(place, `a fraction as "${keyword}"`);
  }
  const bounds = raw as Readonly<Record<string, bigint | undefined>>;
  const bits = raw['format'] === 'int32' ? 31n : 63n;
  const { minimum = -(2n ** bits), maximum = 2n ** bits - 1n, multipleOf = 1n } = bounds;
  const { exclusiveMinimum = minimum - 1n, exclusiveMaximum = maximum + 1n } = bounds;
  return {
    kind: 'whole',
    minimum: exclusiveMinimum >= minimum ? exclusiveMinimum + 1n : minimum,
    maximum: exclusiveMaximum <= maximum ? exclusiveMaximum - 1n : maximum,
    multipleOf,
  };
}

function decimal(raw: Raw): Decimal {
  const bound = (keyword: string) => (raw[keyword] === undefined ? undefined : Number(raw[keyword]));
  return {
    kind: 'decimal',
    minimum: bound('minimum'),
    maximum: bound('maximum'),
    exclusiveMinimum: bound('exclusiveMinimum'),
    exclusiveMaximum: bound('exclusiveMaximum'),
  };
}
