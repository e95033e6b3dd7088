import { parseInt64 } from '../../shared/int64.js';
import { type DtoField, type DtoShape, type DtoType, isDtoType, type Scalar, shapeOf } from './dto-shape.js';
import { wholeNumber } from './int64.transform.js';

/** JSON has types of its own; a query string and a path have only text. */
export type Source = 'json' | 'text';

type Fields = Record<string, unknown>;

/** Deeper than anything that is worth sending; class-transformer would run out of stack somewhere. */
const MAX_DEPTH = 32;
/** Others go unsaid: a body of nothing else would be answered with more than was sent. */
const MAX_UNKNOWN = 5;
const MAX_NAME_CHARACTERS = 64;

/** Names that mean something else in JavaScript: class-transformer drops them in silence. */
const FORBIDDEN = ['__proto__', 'constructor'];

/**
 * What was sent, with every number and boolean as its field declares it, and the problems that class-transformer and
 * class-validator would not see. What they are given is a copy without the fields that have such a problem.
 */
export class SentValues {
  /** By the path of the field, which needs no other problem then. */
  readonly problems = new Map<string, string>();
  /** Better words for what class-validator may find wrong, by the path of the value. */
  readonly hints = new Map<string, string>();
  readonly unknown: string[] = [];

  constructor(private readonly source: Source) {}

  /** @param root the path of what was sent: empty for a whole body or query */
  prepare(sent: object, type: DtoType, root: string): object {
    return this.fieldsOf(sent as Fields, shapeOf(type), root, 0, null);
  }

  private fieldsOf(
    sent: Readonly<Fields>,
    { fields }: DtoShape,
    path: string,
    depth: number,
    discriminator: string | null,
  ): Fields {
    const prepared: Fields = {};
    for (const [name, value] of Object.entries(sent)) {
      const field = fields.get(name);
      if (field) {
        const fieldPath = path === '' ? name : `${path}.${name}`;
        const ready = this.fieldValue(field, value, sent, fieldPath, depth);
        if (!this.problems.has(fieldPath)) prepared[name] = ready;
      } else if (name === discriminator) {
        prepared[name] = value;
      } else {
        this.notKnown(name, path, [...fields.keys()]);
      }
    }
    return prepared;
  }

  private fieldValue(
    field: DtoField,
    value: unknown,
    holder: Readonly<Fields>,
    path: string,
    depth: number,
  ): unknown {
    if (field.isTransformed && this.source === 'text') return value;
    if (this.source === 'text') return this.textValue(field, value, holder, path);
    const problem = field.isTransformed ? null : problemOfKind(field, value);
    if (problem) {
      this.problems.set(path, `${path} ${problem}`);
      return undefined;
    }
    if (typeof value !== 'object' || value === null) {
      this.hint(field.scalar, value, path);
      return declaredScalar(field, value, this.source, holder);
    }
    return this.nested(field, value, holder, path, depth + 1);
  }

  private textValue(field: DtoField, value: unknown, holder: Readonly<Fields>, path: string): unknown {
    if (Array.isArray(value)) {
      if (field.takesSeveral)
        return value.map((item) => scalarValue(field.itemScalar, item, 'text', value, ''));
      this.problems.set(path, `${path} must be given once`);
      return undefined;
    }
    if (field.declared === Array) return [scalarValue(field.itemScalar, value, 'text', holder, '')];
    const ready = declaredScalar(field, value, 'text', holder);
    if (field.scalar === 'boolean' && typeof ready !== 'boolean') {
      this.problems.set(path, `${path} must be true or false`);
    }
    return ready;
  }

  /** An object or array in a field. */
  private nested(field: DtoField, value: object, holder: object, path: string, depth: number): unknown {
    if (depth > MAX_DEPTH) return this.tooDeep(path);
    if (Array.isArray(value)) {
      return value.map((item: unknown, index) => {
        const itemPath = `${path}[${index}]`;
        if (typeof item === 'object' && item !== null)
          return this.nested(field, item, holder, itemPath, depth + 1);
        this.hint(field.itemScalar, item, itemPath);
        return scalarValue(field.itemScalar, item, 'json', value, String(index), isOpen(field));
      });
    }
    const { type, discriminator } = field.typeFor?.(holder, value) ?? {
      type: undefined,
      discriminator: null,
    };
    if (field.declared === Map) return this.entriesOf(value as Fields, type, path, depth);
    return isDtoType(type)
      ? this.fieldsOf(value as Fields, shapeOf(type), path, depth, discriminator)
      : this.anything(value, path, depth);
  }

  private entriesOf(value: Fields, type: unknown, path: string, depth: number): Fields {
    const entries: Fields = {};
    for (const [name, entry] of Object.entries(value)) {
      const entryPath = `${path}.${name}`;
      const isDto = isDtoType(type) && typeof entry === 'object' && entry !== null;
      if (FORBIDDEN.includes(name)) this.notKnown(name, path, []);
      else if (isDto)
        entries[name] = this.fieldsOf(entry as Fields, shapeOf(type), entryPath, depth + 1, null);
      else entries[name] = this.anything(entry, entryPath, depth + 1);
    }
    return entries;
  }

  /** What no class describes: as it was sent. */
  private anything(value: unknown, path: string, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) return this.tooDeep(path);
    if (Array.isArray(value)) {
      return value.map((item, index) => this.anything(item, `${path}[${index}]`, depth + 1));
    }
    const copy: Fields = {};
    for (const [name, item] of Object.entries(value)) {
      if (FORBIDDEN.includes(name)) this.notKnown(name, path, []);
      else copy[name] = this.anything(item, `${path}.${name}`, depth + 1);
    }
    return copy;
  }

  private tooDeep(path: string): undefined {
    this.problems.set(path, `${path} nests too deeply`);
  }

  private hint(scalar: Scalar | null, value: unknown, path: string): void {
    if (scalar === null || typeof value !== 'string') return;
    const kind = scalar === 'boolean' ? 'true or false' : 'a JSON number';
    this.hints.set(path, `${path} must be ${kind}, without quotes`);
  }

  private notKnown(name: string, path: string, known: readonly string[]): void {
    if (this.unknown.length === MAX_UNKNOWN) return;
    const what = this.source === 'json' ? 'field' : 'parameter';
    const where = path === '' ? 'here' : `of ${path}`;
    const list = known.length > 0 ? ` (known: ${known.join(', ')})` : '';
    this.unknown.push(
      `${JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS))} is not a ${what} ${where}${list}`,
    );
  }
}

/** The value of a field as the field declares it, where what was sent says the same; otherwise as it was sent. */
export function declaredScalar(field: DtoField, value: unknown, source: Source, holder: object): unknown {
  return scalarValue(field.scalar, value, source, holder, field.name, isOpen(field));
}

function scalarValue(
  scalar: Scalar | null,
  value: unknown,
  source: Source,
  holder: object,
  key: string,
  keepsBigints = true,
): unknown {
  if (typeof value === 'string') return source === 'text' ? fromText(scalar, value) : value;
  if (scalar === 'int64') {
    return wholeNumber(value, holder, key);
  }
  // As JSON.parse would have read it.
  return typeof value === 'bigint' && (scalar !== null || !keepsBigints) ? Number(value) : value;
}

/** Plain decimals: what JavaScript would also take for a number may be anything from a mistake to nothing at all. */
const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

function fromText(scalar: Scalar | null, text: string): unknown {
  if (scalar === 'int64') return parseInt64(text) ?? text;
  if (scalar === 'integer') return INTEGER.test(text) ? Number(text) : text;
  if (scalar === 'number') return DECIMAL.test(text) ? Number(text) : text;
  if (scalar === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A field of which nothing tells what it holds, so that a number too large for JavaScript's stays the bigint it is. */
function isOpen({ declared, typeFor }: DtoField): boolean {
  return typeFor === null && (declared === Object || declared === Array || declared === undefined);
}

/** class-validator checks an array's items where it expects an object, and an object where it expects an array. */
function problemOfKind({ declared, typeFor, takesSeveral }: DtoField, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (declared === Array) return Array.isArray(value) ? null : 'must be an array';
  const isOne = typeFor !== null && typeof declared === 'function' && declared !== Object && !takesSeveral;
  return isOne && Array.isArray(value) ? 'must not be an array' : null;
}
