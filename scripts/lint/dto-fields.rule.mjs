// A field of a DTO without a validation rule is refused in every request. A field whose type does not exist at run time
// is not validated. This rule finds both.
import { compilerTypes } from './compiler-types.mjs';

const MESSAGES = {
  noType: 'Declare the type of {{name}}: what is sent is read as the field is declared.',
  noRule:
    'Say with a decorator of class-validator what {{name}} may be: without one it is refused as unknown.',
  compilerOnly:
    'The type of {{name}} is known to the compiler only: say what it may be, with @ValidateNested() and @Type() of a class, @IsIn() or @IsEnum().',
};

/** Decorators that say whether or how a field is read and written, but not which values it may have. */
const NO_RULES = [
  'IsOptional',
  'OptionalField',
  'ValidateIf',
  'IsDefined',
  'Type',
  'Expose',
  'Exclude',
  'Transform',
];

/** Rules that allow every value of a JSON type, so they do not validate a type that only the compiler knows. */
const OF_ANY_VALUE =
  /^(Is(String|Number|Int|Boolean|Array|Object|NotEmpty|NotEmptyObject|Positive|Negative)|(Min|Max)(Length)?|Length|Array\w+)$/;

const NULLS = ['TSNullKeyword', 'TSUndefinedKeyword'];

/** Types whose elements have the type of a type argument. */
const COLLECTIONS = ['Array', 'Set'];

/** @type {import('eslint').Rule.RuleModule} */
export default {
  meta: { type: 'problem', messages: MESSAGES, schema: [] },
  create(context) {
    const types = compilerTypes(context);

    function check(field) {
      const name = context.sourceCode.getText(field.key);
      const report = (messageId) => context.report({ node: field.key, messageId, data: { name } });
      const rules = (field.decorators ?? []).map(nameOf).filter(isRule);
      if (!field.typeAnnotation) report('noType');
      else if (rules.length === 0) report('noRule');
      else if (isCompilerOnly(field.typeAnnotation.typeAnnotation)) {
        if (rules.every((rule) => OF_ANY_VALUE.test(rule))) report('compilerOnly');
      }
    }

    function isCompilerOnly(type) {
      switch (type.type) {
        case 'TSArrayType':
          return isCompilerOnly(type.elementType);
        case 'TSTypeOperator':
          return isCompilerOnly(type.typeAnnotation);
        case 'TSUnionType': {
          const values = type.types.filter((part) => !NULLS.includes(part.type));
          return values.length > 1 || values.some(isCompilerOnly);
        }
        case 'TSTypeReference': {
          const name = type.typeName.name ?? '';
          if (COLLECTIONS.includes(name)) return (type.typeArguments?.params ?? []).some(isCompilerOnly);
          return types.isTypeImport(name) || types.isCompilerOnly(type);
        }
        default:
          return !type.type.endsWith('Keyword');
      }
    }

    return {
      ...types.visitor,
      'PropertyDefinition:exit'(field) {
        if (!field.static) check(field);
      },
    };
  },
};

function nameOf({ expression }) {
  return (expression.callee ?? expression).name ?? '';
}

function isRule(name) {
  return !NO_RULES.includes(name) && !name.startsWith('Api');
}
