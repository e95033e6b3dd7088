import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Metrics } from '@animal-store/operations';
import { SETTING_FACTS } from '../../src/settings/settings.js';
import { TestApp } from '../support/test-app.js';

const ROOT = resolve(__dirname, '../..');
const FILE = resolve(ROOT, 'docs/reference.md');
const ACCEPT = 'npm run reference:accept';

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

const code = (text: string) => (text === '' ? '' : `\`${text}\``);

const names = (facts: typeof SETTING_FACTS) => facts.map(({ name }) => code(name)).join(', ');

function settings(): string {
  const rows = SETTING_FACTS.map(
    ({ name, type, range, standard }) =>
      `- ${code(name)}: ${range ?? type}${standard === '' ? '' : `; ${code(standard)}`}`,
  );
  const since = (release: string) => names(SETTING_FACTS.filter((one) => one.since === release));
  return `${rows.join('\n')}

Replicas must agree on all but ${names(SETTING_FACTS.filter(({ isOwn }) => isOwn))}.

Since 1.1.0: ${since('1.1.0')}. Since 2.0.0: ${since('2.0.0')}.`;
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

describe(`docs/reference.md has every setting and every metric; accept an intended change with "${ACCEPT}"`, () => {
  it('as the code has them', async () => {
    const store = await TestApp.start({ METRICS_PORT: '0' });
    const text = `# Settings and metrics

Written by "${ACCEPT}" from the code; a test fails when it differs.

## Settings

Values; default. [\`.env.example\`](../.env.example) says what each is for.

${settings()}

## Metrics

Beside these, the \`nodejs_*\` and \`process_*\` of prom-client.

${metrics(store)}
`;
    await store.stop();
    if (process.env['ACCEPT']) writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });

  it('and .env.example has the default of each setting', () => {
    const example = readFileSync(resolve(ROOT, '.env.example'), 'utf8');
    const inExample = new Map(
      [...example.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    const differing = SETTING_FACTS.filter(({ name, standard }) => {
      const value = inExample.get(name);
      // An empty one means the default.
      return value !== standard && value !== '';
    });
    expect(differing.map(({ name }) => name)).toEqual([]);
    expect([...inExample.keys()]).toEqual(SETTING_FACTS.map(({ name }) => name));
  });

  it('names no metric without a meaning', () => {
    const page = readFileSync(FILE, 'utf8').split('## Metrics')[1]!;
    const rows = page.split('\n').filter((line) => line.startsWith('- `'));
    expect(rows.filter((row) => /: *$/.test(row))).toEqual([]);
    expect(rows.filter((row) => row.includes('animal_store_')).length).toBeGreaterThan(20);
  });
});
