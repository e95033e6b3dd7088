import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const MOST = 9;
const NO_SOURCE = /\.(spec|e2e-spec|contract)\.ts$/;
/** Built, made by npm, or for tests alone. */
const LEFT_OUT = ['dist', 'node_modules', 'testing'];

/** What a folder with more should become. */
const CURE = 'Divide it into folders, as src/access/infrastructure is.';

/** Every folder below this one, with the number of its source files. */
function foldersIn(folder: string): [folder: string, files: number][] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const sources = entries.filter(({ name }) => name.endsWith('.ts') && !NO_SOURCE.test(name));
  const folders = entries.filter((entry) => entry.isDirectory() && !LEFT_OUT.includes(entry.name));
  return [[folder, sources.length], ...folders.flatMap(({ name }) => foldersIn(join(folder, name)))];
}

describe('A folder of src or libs', () => {
  it(`has at most ${MOST} source files`, () => {
    const crowded = [...foldersIn('src'), ...foldersIn('libs')].filter(([, files]) => files > MOST);
    expect(crowded.map(([folder, files]) => `${folder} has ${files}. ${CURE}`)).toEqual([]);
  });
});

describe('A file of src', () => {
  it('is imported by another, unless it is a spec or begins a program', () => {
    const files = ['src', 'test', 'scripts', 'bench'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.m?[tj]s$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
        .map((file) => join(folder, file)),
    );
    const imported = new Set(
      files.flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/['/]([\w.-]+)\.js['?]/g)].map(([, name]) => name),
      ),
    );
    const unused = files.filter(
      (file) =>
        file.startsWith('src/') &&
        !/(\.spec|\.main|\/main)\.ts$/.test(file) &&
        !imported.has(basename(file, '.ts')),
    );

    expect(unused.map((file) => `${file} is imported nowhere. Delete it, or use it.`)).toEqual([]);
  });
});
