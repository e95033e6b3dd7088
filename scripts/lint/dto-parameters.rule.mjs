// Nest does not validate a parameter whose type does not exist at run time. This rule finds such parameters.
import ts from 'typescript';

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
    const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
    const typeImports = new Set();
    const localTypes = new Set();

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
      if (typeImports.has(name)) context.report({ node: declared, messageId: 'typeImport', data: { name } });
      else if (name === 'Record') return;
      else if (UTILITIES.includes(name) || localTypes.has(name) || isCompilerOnly(declared)) {
        context.report({ node: declared, messageId: 'compilerOnly' });
      }
    }

    /** Uses type information for imported types, when it is available. */
    function isCompilerOnly(declared) {
      if (!program) return false;
      const checker = program.getTypeChecker();
      let symbol = checker.getSymbolAtLocation(esTreeNodeToTSNodeMap.get(declared.typeName));
      if (!symbol) return false;
      if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
      return (symbol.flags & ts.SymbolFlags.Value) === 0;
    }

    return {
      ImportDeclaration({ importKind, specifiers }) {
        for (const { importKind: own, local } of specifiers) {
          if (importKind === 'type' || own === 'type') typeImports.add(local.name);
        }
      },
      'TSInterfaceDeclaration, TSTypeAliasDeclaration'({ id }) {
        localTypes.add(id.name);
      },
      'MethodDefinition:exit'({ value }) {
        value.params.forEach(check);
      },
    };
  },
};

/** Types for which nothing should be validated. */
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
