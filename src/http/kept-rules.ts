import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
type Condition = (object: object, value: unknown) => boolean;

interface PropertyRules {
  readonly property: string;
  /** Without all of which the property may be anything. */
  readonly conditions: readonly Condition[];
  readonly checks: readonly {
    readonly constraints: readonly unknown[];
    readonly validate: (value: unknown, facts: ValidationArguments) => unknown;
  }[];
}

const rulesByType = new Map<unknown, readonly PropertyRules[] | null>();

/**
 * Whether `instance` certainly keeps the class-validator rules of its class. Nearly every request does, and class-validator
 * takes ten times as long to find nothing. `false` says only that class-validator has to be asked.
 */
export function keepsRules(instance: object): boolean {
  const type = instance.constructor;
  let rules = rulesByType.get(type);
  if (rules === undefined) {
    rules = simpleRulesOf(type);
    rulesByType.set(type, rules);
  }
  if (rules === null) return false;
  // Loops, not `every`: that makes functions at each request.
  for (const rule of rules) if (!keeps(instance, rule)) return false;
  return true;
}

function keeps(object: object, { property, conditions, checks }: PropertyRules): boolean {
  const value = (object as Record<string, unknown>)[property];
  for (const applies of conditions) if (!applies(object, value)) return true;
  const targetName = object.constructor.name;
  for (const { validate, constraints } of checks) {
    const facts = { targetName, property, object, value, constraints: constraints as unknown[] };
    if (validate(value, facts) !== true) return false;
  }
  return true;
}

/** Null when a rule is of a kind that only class-validator knows to judge: nested, of each item, asynchronous … */
function simpleRulesOf(type: Rule['target']): PropertyRules[] | null {
  const storage = getMetadataStorage();
  const rules = storage.getTargetValidationMetadatas(type as () => void, '', false, false);
  const properties: PropertyRules[] = [];
  for (const [property, ofProperty] of Object.entries(storage.groupByPropertyName(rules))) {
    const conditions: Condition[] = [];
    const checks: PropertyRules['checks'][number][] = [];
    for (const rule of ofProperty) {
      if (rule.type === ValidationTypes.CONDITIONAL_VALIDATION) {
        conditions.push((rule.constraints as [Condition])[0]);
        continue;
      }
      const isSimple = rule.type === ValidationTypes.CUSTOM_VALIDATION && !rule.each && !rule.validateIf;
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
