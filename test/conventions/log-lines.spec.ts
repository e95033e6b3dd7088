import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import ts from 'typescript';
import { BAD_ARGUMENTS } from '../../src/programs/run-program.js';

const ROOT = resolve(__dirname, '../..');
const LEVELS = ['warn', 'error', 'fatal'];
/** Packages of which the service uses another part: what the service has instead. */
const NOT_OF_THE_SERVICE: Readonly<Record<string, string>> = {
  'libs/http-errors/src/http-error.filter.ts': 'of sockets only, as the service has its own log of failures',
  'libs/rate-limiting/src/rate-limiting.module.ts': 'the service has a store and a log of its own',
};
/** Files with lines whose text is made elsewhere: what it is. */
const MADE_ELSEWHERE: Readonly<Record<string, string>> = {
  'libs/operations/src/shutdown.ts': 'the error itself',
  'src/start/serve.ts': 'what is wrong with the machine or the settings, in a sentence',
  'src/start/http-server-setup.ts': 'what is wrong with a module, in a sentence',
  'libs/openapi/src/document.ts': 'what has no bound, in a sentence',
};

const incidents = readFileSync(resolve(ROOT, 'docs/incidents.md'), 'utf8');
const files = execFileSync('git', ['ls-files', 'src/*.ts', 'libs/*.ts'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/\.spec\.ts$|\/(testing|browser)\//.test(file));

/** The text of a message, with `…` for what differs; null when all of it does. */
function textOf(node: ts.Expression, source: ts.SourceFile): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(({ literal }) => `…${literal.text}`);
    return node.head.text + parts.join('');
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return textOf(node.expression.expression, source);
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [textOf(node.left, source), textOf(node.right, source)];
    return left === null || right === null ? null : left + right;
  }
  if (ts.isObjectLiteralExpression(node)) {
    for (const property of node.properties) {
      if (property.name?.getText(source) !== 'message') continue;
      return textOf(
        ts.isPropertyAssignment(property) ? property.initializer : (property.name as ts.Identifier),
        source,
      );
    }
  }
  // A constant of the same file.
  if (ts.isIdentifier(node)) {
    let text: string | null = null;
    const find = (one: ts.Node): void => {
      if (ts.isVariableDeclaration(one) && one.name.getText(source) === node.text && one.initializer)
        text ??= textOf(one.initializer, source);
      ts.forEachChild(one, find);
    };
    find(source);
    return text;
  }
  return null;
}

/** What a file logs for the operator: the texts, and how many lines have none of their own. */
function linesOf(file: string): { texts: string[]; unknown: number } {
  const source = ts.createSourceFile(
    file,
    readFileSync(resolve(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const texts: string[] = [];
  let unknown = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      if (LEVELS.includes(name.text) && /\blogger$/.test(expression.getText(source))) {
        const text = textOf(node.arguments[0]!, source)?.trim() ?? null;
        if (text === null || /^[…. ]*$/.test(text)) unknown++;
        else texts.push(text);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { texts, unknown };
}

const logged = files.map((file) => ({ file, ...linesOf(file) }));

describe('docs/incidents.md', () => {
  const section = /## What does the log say\?[^]*?(?=\n## )/.exec(incidents)?.[0] ?? '';
  const rows = [...section.matchAll(/^- `([^`]+)`/gm)].map(([, text]) => text!);

  it('has every warning and error of the log, and no other', () => {
    const texts = logged.filter(({ file }) => !(file in NOT_OF_THE_SERVICE)).flatMap(({ texts }) => texts);
    expect(texts.length).toBeGreaterThan(20);
    expect([...new Set(rows)].sort()).toEqual([...new Set(texts)].sort());
  });

  it('leaves out only what is known to be elsewhere', () => {
    const unknown = logged.filter(({ unknown }) => unknown > 0).map(({ file }) => file);
    const known = { ...NOT_OF_THE_SERVICE, ...MADE_ELSEWHERE };
    expect(unknown.filter((file) => !(file in known))).toEqual([]);
  });

  it('has the exit codes of the programs', () => {
    const { SIGINT, SIGKILL, SIGTERM } = constants.signals;
    const table = /## How did it exit\?[^]*?(?=\n## )/.exec(incidents)![0];
    const codes = [...table.matchAll(/^- `(\d[\d, `]*)`:/gm)].map(([, code]) => code!.replaceAll('`', ''));
    const ofSignals = [`${128 + SIGINT}, ${128 + SIGTERM}`, String(128 + SIGKILL)];
    expect(codes).toEqual(['0', '1', String(BAD_ARGUMENTS), ...ofSignals]);
  });
});
