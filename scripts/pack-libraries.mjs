// `npm run dev -- libs:pack [name… --pack-destination folder]` builds the tarballs of the libraries that are not
// private. They contain CommonJS, which every application loads, and Jest too; a second build of ES modules would be a
// second copy of each class and key beside the first. Each package has a copy of what it uses of the kernel, so it
// installs alone. The service's own build, in `dist`, has no types.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const firstOption = process.argv.findIndex((word) => word.startsWith('--'));
const options = firstOption < 0 ? [] : process.argv.slice(firstOption);
/** The libraries to pack: without a name, all. */
const names = process.argv.slice(2, firstOption < 0 ? undefined : firstOption);
const libraries = readdirSync(join(root, 'libs'))
  .map((name) => ({ name, source: join(root, 'libs', name) }))
  .map((library) => ({
    ...library,
    description: JSON.parse(readFileSync(join(library.source, 'package.json'), 'utf8')),
  }))
  .filter(({ name, description }) => !description.private && (names.length === 0 || names.includes(name)));
/** What a package.json of this repository says, and a tarball has no use for. */
const NOT_PACKED = ['source', 'scripts', '@animal-store/kernel'];

const kernel = join(root, 'libs/kernel/src');
/** The file of each name that the kernel exports, for each of its entries. */
const kernelFiles = {
  '': exportsOf(join(kernel, 'index.ts'), 'kernel'),
  '/http': exportsOf(join(kernel, 'http/index.ts'), 'kernel/http'),
};

const place = mkdtempSync(join(tmpdir(), 'animal-store-libraries-'));
try {
  // The compiler needs the types of the packages that the libraries use.
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'), 'junction');
  const compiling = libraries.map(async ({ name, source, description }) => {
    const folder = join(place, name);
    cpSync(join(source, 'src'), join(folder, 'src'), { recursive: true });
    cpSync(kernel, join(folder, 'src/kernel'), { recursive: true });
    importKernelByFile(join(folder, 'src'));
    const project = join(folder, 'tsconfig.json');
    writeFileSync(project, JSON.stringify(compilation(entriesOf(description))));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
    for (const path of [join(folder, 'src'), project]) rmSync(path, { recursive: true });
    for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE'])
      cpSync(join(source, file), join(folder, file));
    writeFileSync(join(folder, 'package.json'), published(name, description));
  });
  await Promise.all(compiling);
  await run('npm', ['pack', ...libraries.map(({ name }) => join(place, name)), ...options]);
} finally {
  rmSync(place, { recursive: true });
}

/** The names that an index exports, each with its file. */
function exportsOf(index, folder) {
  const lists = readFileSync(index, 'utf8').matchAll(/^export (?:type )?\{(.*?)\} from '\.\/(.*?)';$/gms);
  const names = [...lists].flatMap(([, list, file]) =>
    list.match(/\w+/g).map((name) => [name, `${folder}/${file}`]),
  );
  return new Map(names);
}

/** Lets sources import each name from its file in a copy of the kernel, so that only such files are compiled. */
function importKernelByFile(folder) {
  for (const path of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.ts'))) {
    const file = join(folder, path);
    const up = '../'.repeat(path.split(sep).length - 1) || './';
    const text = readFileSync(file, 'utf8').replace(
      /^import (type )?\{([^}]*)\} from '@animal-store\/kernel(\/http)?';$/gm,
      (_, type = '', list, entry = '') =>
        list
          .split(',')
          .filter((one) => one.trim() !== '')
          .map(
            (one) =>
              `import ${type}{ ${one.trim()} } from '${up}${kernelFiles[entry].get(/^(?:type )?(\w+)/.exec(one.trim())[1])}';`,
          )
          .join('\n'),
    );
    writeFileSync(file, text);
  }
}

/** Whether an entry is for others, too: code for the tests of this repository alone has no types. */
function isPublished({ source, types }) {
  return source === undefined || types !== undefined;
}

/** The sources of what a package exports. */
function entriesOf({ exports }) {
  return Object.values(exports).flatMap((entry) => (isPublished(entry) ? (entry.source ?? []) : []));
}

/** `npm run typecheck` has checked the types. */
function compilation(files) {
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      module: 'commonjs',
      moduleResolution: 'bundler',
      types: ['node', 'jest'],
      typeRoots: [join(root, 'node_modules/@types')],
      rootDir: 'src',
      outDir: 'dist',
      declaration: true,
      sourceMap: false,
      noCheck: true,
    },
    include: [],
    files,
  };
}

/** The package.json of the tarball, which has no sources, and no code for tests that is not for others. */
function published(name, description) {
  const exports = Object.fromEntries(
    Object.entries(description.exports).filter(([, entry]) => isPublished(entry)),
  );
  const whole = { ...description, exports, ...origin(name), type: 'commonjs' };
  const wanted = (key, value) => (NOT_PACKED.includes(key) ? undefined : value);
  return `${JSON.stringify(whole, wanted, 2)}\n`;
}

/** Where the sources are. A release says it; a tarball for a trial does without. */
function origin(name) {
  const url = process.env['REPOSITORY_URL'];
  if (!url) return {};
  return {
    repository: { type: 'git', url: `git+${url}.git`, directory: `libs/${name}` },
    homepage: `${url}/tree/main/libs/${name}#readme`,
    bugs: `${url}/issues`,
  };
}

async function run(program, words) {
  // On Windows npm is a shell script.
  const shell = process.platform === 'win32' && program === 'npm';
  const [status] = await once(spawn(program, words, { stdio: 'inherit', shell }), 'exit');
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} failed.`);
}
