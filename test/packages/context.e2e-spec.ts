import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Clone, MINUTES_MS, type Result } from './clone.js';

describe('npm run context -- owls', () => {
  let clone: Clone;
  let begun: Result;

  beforeAll(() => {
    clone = new Clone();
    begun = clone.run('npm', 'run', '--silent', 'context', '--', 'owls');
  }, MINUTES_MS);

  afterAll(() => clone.remove());

  it('says where to go on', () => {
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
    ).toBeLessThanOrEqual(230);
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
    'leaves lint green',
    () => {
      const written = ['src/owls', 'src/*.ts', 'test/e2e', 'docs/openapi.json', 'docs/errors.md'];
      clone.pass(
        'test/tools/node_modules/.bin/eslint',
        'src/owls',
        'src/contexts.ts',
        'src/app.module.ts',
        'test/e2e',
      );
      clone.pass('test/tools/node_modules/.bin/prettier', '--check', ...written);
      clone.pass('npm', 'run', '--silent', 'dev', '--', 'layers');
    },
    MINUTES_MS,
  );

  it(
    'leaves the tests green',
    () => {
      const conventions = 'test/conventions/(written|openapi|routes|statements|large-tables|error-codes)';
      const suites = ['src/owls', 'src/contexts', 'test/e2e/owls', 'test/e2e/every-response', conventions];
      clone.pass('npx', 'jest', ...suites);
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
      clone.write('scripts/int64-shapes.mjs', "throw new Error('no shapes');\n");
      const contents = () =>
        ['src', 'test/e2e', 'docs', 'clients'].flatMap((folder) =>
          clone.files(folder).map((file) => `${file}: ${clone.read(file)}`),
        );
      const before = contents();

      const { status, output } = clone.run('npm', 'run', '--silent', 'context', '--', 'visits');
      expect(output).toContain('Writing the client …');
      expect(output).toMatch(
        /\nsrc\/visits is not begun, and no file is changed: "npm run openapi:accept" failed\.\n$/,
      );
      expect(status).toBe(1);
      expect(contents()).toEqual(before);
      expect(existsSync(join(clone.folder, 'src/visits'))).toBe(false);
    },
    MINUTES_MS,
  );

  describe('and npx nest generate resource cats', () => {
    let generated: Result;

    beforeAll(() => {
      generated = clone.run('npx', 'nest', 'g', 'resource', 'cats', '--no-spec', '--type', 'rest', '--crud');
    }, MINUTES_MS);

    it('prompts for nothing, and writes into src/cats', () => {
      expect(generated.status).toBe(0);
      expect(clone.files('src/cats')).toContain('src/cats/cats.controller.ts');
    });

    it('compile', () => clone.pass('npx', 'tsc', '--noEmit'), MINUTES_MS);

    it(
      'let lint say in one sentence what a context is',
      () => {
        const { status, output } = clone.run(
          'test/tools/node_modules/.bin/eslint',
          'src/cats',
          'src/app.module.ts',
        );
        expect(status).toBe(1);
        expect(output).toContain('begin with: npm run context -- <its name>');
        expect(output).toContain('✖ 1 problem (1 error, 0 warnings)');
      },
      MINUTES_MS,
    );
  });
});
