import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';

const ROOT = resolve(__dirname, '../..');

describe('docs/operating.md', () => {
  it('has every setting with the default in .env.example', () => {
    const example = parseEnv(readFileSync(resolve(ROOT, '.env.example'), 'utf8'));
    const page = readFileSync(resolve(ROOT, 'docs/operating.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (?:`([^`]+)`)? +\|/gm)];
    expect(Object.fromEntries(rows.map(([, name, value = '']) => [name, value]))).toEqual(example);
  });
});
