import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';
import { type DtoField, type DtoType, type Rule, shapeOf } from './dto-shape.js';
import { declaredScalar, type Source } from './input-reader.js';
import { unstorableTextProblem } from './storable-text.js';

type Condition = (object: object, value: unknown) => boolean;
type Fields = Record<string, unknown>;

interface PropertyRules {
  readonly property: string;
  /** When one of these is false, the property is not validated. */
  readonly conditions: readonly Condition[];
  readonly checks: readonly {
    readonly constraints: readonly unknown[];
    readonly validate: (value: unknown, facts: ValidationArguments) => unknown;
  }[];
}

/** Creates the DTO from the input; null when class-transformer and class-validator must decide. */
export type FlatReader = (sent: Readonly<Fields>) => object | null;

/**
 * A fast path for DTOs with only texts, numbers and the like, for which class-transformer and class-validator take ten
 * times as long. It accepts only input that is certainly valid. All other input takes the slow path, which finds what
 * is wrong. Returns null for DTOs that need the slow path: nested ones, transformed ones, and those with rules for
 * items or asynchronous rules.
 */
export function flatReader(type: DtoType, source: Source): FlatReader | null {
  const { fields, rules } = shapeOf(type);
  const isFlat = [...fields.values()].every((field) => isFlatField(type, field));
  const checked = simpleRules(rules);
  if (!isFlat || checked === null || hasTransformations(type)) return null;
  return (sent) => {
    const dto = new type() as Fields;
    for (const name in sent) {
      const field = fields.get(name);
      const value = sent[name];
      if (field === undefined || (typeof value === 'object' && value !== null)) return null;
      if (typeof value === 'string' && !field.isCursor && unstorableTextProblem(value)) return null;
      const declared = declaredScalar(field, value, source, sent);
      if (source === 'text' && field.scalar === 'boolean' && typeof declared !== 'boolean') return null;
      dto[name] = converted(field, declared);
    }
    // A loop, as `every` would create functions for each request.
    for (const rule of checked) if (!passes(dto, rule)) return null;
    return dto;
  };
}

/** The types that `@Type` may name and that are not objects. */
const CONVERSIONS: readonly unknown[] = [String, Number, Boolean];

function isFlatField(type: DtoType, { property, name, declared, isTransformed, typeFor }: DtoField): boolean {
  const isPlain = declared !== Array && declared !== Set && declared !== Map && !isTransformed;
  // class-transformer does not assign a property that is a method or a getter of the class.
  if (!isPlain || name !== property || property in type.prototype) return false;
  const metadata = transformations.findTypeMetadata(type, property);
  return (
    typeFor === null || (!metadata.options?.discriminator && CONVERSIONS.includes(typeFor({}, null).type))
  );
}

/** Whether decorators decide which fields there are. */
function hasTransformations(type: DtoType): boolean {
  return (
    transformations.getExposedMetadatas(type).length > 0 ||
    transformations.getExcludedMetadatas(type).length > 0 ||
    transformations.getStrategy(type) !== 'none'
  );
}

function converted({ typeFor }: DtoField, value: unknown): unknown {
  if (typeFor === null || value === null || value === undefined) return value;
  return (typeFor({}, value).type as (value: unknown) => unknown)(value);
}

function passes(object: object, { property, conditions, checks }: PropertyRules): boolean {
  const value = (object as Fields)[property];
  for (const applies of conditions) if (!applies(object, value)) return true;
  const targetName = object.constructor.name;
  for (const { validate, constraints } of checks) {
    const facts = { targetName, property, object, value, constraints: constraints as unknown[] };
    if (validate(value, facts) !== true) return false;
  }
  return true;
}

const SIMPLE_RULES: readonly string[] = [ValidationTypes.CUSTOM_VALIDATION, ValidationTypes.IS_DEFINED];

/** Null when only class-validator can check one of the rules. */
function simpleRules(rules: readonly Rule[]): PropertyRules[] | null {
  const storage = getMetadataStorage();
  const properties: PropertyRules[] = [];
  for (const [property, ofProperty] of Object.entries(storage.groupByPropertyName([...rules]))) {
    const conditions: Condition[] = [];
    const checks: PropertyRules['checks'][number][] = [];
    for (const rule of ofProperty) {
      if (rule.type === ValidationTypes.WHITELIST) continue;
      if (rule.type === ValidationTypes.CONDITIONAL_VALIDATION) {
        conditions.push((rule.constraints as [Condition])[0]);
        continue;
      }
      const isSimple = SIMPLE_RULES.includes(rule.type) && !rule.each && !rule.validateIf;
      if (!isSimple) return null;
      for (const { async: isAsync, instance } of storage.getTargetValidatorConstraints(rule.constraintCls)) {
        if (isAsync) return null;
        checks.push({
          constraints: (rule.constraints ?? []) as unknown[],
          validate: (value, facts) => instance.validate(value, facts),
        });
      }
    }
    properties.push({ property, conditions, checks });
  }
  return properties;
}
