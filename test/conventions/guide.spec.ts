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

/** Every file here is compiled and run. */
const CODE = ['test/examples', 'src', 'libs/database/src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => linesOf(readFileSync(join(ROOT, folder, file), 'utf8'))),
);

describe('What a team reads', () => {
  it.each([
    ['docs/adding-a-module.md', 27],
    ['docs/statements.md', 3],
  ])('shows only code that is compiled and run: %s', (name, least) => {
    const page = readFileSync(join(ROOT, name), 'utf8');
    const snippets = [...page.matchAll(/^```ts\n(.*?)^```/gms)].flatMap(([, code]) => code!.split('// …\n'));

    const unknown = snippets.filter((code) => !CODE.some((file) => file.includes(linesOf(code).trim())));
    expect(unknown).toEqual([]);
    expect(snippets.length).toBeGreaterThanOrEqual(least);
  });
});
