import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** Without the indentation, as a snippet may be a part of a class. */
function linesOf(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
}

const EXAMPLES = readdirSync(join(ROOT, 'test/examples'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => linesOf(readFileSync(join(ROOT, 'test/examples', file), 'utf8')));

describe('docs/adding-a-module.md', () => {
  it('shows only code of the examples, which are compiled and run', () => {
    const page = readFileSync(join(ROOT, 'docs/adding-a-module.md'), 'utf8');
    const snippets = [...page.matchAll(/^```ts\n(.*?)^```/gms)].flatMap(([, code]) => code!.split('// …\n'));

    const unknown = snippets.filter((code) => !EXAMPLES.some((file) => file.includes(linesOf(code).trim())));
    expect(unknown).toEqual([]);
    expect(snippets.length).toBeGreaterThan(20);
  });
});
