import { join } from 'node:path';
import { describeExtended, describeLibraries, install } from './libraries.suite.js';
import { ROOT } from '../packed-client.js';
import { facesOf, LIBRARIES, onFastify, programsOf } from './plain-nest-applications.js';

const MINUTES_MS = 60_000;

describe('The latest Nest 11', () => {
  const installed = install('nest-11', 'module');

  describeLibraries(installed, 'module');
  describeExtended(installed, 'module');

  it('loads one copy of each library, whether it is imported or required', async () => {
    installed.applications.write(
      'both.mjs',
      `import { createRequire } from 'node:module';
       const require = createRequire(import.meta.url);
       for (const face of ${JSON.stringify(LIBRARIES.flatMap(facesOf))}) {
         const required = require(face);
         const imported = await import(face);
         for (const name in required) if (imported[name] !== required[name]) console.log(face, name);
       }`,
    );
    expect(await installed.applications.run('.', 'both.mjs')).toEqual({ stdout: '', stderr: '' });
  });

  it.each([
    ['nodenext', 'module'],
    ['node16', 'commonjs'],
    ['node10', 'commonjs'],
  ])(
    'has types that compile without ioredis and without skipLibCheck: %s in a package of type %s',
    async (moduleResolution, type) => {
      const folder = `types-${moduleResolution}`;
      const imports = LIBRARIES.flatMap(facesOf).map((face) => `export * as _ from '${face}';`);
      installed.applications.write(`${folder}/package.json`, JSON.stringify({ type }));
      imports.forEach((line, at) => installed.applications.write(`${folder}/${at}.ts`, line));
      const compilerOptions = {
        module: moduleResolution === 'node10' ? 'commonjs' : moduleResolution,
        moduleResolution,
        target: 'es2023',
        strict: true,
        skipLibCheck: false,
        types: ['node'],
        noEmit: true,
      };
      installed.applications.write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions }));
      expect(await installed.applications.runCompiler(folder)).toEqual({ stdout: '', stderr: '' });
    },
    MINUTES_MS,
  );

  describe('In an application made by `nest new`', () => {
    beforeAll(() => installed.applications.makeNew(), MINUTES_MS);

    it.each([
      ['unit', []],
      ['end to end', ['--config', 'test/jest-e2e.json']],
    ])(
      'the tests pass with its own configuration of Jest: %s',
      async (_which, words) => {
        const { stderr } = await installed.applications.run(
          'new',
          '../node_modules/jest/bin/jest.js',
          ...words,
        );
        expect(stderr).toMatch(/Tests: +\d+ passed, \d+ total/);
      },
      2 * MINUTES_MS,
    );

    describe('the programs that the READMEs begin with', () => {
      const starts = LIBRARIES.filter((library) => library !== 'kernel').flatMap((library) => {
        const [program] = programsOf(library);
        const onExpress = { library, platform: 'Express', program: program!, file: `${library}.express` };
        if (library === 'fast-express') return [onExpress];
        return [
          onExpress,
          { library, platform: 'Fastify', program: onFastify(program!), file: `${library}.fastify` },
        ];
      });

      beforeAll(async () => {
        for (const { file, program } of starts) installed.applications.write(`new/src/${file}.ts`, program);
        await installed.applications.runCompiler('new', '-p', 'tsconfig.build.json');
      }, MINUTES_MS);

      it(
        'pass the rules of ESLint that `nest new` of Nest 11 sets up',
        async () => {
          installed.applications.write('new/eslint.config.mjs', ESLINT_CONFIG);
          const eslint = join(ROOT, 'test/tools/node_modules/eslint/bin/eslint.js');
          const issuing = programsOf('api-keys').find((program) => program.includes('KeysController'))!;
          installed.applications.write('new/src/api-keys.issuing.ts', issuing);
          const files = [...starts.map(({ file }) => `src/${file}.ts`), 'src/api-keys.issuing.ts'];
          await installed.applications.run('new', eslint, '--max-warnings', '0', ...files);
        },
        MINUTES_MS,
      );

      it.each(starts)('$library on $platform', async ({ library, file }) => {
        const { url, stop } = await installed.applications.startProgram('new', `dist/${file}.js`);
        try {
          const [path, shown] = SHOWN[library]!;
          const response = await fetch(url + path);
          const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\n`);
          expect(`${response.status} ${headers.join('')}${await response.text()}`).toMatch(shown);
        } finally {
          await stop();
        }
      });
    });
  });
});

/** Nest 12 sets up oxlint, which has fewer rules. Those of Prettier are left out, which goes by width. */
const ESLINT_CONFIG = `
import tseslint from '${join(ROOT, 'test/tools/node_modules/typescript-eslint/dist/index.js')}';
export default tseslint.config(
  ...tseslint.configs.recommendedTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-floating-promises': 'warn',
      '@typescript-eslint/no-unsafe-argument': 'warn',
    },
  },
);
`;

/** What the started application shows at a path: status, headers and body. */
const SHOWN: Record<string, [path: string, shown: RegExp]> = {
  'api-keys': ['/ships', /^401 [^]*www-authenticate: Bearer[^]*missing_api_key/],
  deprecation: ['/ships', /^200 [^]*deprecation: @1764892800[^]*\[\]$/],
  'fast-express': ['/', /^200 [^]*Hello$/],
  'http-errors': ['/boats', /^404 [^]*\{"code":"route_not_found","message":"[^"]+","status":404\}$/],
  idempotency: ['/voyages', /^200 [^]*\[\]$/],
  'rate-limiting': ['/ships', /^200 [^]*ratelimit-policy: "minute";q=60;w=60[^]*\[\]$/],
};
