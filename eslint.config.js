import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

// They are installed with the other tools.
const require = createRequire(new URL('test/tools/package.json', import.meta.url));
const { defineConfig } = require('eslint/config');
const tseslint = require('typescript-eslint');

const TESTS = ['**/*.{spec,e2e-spec,contract}.ts', '**/testing/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'];

/** Files of these layers in every context. */
const layers = (...names) => names.map((name) => `src/*/${name}/**/*.ts`);

const EVERYWHERE = [
  { selector: 'ExportAllDeclaration', message: 'Name what is exported.' },
  {
    selector: 'ImportDeclaration[source.value=/^(node:)?process$/]',
    message: 'Use the global process, whose env this rule checks.',
  },
  {
    selector: 'ImportDeclaration[source.value=/^(@nestjs\\x2f[^\\x2f]+|express)\\x2f/]',
    message: 'The kernel has the insides of Nest in one file, which checks them at the start.',
  },
];
const TIME = [
  'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
  'NewExpression[callee.name="Date"][arguments.length=0]',
].map((selector) => ({ selector, message: 'Use the injected clock, which tests can move.' }));
const BARREL = {
  selector: 'ExportNamedDeclaration[source]',
  message: 'No barrels in src: import from the file itself.',
};
const RE_EXPORT = {
  selector:
    ':matches(ExportNamedDeclaration:not([source]) > ExportSpecifier, ' +
    'ExportNamedDeclaration > VariableDeclaration > VariableDeclarator[init.type="Identifier"], ' +
    'ExportNamedDeclaration > TSTypeAliasDeclaration[typeAnnotation.type="TSTypeReference"]:not([typeAnnotation.typeArguments]))',
  message: 'Export it where it is declared: a re-export would bypass the layer rules.',
};
const NULL_FIELDS = {
  selector: 'CallExpression[callee.name="PartialType"][arguments.length=1]',
  message: 'Add { skipNullProperties: false }: without it every field accepts null.',
};
const UNKNOWN_ITEM_FIELDS = {
  selector:
    'NewExpression[callee.name="ParseArrayPipe"]:has(Property[key.name="items"][value.name!=/^(String|Number|Boolean)$/])' +
    ':not(:has(Property[key.name="whitelist"][value.value=true]):has(Property[key.name="forbidNonWhitelisted"][value.value=true]))',
  message:
    "Add whitelist: true and forbidNonWhitelisted: true: without them Nest's pipe accepts unknown fields.",
};
const DECISION = {
  selector: ':matches(IfStatement, TryStatement)',
  message:
    'A controller parses, executes and maps. Move a decision to a use case, and what only maps to a file of its own, such as order.response.ts.',
};
const NO_CONTEXT = {
  selector: 'Program',
  message:
    'A context has the layers domain, application, infrastructure and http. Remove this folder and its lines in src/app.module.ts, and begin with: npm run context -- <its name>',
};
/** Modules in the style of Nest's documentation, with tables of their own. */
const STOCK = readdirSync('src').filter((name) => existsSync(`src/${name}/${name}.tables.ts`));
const ENVIRONMENT = 'Only src/settings reads the settings, once, at start.';

export default defineConfig(
  {
    // The application of the packages test has packages of its own, which are not installed here.
    ignores: ['**/dist', 'dist.next-*', 'data/', 'coverage/', 'test/packages/nest-application/'],
  },
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      // An adapter may return synchronously what its port declares as a promise.
      '@typescript-eslint/require-await': 'off',
      // Prettier wraps the code, and no comments.
      'max-len': ['error', { code: 1_000, comments: 120, ignoreUrls: true }],
    },
  },
  { files: ['clients/typescript/src/generated/**'], rules: { 'max-len': 'off' } },
  {
    files: ['**/*.{js,cjs,mjs}'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['src/**/*.ts', 'libs/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  // When several blocks set the same rule, the last matching block counts, so each block lists all its selectors.
  { files: ['libs/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE, ...TIME] } },
  {
    files: ['src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE, ...TIME, BARREL, NULL_FIELDS] },
  },
  {
    files: layers('domain', 'application', 'infrastructure', 'http'),
    rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE, ...TIME, BARREL, NULL_FIELDS, RE_EXPORT] },
  },
  {
    files: ['src/*/http/*.controller.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...EVERYWHERE,
        ...TIME,
        ...[BARREL, RE_EXPORT, UNKNOWN_ITEM_FIELDS, DECISION],
      ],
    },
  },
  // What `nest generate resource` writes. One sentence says more than all that follows from it.
  {
    files: ['src/*/*.{controller,resolver,gateway}.ts'],
    ignores: STOCK.map((name) => `src/${name}/*`),
    rules: { 'no-restricted-syntax': ['error', NO_CONTEXT] },
  },
  {
    files: ['src/*/*.service.ts', 'src/*/{dto,entities}/*.ts'],
    rules: { 'no-restricted-syntax': 'off', '@typescript-eslint/no-unused-vars': 'off' },
  },
  { files: ['libs/kernel/src/clock.ts'], rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE] } },
  { files: TESTS, rules: { 'no-restricted-syntax': ['error', ...EVERYWHERE] } },
  {
    files: ['src/**/*.ts', 'libs/**/*.ts'],
    ignores: ['src/settings/**', ...TESTS],
    rules: {
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: ENVIRONMENT }],
    },
  },
  {
    files: layers('domain', 'application', 'infrastructure'),
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@nestjs/common'],
              importNamePattern: 'Exception$',
              message: 'Throw a named domain error: only http/ knows of HTTP.',
            },
          ],
        },
      ],
    },
  },
  {
    files: TESTS,
    rules: {
      // Tests check the content of responses themselves.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
