import { parseInt64 } from '@animal-store/kernel';
import { type DtoField, type DtoShape, type DtoType, isDtoType, type Scalar, shapeOf } from './dto-shape.js';
import { wholeNumber } from './int64.transform.js';
import { unstorableTextProblem } from './storable-text.js';

/** JSON has types; a query string and a path have only text. */
export type Source = 'json' | 'text';

type Fields = Record<string, unknown>;

/** Deeper than any useful input. class-transformer would overflow the stack at some depth. */
const MAX_DEPTH = 32;
/** The number of unknown fields that a message names. Otherwise the response could be longer than the request. */
const MAX_UNKNOWN = 5;
const MAX_NAME_CHARACTERS = 64;

/** Names with a special meaning in JavaScript, which class-transformer silently drops. */
const FORBIDDEN = ['__proto__', 'constructor'];

/**
 * Converts every number and boolean of the input to the type of its field, and finds the problems that
 * class-transformer and class-validator do not see. They get a copy without the fields that have such a problem.
 */
export class InputReader {
  /** Problems by the path of the field. A field with one gets no further message. */
  readonly problems = new Map<string, string>();
  /** Better messages than those of class-validator, by the path of the value. */
  readonly hints = new Map<string, string>();
  /** Problems of texts that no database stores, by path. A rule of the field may have a better message. */
  readonly unstorable = new Map<string, string>();
  readonly unknown: string[] = [];

  constructor(private readonly source: Source) {}

  /** @param root the path of the input: empty for a whole body or query */
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
    if (!field.isCursor) this.checkText(value, path);
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
      if (field.takesSeveral) {
        return value.map((item, index) => {
          this.checkText(item, `${path}[${index}]`);
          return scalarValue(field.itemScalar, item, 'text', value, '');
        });
      }
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
        this.checkText(item, itemPath);
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
      this.checkText(name, path);
      const entryPath = `${path}.${name}`;
      const isDto = isDtoType(type) && typeof entry === 'object' && entry !== null;
      if (FORBIDDEN.includes(name)) this.notKnown(name, path, []);
      else if (isDto)
        entries[name] = this.fieldsOf(entry as Fields, shapeOf(type), entryPath, depth + 1, null);
      else entries[name] = this.anything(entry, entryPath, depth + 1);
    }
    return entries;
  }

  /** A value that no class describes: copied unchanged. */
  private anything(value: unknown, path: string, depth: number): unknown {
    this.checkText(value, path);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) return this.tooDeep(path);
    if (Array.isArray(value)) {
      return value.map((item, index) => this.anything(item, `${path}[${index}]`, depth + 1));
    }
    const copy: Fields = {};
    for (const [name, item] of Object.entries(value)) {
      this.checkText(name, path);
      if (FORBIDDEN.includes(name)) this.notKnown(name, path, []);
      else copy[name] = this.anything(item, `${path}.${name}`, depth + 1);
    }
    return copy;
  }

  private tooDeep(path: string): undefined {
    this.problems.set(path, `${path} nests too deeply`);
  }

  private checkText(value: unknown, path: string): void {
    const problem = typeof value === 'string' ? unstorableTextProblem(value) : null;
    if (problem) this.unstorable.set(path, `${path} ${problem}`);
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

/**
 * Converts a value to the type that its field declares, when it represents one. Otherwise the value stays unchanged.
 */
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
  // The number that JSON.parse would have returned.
  return typeof value === 'bigint' && (scalar !== null || !keepsBigints) ? Number(value) : value;
}

/** Only plain decimals. Other texts that JavaScript accepts as numbers are probably mistakes. */
const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

function fromText(scalar: Scalar | null, text: string): unknown {
  if (scalar === 'int64') return parseInt64(text) ?? text;
  if (scalar === 'integer') return INTEGER.test(text) ? Number(text) : text;
  if (scalar === 'number') return DECIMAL.test(text) ? Number(text) : text;
  if (scalar === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A field without a known type. Numbers that are too large for a JavaScript number stay bigints in it. */
function isOpen({ declared, typeFor }: DtoField): boolean {
  return typeFor === null && (declared === Object || declared === Array || declared === undefined);
}

/** class-validator checks the items of an array where it expects an object, and an object where it expects an array. */
function problemOfKind({ declared, typeFor, takesSeveral }: DtoField, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (declared === Array) return Array.isArray(value) ? null : 'must be an array';
  const isOne = typeFor !== null && typeof declared === 'function' && declared !== Object && !takesSeveral;
  return isOne && Array.isArray(value) ? 'must not be an array' : null;
}
