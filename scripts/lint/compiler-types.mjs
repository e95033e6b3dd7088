import ts from 'typescript';

/**
 * Finds the types in a file, or imported by it, that exist only for the compiler. A rule spreads `visitor` into its own.
 */
export function compilerTypes(context) {
  const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
  const typeImports = new Set();
  const localTypes = new Set();

  /** Whether a type from another file exists only for the compiler, if the parser knows types. */
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
    /** @param reference a `TSTypeReference`. Call this only when the whole file has been visited. */
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
