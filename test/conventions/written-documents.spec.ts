import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describeOnPostgres, temporaryPostgresOptions } from '@animal-store/database/testing';
import { parseJson } from '@animal-store/kernel';
import { errorsOfOperations } from '@animal-store/openapi';
import { errorsPage } from '@animal-store/openapi/pages';
import { Metrics } from '@animal-store/operations';
import { guideOfError } from '../../src/guides.js';
import { loadSettings, SETTING_FACTS } from '../../src/settings/settings.js';
import { accepted } from '../support/accepted-document.js';
import { TestApp } from '../support/test-app.js';

const DOCS = resolve(__dirname, '../../docs');

/** The parts of a document by name: each operation, each component, and what else it has. */
function partsOf(document: unknown): Map<string, unknown> {
  const { paths, components, ...rest } = document as Record<string, Record<string, object>>;
  const groups = Object.entries({ ...paths, ...components });
  const parts = groups.flatMap(([group, members]) =>
    Object.entries(members).map(([name, part]): [string, unknown] => [`${group} ${name}`, part]),
  );
  return new Map([...Object.entries(rest), ...parts]);
}

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

const code = (text: string) => (text === '' ? '' : `\`${text}\``);

function settings(): string {
  const rows = SETTING_FACTS.map(
    ({ name, type, range, standard, isOwn }) =>
      `- ${code(name)}${isOwn ? '*' : ''}: ${range ?? type}${standard === '' ? '' : `; ${code(standard)}`}`,
  );
  return rows.join('\n');
}

function metrics(store: TestApp): string {
  const all = store.app.get(Metrics).registry.getMetricsAsArray() as unknown as Metric[];
  const rows = all
    .filter(({ name }) => name.startsWith('animal_store_'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, labelNames, help }) => {
      const labels = labelNames.length === 0 ? '' : ` by ${labelNames.map(code).join(', ')}`;
      return `- ${code(name)}, ${type}${labels}: ${help}`;
    });
  return rows.join('\n');
}

const HEAD = `-- Every statement that the service prepares, by database and table. A review sees what a change does to them.
-- Written by "npm run openapi:accept"; a test fails when it differs. Not here: that of migrations and \`migrate-data\`.
-- "grouped": equal and different reads of a moment share a statement, which this text becomes a part of (decision 15).
-- "excepted": why no test refuses that it reads a whole table or sorts its rows.
`;
const TITLES = { sqlite: '\n-- == SQLite ==\n', postgres: '\n-- == PostgreSQL ==\n' };

/** Each clause on a line of its own, so that a difference shows the clause. */
function lines(sql: string): string {
  const text = sql.replace(/\s+/g, ' ').trim();
  return text.replace(
    /(?<!DELETE) (?=(FROM|WHERE|ORDER BY|LIMIT|UNION ALL|SET|VALUES|RETURNING|ON CONFLICT)\b)/g,
    '\n  ',
  );
}

/** The statements of a database, as the file has them. */
function statementsOf({ statements: { built } }: TestApp, dialect: keyof typeof TITLES): string {
  const tables = new Map<string, Set<string>>();
  for (const { table, sql, exception, statement } of built) {
    const notes = [
      ...(statement?.groupable ? ['-- grouped'] : []),
      ...(exception === null ? [] : [`-- excepted: ${exception}`]),
    ];
    const texts = tables.get(table) ?? new Set();
    tables.set(table, texts.add([...notes, `${lines(sql)};`].join('\n')));
  }
  const parts = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    TITLES[dialect] + parts.map(([table, texts]) => `\n-- ${table}\n\n${[...texts].join('\n')}\n`).join('')
  );
}

/** The part of the file as it is. */
function writtenStatements(dialect: keyof typeof TITLES): string {
  const text = readFileSync(resolve(DOCS, 'statements.sql'), { encoding: 'utf8', flag: 'a+' });
  const [, ofSqlite = '', ofPostgres = ''] = text.split(/^-- == \w+ ==\n/m);
  return TITLES[dialect] + (dialect === 'sqlite' ? ofSqlite.slice(0, -1) : ofPostgres);
}

function checkStatements(store: TestApp, dialect: keyof typeof TITLES): void {
  const text = statementsOf(store, dialect);
  const other = writtenStatements(dialect === 'sqlite' ? 'postgres' : 'sqlite');
  const parts = dialect === 'sqlite' ? [text, other] : [other, text];
  if (process.env['ACCEPT']) writeFileSync(resolve(DOCS, 'statements.sql'), HEAD + parts.join(''));
  expect(writtenStatements(dialect)).toBe(text);
}

/** One application makes all of them: `npm run openapi:accept` and the other commands run this suite. */
describe('What the code writes is as written; accept an intended change with "npm run openapi:accept":', () => {
  let store: TestApp;

  beforeAll(async () => (store = await TestApp.start({ METRICS_PORT: '0' })));
  afterAll(() => store.stop());

  it('docs/openapi.json', async () => {
    const { text } = await store.send('GET', '/openapi.json', null).expect(200);
    const documented = partsOf(parseJson(accepted(resolve(DOCS, 'openapi.json'), text)));
    const served = partsOf(parseJson(text));
    const names = [...new Set([...served.keys(), ...documented.keys()])];

    // Only the names of the parts: all the differences would be thousands of lines, and git shows them afterwards.
    expect(names.filter((name) => !isDeepStrictEqual(served.get(name), documented.get(name)))).toEqual([]);
  });

  it('docs/errors.md', () => {
    const text = errorsPage(errorsOfOperations(), { limits: loadSettings({}).server, guideOfError });
    expect(accepted(resolve(DOCS, 'errors.md'), text)).toBe(text);
  });

  it('docs/statements.sql of SQLite', () => checkStatements(store, 'sqlite'));

  describeOnPostgres('and of PostgreSQL', () => {
    it('docs/statements.sql', async () => {
      const { url } = await temporaryPostgresOptions();
      const other = await TestApp.start({ DATABASE_URL: url });
      await other.stop();
      checkStatements(other, 'postgres');
    });
  });

  it('docs/reference.md', () => {
    const file = resolve(DOCS, 'reference.md');
    const text = `# Settings and metrics

Written by "npm run openapi:accept" from the code; a test fails when it differs.

## Settings

Values; default. [\`.env.example\`](../.env.example) says what each is for. Use one file for all replicas: they must agree on all but those
with a \\*.

${settings()}

## Metrics

Beside these, the \`nodejs_*\` and \`process_*\` of prom-client.

${metrics(store)}
`;
    if (process.env['ACCEPT']) writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});
