// `npm run libs:pack [-- --pack-destination folder]` builds the tarballs of the libraries that are not private. They hold
// CommonJS, which every application loads, and Jest too; a second build of ES modules would be a second copy of each
// class and key beside the first. The service's own build, in `dist`, has no types.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const libraries = readdirSync(join(root, 'libs'))
  .map((name) => ({ name, source: join(root, 'libs', name) }))
  .map((library) => ({ ...library, text: readFileSync(join(library.source, 'package.json'), 'utf8') }))
  .filter(({ text }) => !JSON.parse(text).private);

const place = mkdtempSync(join(tmpdir(), 'animal-store-libraries-'));
try {
  const built = join(place, 'built');
  const project = join(place, 'tsconfig.json');
  writeFileSync(project, JSON.stringify(compilation(built)));
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
  for (const { name, source, text } of libraries) {
    const folder = join(place, name);
    mkdirSync(folder);
    renameSync(join(built, name, 'src'), join(folder, 'dist'));
    for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE'])
      cpSync(join(source, file), join(folder, file));
    writeFileSync(join(folder, 'package.json'), published(text));
  }
  run('npm', ['pack', ...libraries.map(({ name }) => join(place, name)), ...process.argv.slice(2)]);
} finally {
  rmSync(place, { recursive: true });
}

/** One compilation of all libraries. `npm run typecheck` has checked the types. */
function compilation(outDir) {
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      module: 'commonjs',
      moduleResolution: 'bundler',
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      rootDir: join(root, 'libs'),
      outDir,
      declaration: true,
      sourceMap: false,
      noCheck: true,
    },
    include: libraries.map(({ source }) => join(source, 'src')),
    exclude: [
      join(root, 'libs/**/*.spec.ts'),
      ...libraries.filter(({ text }) => !shipsTesting(text)).map(({ source }) => join(source, 'src/testing')),
    ],
  };
}

/** Whether its code for tests is for others, too: then it has types. */
function shipsTesting(description) {
  return JSON.parse(description).exports['./testing']?.types !== undefined;
}

/** The package.json of the tarball, which has no sources, and no code for tests unless it ships that. */
function published(description) {
  const isLeftOut = (key) => key === 'source' || (key === './testing' && !shipsTesting(description));
  const withoutSource = (key, value) => (isLeftOut(key) ? undefined : value);
  return `${JSON.stringify({ ...JSON.parse(description, withoutSource), type: 'commonjs' }, null, 2)}\n`;
}

function run(program, words) {
  // On Windows npm is a shell script.
  const shell = process.platform === 'win32' && program === 'npm';
  const { status } = spawnSync(program, words, { stdio: 'inherit', shell });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} failed.`);
}
