import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeOnPostgres, temporaryPostgresOptions } from '@animal-store/database/testing';
import { TestApp } from '../support/test-app.js';

const FILE = resolve(__dirname, '../../docs/statements.sql');
const ACCEPT = 'npm run statements:accept';
const HEAD = `-- Every statement that the service prepares, by database and table. A review sees what a change does to them.
-- Written by "${ACCEPT}"; a test fails when it differs. Migrations and \`migrate-data\` have SQL of their own.
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

/** The part of the file about a database. */
async function written(dialect: keyof typeof TITLES, environment: NodeJS.ProcessEnv): Promise<string> {
  const store = await TestApp.start(environment);
  const { built } = store.statements;
  await store.stop();
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
function accepted(dialect: keyof typeof TITLES): string {
  const text = readFileSync(FILE, { encoding: 'utf8', flag: 'a+' });
  const [, ofSqlite = '', ofPostgres = ''] = text.split(/^-- == \w+ ==\n/m);
  return TITLES[dialect] + (dialect === 'sqlite' ? ofSqlite.slice(0, -1) : ofPostgres);
}

async function check(dialect: keyof typeof TITLES, environment: NodeJS.ProcessEnv): Promise<void> {
  const text = await written(dialect, environment);
  const other = accepted(dialect === 'sqlite' ? 'postgres' : 'sqlite');
  const parts = dialect === 'sqlite' ? [text, other] : [other, text];
  if (process.env['ACCEPT']) writeFileSync(FILE, HEAD + parts.join(''));
  expect(accepted(dialect)).toBe(text);
}

describe(`docs/statements.sql has every statement; accept an intended change with "${ACCEPT}"`, () => {
  it('of SQLite', () => check('sqlite', {}));

  describeOnPostgres('of PostgreSQL', () => {
    it('each with its text', async () => {
      const { url } = await temporaryPostgresOptions();
      await check('postgres', { DATABASE_URL: url });
    });
  });
});
