import { spawnSync } from 'node:child_process';

type Planted = [file: string, code: string, rule: string];

const USE_CASE = 'src/boats/application/get-boat.use-case.ts';
const CONTROLLER = 'src/boats/http/boats.controller.ts';

/** Each rule refuses one piece of code. What it must not refuse, this project itself is full of. */
const PLANTED: Planted[] = [
  [USE_CASE, 'export const port = process.env.PORT;', 'no-restricted-properties'],
  ['test/boat.ts', "import { env } from 'node:process'; env;", 'no-restricted-syntax'],
  ['libs/boats/src/index.ts', "export * from './boat.js';", 'no-restricted-syntax'],
  ['src/boats/domain/boat.ts', 'export const now = Date.now();', 'no-restricted-syntax'],
  ['libs/boats/src/boat.ts', 'export const now = new Date();', 'no-restricted-syntax'],
  ['src/boats/boat.ts', "export { Boat } from './ship.js';", 'no-restricted-syntax'],
  [USE_CASE, "import { Boat } from '../domain/boat.js'; export { Boat };", 'no-restricted-syntax'],
  [USE_CASE, "import { Boat } from '../domain/boat.js'; export const Ship = Boat;", 'no-restricted-syntax'],
  [USE_CASE, "import { Boat } from '../domain/boat.js'; export type Ship = Boat;", 'no-restricted-syntax'],
  [
    USE_CASE,
    "import { NotFoundException } from '@nestjs/common'; new NotFoundException();",
    'no-restricted-imports',
  ],
  [CONTROLLER, 'export function get(a: boolean) { if (a) throw a; }', 'no-restricted-syntax'],
  [CONTROLLER, 'new ParseArrayPipe({ items: NewBoatDto });', 'no-restricted-syntax'],
  ['src/boats/http/change-boat.dto.ts', 'export class A extends PartialType(B) {}', 'no-restricted-syntax'],
  // What `nest generate` writes beside the layers.
  ['src/boats/boats.controller.ts', 'export class BoatsController {}', 'no-restricted-syntax'],
  ['src/boats/boat.ts', "console.log('afloat');", 'no-console'],
];

/** ESLint and its configuration are ES modules, which Jest cannot load on Node 20. Rules that need types are off. */
const LINT = `
  import { createRequire } from 'node:module';
  import { text } from 'node:stream/consumers';
  const require = createRequire(process.cwd() + '/test/tools/package.json');
  const { ESLint } = require('eslint');
  const tseslint = require('typescript-eslint');
  const eslint = new ESLint({
    overrideConfig: [tseslint.configs.disableTypeChecked, { rules: { '@typescript-eslint/no-unused-expressions': 'off', '@typescript-eslint/no-unused-vars': 'off' } }],
  });
  const found = [];
  for (const [filePath, code] of JSON.parse(await text(process.stdin))) {
    const [{ messages }] = await eslint.lintText(code, { filePath });
    found.push(messages.map(({ ruleId, message }) => ruleId ?? message));
  }
  console.log(JSON.stringify(found));
`;

describe('lint rules of this project', () => {
  let found: string[][];

  beforeAll(() => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', LINT], {
      input: JSON.stringify(PLANTED),
      encoding: 'utf8',
      // In CI typescript-eslint creates one program for all files, and fails for these, which exist only in memory.
      env: { ...process.env, TSESTREE_SINGLE_RUN: 'false' },
    });
    if (stdout === '') throw new Error(stderr);
    found = JSON.parse(stdout) as string[][];
  });

  it.each(PLANTED.map((planted, index) => [...planted, index] as const))(
    'refuse in %s: %s',
    (_file, _code, rule, index) => expect(found[index]).toEqual([rule]),
  );
});
