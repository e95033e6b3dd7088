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

describe('A use case', () => {
  it('has one method that others call: execute', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.use-case.ts'),
    );
    const methods = files.flatMap((file) =>
      [...readFileSync(join('src', file), 'utf8').matchAll(/^  (?:async )?\*?(\w+)[(<](?:.*[^;])?$/gm)]
        .filter(([, method]) => method !== 'constructor')
        .map(([, method]) => `${file}: ${method}`),
    );
    expect(methods).toEqual(files.map((file) => `${file}: execute`));
  });
});

describe('A page', () => {
  const read = (file: string) => readFileSync(file, 'utf8');
  const foldersOf = (folder: string) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['dist', 'node_modules'].includes(entry.name))
      .map(({ name }) => name);

  it.each([
    ['test/README.md', 'test'],
    ['libs/web/README.md', 'libs/web/src'],
    ['src/pets/README.md', 'src/pets'],
    ['src/orders/README.md', 'src/orders'],
    ['src/webhooks/README.md', 'src/webhooks'],
    ['src/access/README.md', 'src/access'],
  ])('%s has every folder of %s', (page, folder) => {
    const text = read(page);
    expect(foldersOf(folder).filter((name) => !text.includes(`${name}/`))).toEqual([]);
  });

  it('docs/glossary.md has every kind of file', () => {
    const files = ['src', 'libs', 'test'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file))
        .map((file) => join(folder, file)),
    );
    const kinds = files.flatMap((file) => /\/[\w@-]+\.([\w-]+)\.ts$/.exec(file)?.[1] ?? []);
    const [, section] = read('docs/glossary.md').split('## How are files named?');
    const known = [...section!.matchAll(/`\.([\w-]+)`/g)].map(([, kind]) => kind);

    expect([...new Set(kinds)].filter((kind) => kind !== 'd' && !known.includes(kind)).sort()).toEqual([]);
    expect(kinds.length).toBeGreaterThan(400);
  });

  it('docs/README.md has every package that others may install', () => {
    const packages = readdirSync('libs').filter(
      (name) => !read(`libs/${name}/package.json`).includes('"private"'),
    );
    const text = read('docs/README.md');
    expect(packages.filter((name) => !text.includes(`libs/${name}/README.md`))).toEqual([]);
    expect(packages.length).toBeGreaterThan(4);
  });

  it('that says how to install a package names the version of its tarball', () => {
    const named = ['clients/typescript', ...readdirSync('libs').map((name) => `libs/${name}`)].flatMap(
      (folder) => {
        const { version } = JSON.parse(read(`${folder}/package.json`)) as { version: string };
        return [...read(`${folder}/README.md`).matchAll(/animal-store-[a-z-]+-(\d\S+)\.tgz/g)].map(
          ([, shown]) => [folder, shown, version] as const,
        );
      },
    );
    expect(named.filter(([, shown, version]) => shown !== version)).toEqual([]);
    expect(named.length).toBeGreaterThanOrEqual(7);
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
