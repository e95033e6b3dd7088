import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { httpErrorFrom } from '@animal-store/http-errors';
import { errorsOfOperations } from '@animal-store/openapi';
import { errorsPage } from '@animal-store/openapi/pages';
import { DomainError } from '@animal-store/kernel';
// It has every operation, with its errors.
import '../../src/app.module.js';
import { guideOfError } from '../../src/guides.js';
import { loadSettings } from '../../src/settings/settings.js';
import { acceptedDocument, operationsOf } from '../support/documented-operations.js';

const ROOT = resolve(__dirname, '../..');
const PAGE = join(ROOT, 'docs/errors.md');
const NOT_SHIPPED = /\.(spec|contract)\.ts$|\/testing\//;
/** Codes that are never sent over HTTP: those of the command line, and one of the validation of settings. */
const NOT_OVER_HTTP = [
  'account_not_found',
  'account_suspended',
  'job_not_found',
  'job_not_changeable',
  'usage_unavailable',
  'custom',
];
/** Of what modules may add, and no operation of the service sends: bytes and streams. */
const NOT_OF_THE_SERVICE = ['range_not_satisfiable', 'too_many_streams'];

class Sample extends DomainError {
  constructor(kind: DomainError['kind']) {
    super('sample', kind, 'Sample.');
  }
}

/** Shares the code of an animal that is not available. */
class PetHibernates extends DomainError {
  static readonly when = 'The animal hibernates.';
  static readonly fix = 'Come back in spring.';
  static readonly example = new PetHibernates();

  constructor() {
    super('pet_not_available', 'conflict', 'It hibernates.');
  }
}

function statusOf(kind: string): number {
  return httpErrorFrom(new Sample(kind as DomainError['kind'])).status;
}

/** The codes in a source text: `404 pet_not_found`, or `pet_not_found` when the text does not have the status. */
function codesIn(source: string): string[] {
  const coded = [...source.matchAll(/(?:\[(\d{3}), \['|(?:status: (\d{3}),\s+)?code: ')(\w+)'/g)];
  const domain = [...source.matchAll(/super\(\s*'(\w+)',\s*'([a-z-]+)'/g)];
  return [
    ...coded.map(([, byStatus = '', status = byStatus, code]) => `${status} ${code}`.trim()),
    ...domain.map(([, code, kind]) => `${statusOf(kind!)} ${code}`),
  ];
}

function shippedSources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.ts') && !NOT_SHIPPED.test(path));
}

/** The code and the status of each error. */
function rowsOf(page: string): string[][] {
  return [...page.matchAll(/^- `(\w+)` (\d{3}):/gm)].map(([, code, status]) => [code!, status!]);
}

describe('docs/errors.md', () => {
  const page = readFileSync(PAGE, 'utf8');
  const rows = rowsOf(page);
  const codes = rows.map(([code]) => code!);
  const limits = loadSettings({}).server;
  const documented = rows.map(([code, status]) => `${status} ${code}`);
  const sources = [...shippedSources('src'), ...shippedSources('libs')];
  const inSources = sources.flatMap((path) => codesIn(readFileSync(join(ROOT, path), 'utf8')));
  const inDocument = operationsOf(acceptedDocument()).flatMap(({ errors }) =>
    errors.map(({ status, code }) => `${status} ${code}`),
  );
  const inUse = [...inSources, ...inDocument].filter(
    (entry) => !NOT_OVER_HTTP.includes(entry.replace(/^\d+ /, '')),
  );

  it('has a row for each class of a shared code, with its own fix', () => {
    const lines = errorsPage([...errorsOfOperations(), PetHibernates], { limits, guideOfError }).split('\n');

    const shared = lines.filter((line) => line.startsWith('- `pet_not_available` 409:'));
    expect(shared[0]).not.toContain('hibernates');
    // Other contexts may share the code, too.
    expect(shared.at(-1)).toBe(
      '- `pet_not_available` 409: The animal hibernates. Come back in spring. [Retries](api/retries.md)',
    );
  });

  it('has a row for every code in the sources and in the OpenAPI document, with its status', () => {
    const ofService = inUse.filter((entry) => !NOT_OF_THE_SERVICE.includes(entry));
    const missing = ofService.filter((entry) => !(entry.includes(' ') ? documented : codes).includes(entry));

    expect([...new Set(missing)]).toEqual([]);
    expect(inUse.length).toBeGreaterThan(codes.length);
  });

  it('leads from an error that a guide names to a guide', () => {
    const folder = join(ROOT, 'docs/api');
    const guides = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    // `gone` alone is why a webhook is disabled.
    const named = codes.filter((code) => code.includes('_') && guides.includes(`\`${code}\``));

    expect(named).toContain('order_not_open');
    expect(named.filter((code) => guideOfError(code) === null)).toEqual([]);
  });

  it('has one status for each code', () => {
    const withStatus = [...new Set(inUse)].filter((entry) => entry.includes(' '));
    const codeOf = (entry: string) => entry.split(' ')[1];

    expect(
      withStatus.filter((entry) =>
        withStatus.some((other) => other !== entry && codeOf(other) === codeOf(entry)),
      ),
    ).toEqual([]);
  });

  it('has no row for a code that is no longer used', () => {
    const used = new Set(inUse.map((entry) => entry.replace(/^\d+ /, '')));

    expect(codes.filter((code) => !used.has(code))).toEqual([]);
  });

  it('describes every error where it is thrown from: no code is given to an exception of Nest in place', () => {
    const inPlace = sources.filter((path) =>
      /^(?! \*).*new \w+Exception\(\s*\{\s*code:/m.test(readFileSync(join(ROOT, path), 'utf8')),
    );

    expect(inPlace).toEqual([]);
  });
});
