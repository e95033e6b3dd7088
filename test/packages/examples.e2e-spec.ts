import { Clone, MINUTES_MS } from './clone.js';

const EXAMPLES = 'test/examples';
const NAMES = ['bookings', 'photos', 'visits'];
const ALL = NAMES.join('|');
/** What only lint sees: what a team adds to the visits, and a stock module, whose routes name no scope. */
const PARTS = /^(backfill|by-name|kennels)\//;

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

describe('The examples of the guide, as contexts of the service', () => {
  let clone: Clone;
  const parts: string[] = [];

  beforeAll(() => {
    clone = new Clone();
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
      '-r',
      EXAMPLES,
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
  });

  afterAll(() => clone.remove());

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
    clone.pass('test/tools/node_modules/.bin/prettier', '--write', list);
  }

  it(
    'are accepted with the command of the guide',
    () => {
      clone.pass('npm', 'run', '--silent', 'openapi:accept');
      expect(clone.read('docs/openapi.json')).toContain('"changeBooking"');
      expect(clone.read('docs/openapi.json')).toContain('"image/png"');
      expect(clone.read('clients/typescript/src/generated/operations.ts')).toContain(
        "listPets: Method<'listPetsV2'>",
      );
    },
    MINUTES_MS,
  );

  it(
    'pass lint',
    () => {
      const tests = NAMES.map((name) => `test/e2e/${name}.e2e-spec.ts`);
      clone.pass('npx', 'tsc', '--noEmit');
      clone.pass(
        'test/tools/node_modules/.bin/eslint',
        ...[...NAMES, 'kennels'].map((name) => `src/${name}`),
        ...tests,
        'test/e2e/requests',
      );
      clone.pass('npm', 'run', '--silent', 'dev', '--', 'layers');
      clone.pass('npm', 'run', '--silent', 'dev', '--', 'openapi:lint');
      clone.pass('rm', ...parts);
    },
    MINUTES_MS,
  );

  it(
    'pass their own tests, on every database, and those of every context',
    () => {
      const conventions =
        'test/conventions/(bounded|error-codes|folders|openapi|routes|statements|written|large-tables|work-per)';
      const ofEveryContext = [
        'src/contexts',
        'test/e2e/every-response',
        'test/e2e/methods',
        'test/e2e/connections',
        'test/fuzz/operations',
        'test/clients',
        conventions,
      ];
      clone.pass('npx', 'jest', ...NAMES, ...ofEveryContext);
    },
    MINUTES_MS,
  );
});
