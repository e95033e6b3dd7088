import { TransformationType, type TransformFnParams } from 'class-transformer';
// class-transformer has no public API for the metadata of its decorators. @nestjs/mapped-types reads the same file.
import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, ValidationTypes, type ValidatorConstraintInterface } from 'class-validator';
import { oncePer } from '@animal-store/kernel/http';
import { IS_INT64, LIST_BOUNDS, TEXT } from './rules.js';

/** JSON has types; a query string and a path have only text. */
export type Source = 'json' | 'text';

export type DtoType = new () => object;
export type Values = Record<string, unknown>;

type Storage = ReturnType<typeof getMetadataStorage>;
type Metadata = ReturnType<Storage['getTargetValidationMetadatas']>[number];
type TypeMetadata = NonNullable<ReturnType<typeof transformations.findTypeMetadata>>;

/** A constraint of a field. */
export class Check {
  private found: ValidatorConstraintInterface | null = null;

  constructor(
    readonly metadata: Metadata,
    private readonly declared: ReturnType<Storage['getTargetValidatorConstraints']>[number],
  ) {}

  /** The instance, by the container that `useContainer()` sets, which a module may call while it starts. */
  get constraint(): ValidatorConstraintInterface {
    return (this.found ??= this.declared.instance);
  }
}

export interface DtoField {
  readonly name: string;
  /** That of `@Expose()`, in the JSON. */
  readonly exposedAs?: string;
  /** What `@Type()` makes of the value. */
  readonly convert: ((value: unknown) => unknown) | null;
  /** The functions of `@Transform()`. */
  readonly transform: Readonly<Record<Source, readonly ((params: TransformFnParams) => unknown)[]>>;
  /** Of `@IsOptional()`, `@ValidateIf()` and PartialType: when one of these is false, nothing is checked. */
  readonly conditions: readonly ((object: object, value: unknown) => boolean)[];
  readonly checks: readonly Check[];
  /** The class of `@Type()`, whose rules `@ValidateNested()` checks. */
  readonly nested: DtoType | null;
  readonly isInt64: boolean;
  readonly isList: boolean;
  /** The largest number of items of a list, from its rules. */
  readonly maxItems?: number;
}

export interface Dto {
  readonly type: DtoType;
  /** Each field with a decorator of class-validator, in the order of declaration. */
  readonly fields: ReadonlyMap<string, DtoField>;
  /** The values of `fields`: a loop over an array creates no objects. */
  readonly inOrder: readonly DtoField[];
  /** Whether it is flat. Otherwise Nest's pipe reads it: nested classes, `@Expose()`, promises. */
  isFlat: boolean;
}

const BUILT_IN: readonly unknown[] = [
  ...[Object, String, Number, Boolean, BigInt, Symbol, Date],
  ...[Array, Map, Set, Buffer, Function, Promise],
];

/** Whether a declared type is a class of the application. One of nestjs-zod belongs to the pipe of that package. */
export function isDtoType(type: unknown): type is DtoType {
  const isClass = typeof type === 'function' && type.prototype !== undefined;
  return isClass && !BUILT_IN.includes(type) && !('isZodDto' in type);
}

export const dtoOf = oncePer(compile);

/** Reads once what class-validator and class-transformer store of a class, PartialType and its like included. */
function compile(type: DtoType): Dto {
  const all = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = [...new Set(all.map(({ propertyName }) => propertyName))];
  const ofField = (name: string) => all.filter(({ propertyName }) => propertyName === name);
  const fields = names.map((name) => fieldOf(type, name, ofField(name)));
  const shown = [...transformations.getExposedMetadatas(type), ...transformations.getExcludedMetadatas(type)];
  return {
    type,
    fields: new Map(fields.map((field) => [field.name, field])),
    inOrder: fields,
    isFlat:
      names.length > 0 &&
      shown.length === 0 &&
      transformations.getStrategy(type) !== 'excludeAll' &&
      names.every((name) => isFlat(type, name, ofField(name))),
  };
}

function fieldOf(type: DtoType, name: string, all: readonly Metadata[]): DtoField {
  const conditional = all.filter((one) => one.type === ValidationTypes.CONDITIONAL_VALIDATION);
  const decorators = transformations.findTransformMetadatas(type, name, TransformationType.PLAIN_TO_CLASS);
  const transformOf = (group: string | null) =>
    decorators.flatMap(({ transformFn, options }) => {
      const groups = options?.groups ?? [];
      return groups.length === 0 || (group !== null && groups.includes(group)) ? [transformFn] : [];
    });
  const bounds = all.find(({ name: rule }) => rule === LIST_BOUNDS || rule === 'arrayMaxSize');
  return {
    name,
    exposedAs: transformations.findExposeMetadata(type, name)?.options.name,
    convert: converterOf(type, name),
    transform: { json: transformOf(null), text: transformOf(TEXT) },
    conditions: conditional.map((one) => (one.constraints as DtoField['conditions'])[0]!),
    checks: all.flatMap((metadata) =>
      constraintsOf(metadata).map((declared) => new Check(metadata, declared)),
    ),
    nested: nestedIn(type, name, all),
    isInt64: all.some(({ name: rule }) => rule === IS_INT64),
    isList: all.some(
      ({ each, name: rule }) => each || rule === LIST_BOUNDS || /^(isA|a)rray/.test(rule ?? ''),
    ),
    maxItems: (bounds?.constraints as number[] | undefined)?.[0],
  };
}

/** Whether the conditions of a field let it be `value` without a check. */
export function accepts(value: null | undefined, { name, conditions }: DtoField): boolean {
  return conditions.some((applies) => !applies({ [name]: value }, value));
}

function nestedIn(type: DtoType, name: string, all: readonly Metadata[]): DtoType | null {
  const { typeFunction } = transformations.findTypeMetadata(type, name) ?? {};
  const isNested = all.some((one) => one.type === ValidationTypes.NESTED_VALIDATION);
  // One with a parameter decides by the object.
  const declared: unknown = isNested && typeFunction?.length === 0 ? typeFunction() : null;
  return isDtoType(declared) ? declared : null;
}

function constraintsOf({ constraintCls }: Metadata) {
  return constraintCls ? getMetadataStorage().getTargetValidatorConstraints(constraintCls) : [];
}

function isFlat(type: DtoType, name: string, all: readonly Metadata[]): boolean {
  const { NESTED_VALIDATION, PROMISE_VALIDATION } = ValidationTypes;
  const isOwn = ({ type: kind }: Metadata) => kind !== NESTED_VALIDATION && kind !== PROMISE_VALIDATION;
  // class-transformer does not assign to a method or a getter of the class.
  if (name in type.prototype || !all.every(isOwn)) return false;
  if (all.some((metadata) => constraintsOf(metadata).some(({ async }) => async))) return false;
  return !transformations.findTypeMetadata(type, name) || converterOf(type, name) !== null;
}

/** The conversions of class-transformer, by declared type. */
const CONVERTERS = new Map<unknown, (value: never) => unknown>([
  [String, String],
  [Number, Number],
  [Boolean, Boolean],
  [Date, (value: string) => new Date(value)],
]);

function converterOf(type: DtoType, name: string): DtoField['convert'] {
  const made = transformations.findTypeMetadata(type, name);
  // A type function with a parameter decides by the object, so it has no type here.
  const declared = made?.typeFunction?.length === 0 ? made.typeFunction() : undefined;
  const convert = CONVERTERS.get(declared) as ((value: unknown) => unknown) | undefined;
  // A list may be declared as a Set.
  if (!made || !convert || made.options.discriminator || CONTAINERS.includes(made.reflectedType)) return null;
  return function each(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(each);
    return value === null || value === undefined ? value : convert(value);
  };
}

const CONTAINERS: readonly unknown[] = [Set, Map];

/**
 * The path of a number that would lose digits as a number of JavaScript, at any depth. The JSON parser makes a bigint
 * of it, which is for int64s.
 */
export function longNumber(
  value: unknown,
  path: string,
  typeOf: (object: Values) => unknown = noType,
): string | null {
  if (typeof value === 'bigint') return path;
  if (typeof value !== 'object' || value === null) return null;
  const type = Array.isArray(value) ? undefined : typeOf(value as Values);
  for (const [name, item] of Object.entries(value)) {
    const found = Array.isArray(value)
      ? longNumber(item, `${path}[${name}]`, typeOf)
      : longNumberIn(type, value as Values, name, path === '' ? name : `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

function noType(): undefined {}

function longNumberIn(type: unknown, object: Values, sentName: string, path: string): string | null {
  if (!isDtoType(type)) return longNumber(object[sentName], path);
  const exposed = transformations.findExposeMetadataByCustomName(type, sentName);
  const name = exposed?.propertyName ?? sentName;
  if (dtoOf(type).fields.get(name)?.isInt64) return null;
  const nested = transformations.findTypeMetadata(type, name);
  return longNumber(object[sentName], path, (item) => nested && nestedType(nested, item, object));
}

function nestedType({ options, typeFunction, propertyName }: TypeMetadata, item: Values, object: Values) {
  const { discriminator } = options;
  const subtype = discriminator?.subTypes.find(({ name }) => name === item[discriminator.property]);
  return subtype?.value ?? typeFunction?.({ newObject: {}, object, property: propertyName });
}
