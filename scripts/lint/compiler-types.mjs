import ts from 'typescript';

/** What a file, or one that it imports from, declares for the compiler only. Spread `visitor` into that of the rule. */
export function compilerTypes(context) {
  const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
  const typeImports = new Set();
  const localTypes = new Set();

  /** Where types are known, of what comes from other files as well. */
  function isDeclaredElsewhere(reference) {
    if (!program) return false;
    const checker = program.getTypeChecker();
    let symbol = checker.getSymbolAtLocation(esTreeNodeToTSNodeMap.get(reference.typeName));
    if (!symbol) return false;
    if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    return (symbol.flags & ts.SymbolFlags.Value) === 0;
  }

  return {
    isTypeImport: (name) => typeImports.has(name),
    /** @param reference a `TSTypeReference`, once the whole file was visited */
    isCompilerOnly: (reference) => localTypes.has(reference.typeName.name) || isDeclaredElsewhere(reference),
    visitor: {
      ImportDeclaration({ importKind, specifiers }) {
        for (const { importKind: own, local } of specifiers) {
          if (importKind === 'type' || own === 'type') typeImports.add(local.name);
        }
      },
      'TSInterfaceDeclaration, TSTypeAliasDeclaration'({ id }) {
        localTypes.add(id.name);
      },
    },
  };
}
