// Nest does not validate a parameter whose type does not exist at run time. This rule finds such parameters.
import { compilerTypes } from './compiler-types.mjs';

const WHOLE = ['Body', 'Query', 'Param'];

const MESSAGES = {
  noType: 'Declare the class of this parameter: without one, the input is not validated.',
  compilerOnly:
    'The type of this parameter exists only for the compiler, so the input is not validated: declare a class.',
  typeImport: 'Import {{name}} without `type`: the parameter is validated by the class.',
  bigint: 'Say how the text becomes a bigint, as in @Param({{name}}, new IdPipe(…)).',
};

/** @type {import('eslint').Rule.RuleModule} */
export default {
  meta: { type: 'problem', messages: MESSAGES, schema: [] },
  create(context) {
    const types = compilerTypes(context);

    function check(parameter) {
      const decorator = (parameter.decorators ?? [])
        .map(callOf)
        .find((call) => call && WHOLE.includes(call.callee.name));
      if (!decorator) return;
      const [first, ...pipes] = decorator.arguments;
      const isNamed = first?.type === 'Literal' || first?.type === 'TemplateLiteral';
      const declared = annotationOf(parameter);
      if (isNamed && pipes.length === 0 && declared?.type === 'TSBigIntKeyword') {
        context.report({
          node: parameter,
          messageId: 'bigint',
          data: { name: context.sourceCode.getText(first) },
        });
      }
      // A pipe decides how the value is read.
      if (pipes.length > 0 || (first && !isNamed)) return;
      if (isNamed && (declared === undefined || declared.type !== 'TSTypeReference')) return;
      if (declared === undefined) context.report({ node: parameter, messageId: 'noType' });
      else checkType(declared);
    }

    function checkType(declared) {
      if (MEANT.includes(declared.type)) return;
      if (declared.type !== 'TSTypeReference') {
        context.report({ node: declared, messageId: 'compilerOnly' });
        return;
      }
      const name = declared.typeName.name ?? '';
      if (types.isTypeImport(name))
        context.report({ node: declared, messageId: 'typeImport', data: { name } });
      else if (name === 'Record') return;
      else if (UTILITIES.includes(name) || types.isCompilerOnly(declared)) {
        context.report({ node: declared, messageId: 'compilerOnly' });
      }
    }

    return {
      ...types.visitor,
      'MethodDefinition:exit'({ value }) {
        value.params.forEach(check);
      },
    };
  },
};

/** Types that deliberately allow every value. */
const MEANT = ['TSUnknownKeyword', 'TSAnyKeyword'];

/** TypeScript's utility types. Those of @nestjs/swagger are classes. */
const UTILITIES = ['Partial', 'Pick', 'Omit', 'Required', 'Readonly'];

function callOf({ expression }) {
  return expression.type === 'CallExpression' ? expression : undefined;
}

function annotationOf(parameter) {
  const { typeAnnotation } = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
  return typeAnnotation?.typeAnnotation;
}
