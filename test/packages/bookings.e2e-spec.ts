import { Clone, MINUTES_MS } from './clone.js';

const EXAMPLES = 'test/examples';

/** Where a team would have the file. */
function placeOf(example: string): string {
  return example
    .replace(/^bookings\//, 'src/bookings/')
    .replace(/^bookings\.requests/, 'test/e2e/requests/bookings.requests')
    .replace(/^bookings\.e2e/, 'test/e2e/bookings.e2e');
}

describe('The bookings of the guide, as a context of the service', () => {
  let clone: Clone;

  beforeAll(() => {
    clone = new Clone();
    for (const file of clone.files(EXAMPLES)) {
      const place = placeOf(file.slice(EXAMPLES.length + 1));
      const text = clone
        .read(file)
        .replaceAll('../../../../src/', '../../')
        .replaceAll('../../../src/', '../')
        .replaceAll('../e2e/requests/', './');
      clone.write(place, text);
    }
    clone.run('rm', '-r', EXAMPLES);
    const scopes = 'src/access/domain/scope.ts';
    clone.write(
      scopes,
      clone.read(scopes).replace('export const SCOPES = [', "$&\n  'bookings:read',\n  'bookings:write',"),
    );
    register('src/app.module.ts', 'PetsModule', 'BookingsModule', './bookings/bookings.module.js');
    register('src/tables.ts', 'petsTables', 'bookingsTables', './bookings/infrastructure/bookings.tables.js');
  });

  afterAll(() => clone.remove());

  function register(list: string, beside: string, name: string, from: string): void {
    const text = clone.read(list).replace(`${beside},`, `${beside}, ${name},`);
    clone.write(list, `import { ${name} } from '${from}';\n${text}`);
    clone.pass('npx', 'prettier', '--write', list);
  }

  it(
    'are accepted with the command of the guide',
    () => {
      clone.pass('npm', 'run', '--silent', 'openapi:accept');
      expect(clone.read('docs/openapi.json')).toContain('"changeBooking"');
    },
    MINUTES_MS,
  );

  it(
    'pass lint',
    () => {
      clone.pass('npx', 'tsc', '--noEmit');
      clone.pass('npx', 'eslint', ...['src/bookings', 'test/e2e/bookings.e2e-spec.ts', 'test/e2e/requests']);
      clone.pass('npm', 'run', '--silent', 'layers');
      clone.pass('npm', 'run', '--silent', 'openapi:lint');
    },
    MINUTES_MS,
  );

  it(
    'pass their own tests, on every database, and those of every context',
    () => {
      const conventions =
        'test/conventions/(bounded|error-codes|folders|openapi|routes|statements|large-tables|work-per)';
      const ofEveryContext = [
        'src/tables',
        'test/e2e/every-response',
        'test/e2e/methods',
        'test/fuzz/operations',
        conventions,
      ];
      clone.pass('npx', 'jest', 'bookings', ...ofEveryContext);
    },
    MINUTES_MS,
  );
});
