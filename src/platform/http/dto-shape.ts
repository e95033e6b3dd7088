import { TransformationType, Type as NestedType, type TypeHelpOptions } from 'class-transformer';
import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, registerDecorator, ValidationTypes } from 'class-validator';
import { toInt64 } from './int64.transform.js';

export type DtoType = new () => object;
export type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
/** The types that JSON or text represent differently from the class. */
export type Scalar = 'int64' | 'integer' | 'number' | 'boolean';

/** What the declaration and the decorators of a field accept. */
export interface DtoField {
  readonly property: string;
  /** Its name in the input, which `@Expose({ name })` may change. */
  readonly name: string;
  readonly scalar: Scalar | null;
  /** The type of each item, when the field has several. */
  readonly itemScalar: Scalar | null;
  /** The declared type; `Object` when the compiler emits no more than that. */
  readonly declared: unknown;
  readonly takesSeveral: boolean;
  /** A field with `@Transform` gets the input unchanged. */
  readonly isTransformed: boolean;
  /** A cursor is read, and never stored. */
  readonly isCursor: boolean;
  /** The type that `@Type` names for this value, if any. */
  readonly typeFor: ((holder: object, value: unknown) => NamedType) | null;
}

interface NamedType {
  readonly type: unknown;
  /** The field that distinguishes the types, which is not a field of any of them. */
  readonly discriminator: string | null;
}

/** The input that a DTO accepts. */
export interface DtoShape {
  /**
   * Fields by their name in the input. Only properties with a validation rule are fields, and none that `@Exclude`
   * names.
   */
  readonly fields: ReadonlyMap<string, DtoField>;
  readonly rules: readonly Rule[];
}

const BUILT_IN: readonly unknown[] = [
  Object,
  String,
  Number,
  Boolean,
  BigInt,
  Symbol,
  Date,
  Array,
  Map,
  Set,
  Buffer,
  Function,
  Promise,
];

/** Whether a declared type is a class of the application. */
export function isDtoType(type: unknown): type is DtoType {
  return typeof type === 'function' && type.prototype !== undefined && !BUILT_IN.includes(type);
}

const shapes = new WeakMap<DtoType, DtoShape>();

/** @throws Error when a field has `@ValidateNested` but no type */
export function shapeOf(type: DtoType): DtoShape {
  let shape = shapes.get(type);
  if (!shape) {
    shape = readShape(type);
    shapes.set(type, shape);
  }
  return shape;
}

function readShape(type: DtoType): DtoShape {
  const storage = getMetadataStorage();
  const rules = storage.getTargetValidationMetadatas(type, '', false, false);
  const excluded = transformations.getExcludedProperties(type, TransformationType.PLAIN_TO_CLASS);
  const fields = new Map<string, DtoField>();
  for (const [property, ofProperty] of Object.entries(storage.groupByPropertyName(rules))) {
    if (excluded.includes(property)) continue;
    const field = readField(type, property, ofProperty);
    fields.set(field.name, field);
  }
  return { fields, rules };
}

function readField(type: DtoType, property: string, rules: readonly Rule[]): DtoField {
  const declared: unknown = Reflect.getMetadata('design:type', type.prototype as object, property);
  const isTransformed = transformations
    .findTransformMetadatas(type, property, TransformationType.PLAIN_TO_CLASS)
    // What @IsInt64() does behind other pipes is done here already.
    .some(({ transformFn }) => transformFn !== toInt64);
  const nested = rules.find((rule) => rule.type === ValidationTypes.NESTED_VALIDATION);
  if (nested) {
    if (!isTransformed) requireType(type, property, declared);
    requireValue(type, property, nested);
  }
  const { name = property } = transformations.findExposeMetadata(type, property)?.options ?? {};
  const ofItems = rules.filter((rule) => rule.each);
  return {
    property,
    name,
    scalar: scalarOf(
      declared,
      rules.filter((rule) => !rule.each),
    ),
    itemScalar: scalarOf(null, ofItems),
    declared,
    takesSeveral: declared === Array || declared === Set || ofItems.length > 0,
    isTransformed,
    isCursor: rules.some((rule) => rule.name === CURSOR_RULE),
    typeFor: typeReader(type, property),
  };
}

/** Without a type class-transformer creates no instance, so class-validator finds no rules for it. */
function requireType(type: DtoType, property: string, declared: unknown): void {
  if (transformations.findTypeMetadata(type, property)) return;
  if (!isDtoType(declared)) {
    throw new Error(
      `${type.name}.${property} has @ValidateNested() without @Type(() => …), which names the class of the nested object.`,
    );
  }
  NestedType(() => declared)(type.prototype as object, property);
}

/**
 * class-validator accepts a missing nested object, although every other rule requires a value without `@IsOptional()`.
 */
function requireValue(type: DtoType, property: string, { groups, always }: Rule): void {
  registerDecorator({
    name: 'isRequired',
    target: type,
    propertyName: property,
    options: { message: `${property} is required`, groups, always },
    validator: { validate: (value) => value !== undefined },
  });
}

/** The name of the rule of `@PageCursor()`. */
export const CURSOR_RULE = 'isCursor';
const INT64_RULES = ['isInt64'];
const INTEGER_RULES = ['isInt'];
const NUMBER_RULES = ['isNumber', 'min', 'max', 'isPositive', 'isNegative', 'isDivisibleBy'];
const BOOLEAN_RULES = ['isBoolean'];

/** The rules are checked first, as not every compiler resolves an alias in a declared type. */
function scalarOf(declared: unknown, rules: readonly Rule[]): Scalar | null {
  const hasOne = (names: readonly string[]) => rules.some(({ name }) => names.includes(name ?? ''));
  if (declared === BigInt || hasOne(INT64_RULES)) return 'int64';
  if (hasOne(INTEGER_RULES)) return 'integer';
  if (declared === Number || hasOne(NUMBER_RULES)) return 'number';
  if (declared === Boolean || hasOne(BOOLEAN_RULES)) return 'boolean';
  return null;
}

function typeReader(type: DtoType, property: string): DtoField['typeFor'] {
  const metadata = transformations.findTypeMetadata(type, property);
  if (!metadata) return null;
  const { discriminator } = metadata.options ?? {};
  return (holder, value) => {
    const options: TypeHelpOptions = { newObject: {}, object: holder as Record<string, unknown>, property };
    const named: unknown = metadata.typeFunction?.(options) ?? metadata.reflectedType;
    if (!discriminator) return { type: named, discriminator: null };
    const { keepDiscriminatorProperty = false } = metadata.options;
    const kind = (value as Record<string, unknown> | null)?.[discriminator.property];
    const chosen = discriminator.subTypes.find(({ name }) => name === kind);
    return {
      type: chosen?.value ?? named,
      discriminator: keepDiscriminatorProperty ? null : discriminator.property,
    };
  };
}
