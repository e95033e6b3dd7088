import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** The options of packages without a comment: `file: Interface.option`. */
function undocumentedIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const interfaces = source.statements.filter(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) &&
      statement.name.text.endsWith('Options') &&
      statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true,
  );
  return interfaces.flatMap(({ name, members }) =>
    members
      .filter((member) => ts.getJSDocCommentsAndTags(member).length === 0)
      .map((member) => `${file}: ${name.text}.${member.name?.getText() ?? '?'}`),
  );
}

describe('The options of the packages', () => {
  const files = readdirSync('libs', { recursive: true, encoding: 'utf8' })
    .map((file) => `libs/${file}`)
    .filter((file) => /^libs\/[^/]+\/src\/.*\.ts$/.test(file) && !/\.spec\.ts$|\/testing\//.test(file));

  it('have a comment each: its unit or shape, and what it does when left out', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap(undocumentedIn)).toEqual([]);
  });
});
