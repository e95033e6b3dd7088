import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';
import { toInt64 } from './validation.js';

export type DtoType = new () => object;
type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** The types that JSON or text represent differently from the class. */
export type Scalar = 'int64' | 'integer' | 'number' | 'boolean';

/** One rule of a field, as class-validator stores it. */
export interface Check {
  readonly name: string;
  /** Whether it is for each item of a list. */
  readonly each: boolean;
  readonly constraints: unknown[];
  readonly validate: (value: unknown, facts: ValidationArguments) => unknown;
  readonly message: (facts: ValidationArguments) => string;
}

export interface DtoField {
  readonly name: string;
  /** Its name in the input, which `@Expose({ name })` may change. */
  readonly sentName: string;
  /** The declared type; `Object` when the compiler emits no more than that. */
  readonly declared: unknown;
  /** The type of the value, or of each item of a list. */
  readonly scalar: Scalar | null;
  readonly isList: boolean;
  /** When one of these is false, the field is not validated. */
  readonly conditions: readonly ((object: object, value: unknown) => boolean)[];
  readonly checks: readonly Check[];
  readonly isNested: boolean;
  /** The class that `@Type` names; undefined without `@Type`, null when the input decides which. */
  readonly nested: unknown;
  /** Whether its value may be a bigint of the JSON parser. Other types, such as Date, do not take one. */
  readonly takesBigints: boolean;
  /** A field with `@Transform` gets what was sent. */
  readonly isTransformed: boolean;
  /** Whether `@Allow()` accepts every value. */
  readonly isOpen: boolean;
}

/** The input that a DTO accepts. */
export interface Dto {
  readonly type: DtoType;
  /** Only properties with a rule are fields. */
  readonly fields: ReadonlyMap<string, DtoField>;
  /** The same, in the order of declaration. */
  readonly list: readonly DtoField[];
  /** Whether each value is a scalar, or a list of them, that only its rules judge: nothing else decides about a field. */
  readonly isFlat: boolean;
}

const BUILT_IN: readonly unknown[] = [
  ...[Object, String, Number, Boolean, BigInt, Symbol, Date],
  ...[Array, Map, Set, Buffer, Function, Promise],
];

/** Whether a declared type is a class of the application, whose fields have rules. */
export function isDtoType(type: unknown): type is DtoType {
  const isClass = typeof type === 'function' && type.prototype !== undefined && !BUILT_IN.includes(type);
  return isClass && !isOfSchema(type);
}

/** Whether a class has a schema in place of rules: one of nestjs-zod, whose pipe validates it. */
export function isOfSchema(type: unknown): boolean {
  return typeof type === 'function' && (type as { isZodDto?: unknown }).isZodDto === true;
}

const cache = new WeakMap<DtoType, Dto>();

export function dtoOf(type: DtoType): Dto {
  let dto = cache.get(type);
  if (!dto) cache.set(type, (dto = readDto(type)));
  return dto;
}

function readDto(type: DtoType): Dto {
  const storage = getMetadataStorage();
  const rules = storage.getTargetValidationMetadatas(type, '', false, false);
  const fields = new Map<string, DtoField>();
  for (const [name, ofField] of Object.entries(storage.groupByPropertyName(rules))) {
    fields.set(name, readField(type, name, ofField));
  }
  const list = [...fields.values()];
  const isFlat = rules.every(isSimple) && list.every((field) => isScalar(type, field));
  return { type, fields, list, isFlat: isFlat && !isReshaped(type) };
}

function readField(type: DtoType, name: string, rules: readonly Rule[]): DtoField {
  const declared: unknown = Reflect.getMetadata('design:type', type.prototype as object, name);
  const checks = rules.flatMap(checksOf);
  const isList = declared === Array || checks.some(({ each }) => each);
  const ofValue = checks.filter(({ each }) => each === isList);
  const scalar = scalarOf(isList ? null : declared, ofValue);
  const nested = namedType(type, name);
  const ofType = (wanted: ValidationTypes) =>
    rules.filter((rule) => (rule.type as ValidationTypes) === wanted);
  const isOpen = ofType(ValidationTypes.WHITELIST).length > 0;
  return {
    name,
    sentName: transformations.findExposeMetadata(type, name)?.options.name ?? name,
    declared,
    scalar,
    isList,
    conditions: ofType(ValidationTypes.CONDITIONAL_VALIDATION).map(
      ({ constraints }) => (constraints as DtoField['conditions'])[0]!,
    ),
    checks,
    isNested: ofType(ValidationTypes.NESTED_VALIDATION).length > 0,
    nested,
    takesBigints:
      isOpen || scalar === 'int64' || (scalar === null && declared === Object && nested === undefined),
    isTransformed: transformations
      .findTransformMetadatas(type, name, TransformationType.PLAIN_TO_CLASS)
      .some(({ transformFn }) => transformFn !== toInt64),
    isOpen,
  };
}

function namedType(type: DtoType, name: string): unknown {
  const metadata = transformations.findTypeMetadata(type, name);
  if (!metadata) return undefined;
  if (metadata.options?.discriminator) return null;
  return metadata.typeFunction({ newObject: {}, object: {}, property: name });
}

const CUSTOM: readonly string[] = [ValidationTypes.CUSTOM_VALIDATION, ValidationTypes.IS_DEFINED];

function checksOf(rule: Rule): Check[] {
  if (!CUSTOM.includes(rule.type)) return [];
  return getMetadataStorage()
    .getTargetValidatorConstraints(rule.constraintCls)
    .map(({ name, instance }) => ({
      name,
      each: rule.each ?? false,
      constraints: (rule.constraints ?? []) as unknown[],
      validate: (value, facts) => instance.validate(value, facts),
      message: (facts) => withFacts(rule.message || instance.defaultMessage?.(facts) || name, facts),
    }));
}

/** The text of a message, whose tokens class-validator documents. */
function withFacts(message: NonNullable<Rule['message']>, facts: ValidationArguments): string {
  const text = typeof message === 'function' ? message(facts) : message;
  const values: Record<string, unknown> = {
    property: facts.property,
    target: facts.targetName,
    value: facts.value,
  };
  return text
    .replace(/\$constraint(\d+)/g, (_, index: string) =>
      [facts.constraints[Number(index) - 1] as unknown].flat().join(', '),
    )
    .replace(/\$(property|target|value)/g, (_, token: string) => String(values[token]));
}

const SCALAR_RULES: readonly [Scalar, unknown, readonly string[]][] = [
  ['int64', BigInt, ['isInt64']],
  ['integer', null, ['isInt']],
  ['number', Number, ['isNumber', 'min', 'max', 'isPositive', 'isNegative', 'isDivisibleBy']],
  ['boolean', Boolean, ['isBoolean']],
];

/** The rules are checked too, as not every compiler resolves an alias in a declared type. */
function scalarOf(declared: unknown, checks: readonly Check[]): Scalar | null {
  const found = SCALAR_RULES.find(
    ([, type, names]) =>
      (type !== null && declared === type) || checks.some(({ name }) => names.includes(name)),
  );
  return found ? found[0] : null;
}

const SIMPLE: readonly string[] = [
  ...CUSTOM,
  ValidationTypes.CONDITIONAL_VALIDATION,
  ValidationTypes.WHITELIST,
];

/** Whether a rule can be checked at once, without a condition of its own. */
function isSimple(rule: Rule): boolean {
  if (!SIMPLE.includes(rule.type) || rule.validateIf) return false;
  if (!CUSTOM.includes(rule.type)) return true;
  return getMetadataStorage()
    .getTargetValidatorConstraints(rule.constraintCls)
    .every(({ async: isAsync }) => !isAsync);
}

const COLLECTIONS: readonly unknown[] = [Map, Set];

function isScalar(type: DtoType, { name, declared, isTransformed, nested }: DtoField): boolean {
  // class-transformer does not assign a property that is a method or a getter of the class.
  const isAssigned = !(name in type.prototype) && !COLLECTIONS.includes(declared);
  return isAssigned && !isTransformed && nested === undefined;
}

/** Whether decorators of class-transformer decide which fields there are. */
function isReshaped(type: DtoType): boolean {
  const decided = [transformations.getExposedMetadatas(type), transformations.getExcludedMetadatas(type)];
  return decided.flat().length > 0 || transformations.getStrategy(type) !== 'none';
}
