import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SETTING_FACTS } from '../../src/settings/settings.js';

const ROOT = resolve(__dirname, '../..');
const FILE = resolve(ROOT, 'docs/reference.md');

describe('docs/reference.md', () => {
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
