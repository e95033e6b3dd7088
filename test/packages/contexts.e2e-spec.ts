import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Clone, MINUTES_MS, type Result } from './clone.js';

const EXAMPLES = 'test/examples';
const NAMES = ['bookings', 'photos', 'visits'];
const ALL = NAMES.join('|');
/** What only lint sees: what a team adds to the visits, and a stock module, whose routes name no scope. */
const PARTS = /^(backfill|by-name|kennels)\//;
const SHAPES = 'scripts/int64-shapes.mjs';

/** Where a team would have the file. */
function placeOf(example: string): string {
  return example
    .replace(/^pets-v2\//, 'src/pets/')
    .replace(/^(backfill|by-name)\//, 'src/visits/')
    .replace(/^kennels\//, 'src/kennels/')
    .replace(new RegExp(`^(${ALL})/`), 'src/$1/')
    .replace(new RegExp(`^(${ALL})\\.requests`), 'test/e2e/requests/$1.requests')
    .replace(new RegExp(`^(${ALL})\\.e2e`), 'test/e2e/$1.e2e');
}

/** Compilers and suites take so long that all contexts share one clone. */
describe('Contexts that are added to the service', () => {
  let clone: Clone;
  const parts: string[] = [];

  beforeAll(() => {
    clone = new Clone();
  });

  afterAll(() => clone.remove());

  describe('the examples of the guide', () => {
    it(
      'are accepted with the command of the guide',
      () => {
        addExamples();
        clone.pass('npm', 'run', '--silent', 'openapi:accept');
        expect(clone.read('docs/openapi.json')).toContain('"changeBooking"');
        expect(clone.read('docs/openapi.json')).toContain('"image/png"');
        expect(clone.read('clients/typescript/src/generated/operations.ts')).toContain(
          "listPets: Method<'listPetsV2'>",
        );
      },
      MINUTES_MS,
    );
  });

  describe('npm run context -- owls', () => {
    let begun: Result;

    beforeAll(() => {
      begun = clone.run('npm', 'run', '--silent', 'context', '--', 'owls');
    }, MINUTES_MS);

    it('says where to continue', () => {
      expect(begun).toEqual({
        status: 0,
        output: expect.stringContaining('docs/adding-a-module.md') as string,
      });
    });

    it('copies every layer under the new name, as little as a context needs', () => {
      const copied = clone.files('src/owls').map((file) => file.replace(/\d{13}/, '<time>'));
      for (const file of [
        'owls.module.ts',
        'domain/owl.ts',
        'domain/owl.repository.ts',
        'application/owls.service.ts',
        'infrastructure/owl.record.ts',
        'infrastructure/migrations/<time>-create-owls.ts',
        'http/owls.controller.ts',
        'http/owl.dto.ts',
      ]) {
        expect(copied).toContain(`src/owls/${file}`);
      }

      const text = clone
        .files('src/owls')
        .map((file) => clone.read(file))
        .join('\n');
      expect(text).not.toMatch(/visit/i);
      const code = clone.files('src/owls').filter((file) => /(?<!spec)\.ts$/.test(file));
      expect(code.length).toBeLessThanOrEqual(12);
      expect(
        code.map((file) => clone.read(file).trimEnd().split('\n').length).reduce((a, b) => a + b),
      ).toBeLessThanOrEqual(180);
      expect(text).not.toMatch(/\ba owl/i);
      expect(text).toContain('An owl of the store.');
    });

    it('registers the copy, and accepts its operations and its error', () => {
      expect(clone.read('src/app.module.ts')).toContain('OwlsModule,');
      expect(clone.read('src/contexts.ts')).toContain('owlsTables,');
      expect(clone.read('docs/openapi.json')).toContain('"listOwls"');
      expect(clone.read('docs/errors.md')).toContain('`owl_not_found`');
    });

    it(
      'writes in the style of this project',
      () => {
        const written = ['src/owls', 'src/*.ts', 'test/e2e/**/owls*', 'docs/openapi.json', 'docs/errors.md'];
        clone.pass('test/tools/node_modules/.bin/prettier', '--check', ...written);
      },
      MINUTES_MS,
    );

    it.each([
      [[], 'The name of a context is one plural in lower-case letters: npm run context -- visits'],
      [['Visits'], 'The name of a context is one plural in lower-case letters: npm run context -- visits'],
      [['../x'], 'The name of a context is one plural in lower-case letters: npm run context -- visits'],
      [
        ['visits', 'toys'],
        'The name of a context is one plural in lower-case letters: npm run context -- visits',
      ],
      [
        ['visits', '--plural'],
        'The name of a context is one plural in lower-case letters: npm run context -- visits',
      ],
      [['orders'], 'src/orders is there already.'],
      [['sheep'], 'Say what one of them is called: npm run context -- sheep --singular …'],
      [['classes'], 'The code calls something else "class". Choose another name.'],
      [['packages'], 'The code calls something else "package". Choose another name.'],
      [['pages'], 'The code calls something else "page". Choose another name.'],
    ])('refuses %j, and writes nothing', (args, line) => {
      const before = clone.files('src');

      expect(clone.run('node', 'scripts/context.mjs', ...args)).toEqual({ status: 2, output: `${line}\n` });
      expect(clone.files('src')).toEqual(before);
    });

    it(
      'undoes what it wrote when its last step fails',
      () => {
        const shapes = clone.read(SHAPES);
        clone.write(SHAPES, "throw new Error('no shapes');\n");
        const contents = () =>
          ['src', 'test/e2e', 'docs', 'clients'].flatMap((folder) =>
            clone.files(folder).map((file) => `${file}: ${clone.read(file)}`),
          );
        const before = contents();

        const { status, output } = clone.run('npm', 'run', '--silent', 'context', '--', 'voles');
        clone.write(SHAPES, shapes);
        expect(output).toContain('Writing the client …');
        expect(output).toMatch(
          /\nsrc\/voles is not begun, and no file is changed: "npm run openapi:accept" failed\.\n$/,
        );
        expect(status).toBe(1);
        expect(contents()).toEqual(before);
        expect(existsSync(join(clone.folder, 'src/voles'))).toBe(false);
      },
      MINUTES_MS,
    );
  });

  it(
    'keep the layers, and the rules of others for the document',
    () => {
      clone.pass('rm', '-r', EXAMPLES);
      clone.pass('npm', 'run', '--silent', 'dev', '--', 'layers');
      clone.pass('npm', 'run', '--silent', 'dev', '--', 'openapi:lint');
    },
    MINUTES_MS,
  );

  describe('beside npx nest generate resource cats', () => {
    let application: string;
    let generated: Result;

    beforeAll(() => {
      application = clone.read('src/app.module.ts');
      generated = clone.run('npx', 'nest', 'g', 'resource', 'cats', '--no-spec', '--type', 'rest', '--crud');
    }, MINUTES_MS);

    afterAll(() => {
      clone.write('src/app.module.ts', application);
      clone.pass('rm', '-r', 'src/cats', ...parts);
    });

    it('which prompts for nothing, and writes into src/cats', () => {
      expect(generated.status).toBe(0);
      expect(clone.files('src/cats')).toContain('src/cats/cats.controller.ts');
    });

    it('compile', () => clone.pass('npx', 'tsc', '--noEmit'), MINUTES_MS);

    it(
      'pass lint, which says in one sentence what a context is, of the cats alone',
      () => {
        const contexts = [...NAMES, 'kennels', 'owls', 'cats'].map((name) => `src/${name}`);
        const tests = [...NAMES, 'owls'].map((name) => `test/e2e/${name}.e2e-spec.ts`);
        const { status, output } = clone.run(
          'test/tools/node_modules/.bin/eslint',
          ...contexts,
          'src/contexts.ts',
          'src/app.module.ts',
          ...tests,
          'test/e2e/requests',
        );
        expect(status).toBe(1);
        expect(output).toMatch(/src\/cats\/\S+\n.*begin with: npm run context -- <its name>/);
        expect(output).toContain('✖ 1 problem (1 error, 0 warnings)');
      },
      MINUTES_MS,
    );
  });

  it(
    'pass their own tests, on every database, and those of every context',
    () => {
      const conventions =
        'test/conventions/(bounded|error-codes|folders|openapi|routes|statements|written|large-tables)';
      const ofEveryContext = [
        'src/contexts',
        'test/e2e/every-response',
        'test/e2e/methods',
        'test/e2e/connections',
        'test/fuzz/operations',
        'test/clients',
        conventions,
      ];
      clone.pass('npx', 'jest', ...NAMES, 'owls', ...ofEveryContext);
    },
    MINUTES_MS,
  );

  function addExamples(): void {
    for (const file of clone.files(EXAMPLES)) {
      const place = placeOf(file.slice(EXAMPLES.length + 1));
      if (PARTS.test(file.slice(EXAMPLES.length + 1))) parts.push(place);
      const text = clone
        .read(file)
        .replaceAll('../../visits/', '../')
        .replaceAll('../../../../src/', '../../')
        .replaceAll('../../../src/', '../')
        .replaceAll('../e2e/requests/', './');
      clone.write(place, place.startsWith('src/pets/') ? text.replaceAll('../../pets/', '../') : text);
    }
    clone.run(
      'rm',
      'test/e2e/kennels.e2e-spec.ts',
      'test/e2e/second-version.e2e-spec.ts',
      'test/transactions/backfill.spec.ts',
      'test/transactions/by-name.spec.ts',
      'test/browser/second-version.e2e-spec.ts',
    );
    edit('src/version.ts', "= ['1']", "= ['1', '2']");
    edit(
      'src/pets/pets.module.ts',
      'controllers: [PetsController]',
      'controllers: [PetsController, PetsV2Controller]',
    );
    edit(
      'src/pets/pets.module.ts',
      '\n\n',
      "\nimport { PetsV2Controller } from './http/pets-v2.controller.js';\n\n",
    );
    edit(
      'test/e2e/requests/pets.requests.ts',
      "    listPets: { request: 'GET /v1/pets' },",
      "$&\n    listPetsV2: { request: 'GET /v2/pets' },",
    );
    for (const name of NAMES) {
      const module = `${name[0]!.toUpperCase()}${name.slice(1)}Module`;
      register('src/app.module.ts', 'PetsModule', module, `./${name}/${name}.module.js`);
      register(
        'src/contexts.ts',
        'petsTables',
        `${name}Tables`,
        `./${name}/infrastructure/${name}.tables.js`,
      );
      const one = name.slice(0, -1);
      register('src/contexts.ts', '...petScopes', `...${one}Scopes`, `./${name}/http/${one}-scopes.js`);
    }
    clone.pass('test/tools/node_modules/.bin/prettier', '--write', 'src/app.module.ts', 'src/contexts.ts');
  }

  function edit(file: string, text: string, replacement: string): void {
    expect(clone.read(file)).toContain(text);
    clone.write(file, clone.read(file).replace(text, replacement));
  }

  function register(list: string, beside: string, name: string, from: string): void {
    const text = clone.read(list).replace(`${beside},`, `${beside}, ${name},`);
    clone.write(
      list,
      `import { ${name.replace('...', '')} } from '${from}';
${text}`,
    );
  }
});
