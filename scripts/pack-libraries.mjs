// `npm run libs:pack [-- --pack-destination folder]` builds the tarballs of the libraries. Each is built in a temporary
// folder: `dist` in its own folder is the service's build, without types.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
// A private package is of this service alone.
const names = readdirSync(join(root, 'libs'), { withFileTypes: true }).filter(
  (one) => one.isDirectory() && !JSON.parse(readFileSync(join(root, 'libs', one.name, 'package.json'))).private,
);
const place = mkdtempSync(join(tmpdir(), 'animal-store-libraries-'));
try {
  for (const { name } of names) {
    const source = join(root, 'libs', name);
    const folder = join(place, name);
    const project = join(source, 'tsconfig.build.json');
    // `npm run typecheck` has checked the types.
    run(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      project,
      '--noCheck',
      '--outDir',
      join(folder, 'dist'),
    ]);
    for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE'])
      cpSync(join(source, file), join(folder, file));
    writeFileSync(
      join(folder, 'package.json'),
      published(readFileSync(join(source, 'package.json'), 'utf8')),
    );
  }
  run('npm', ['pack', ...names.map(({ name }) => join(place, name)), ...process.argv.slice(2)]);
} finally {
  rmSync(place, { recursive: true });
}

/** The package.json of the tarball, which has no sources and no code for tests: their entries are removed. */
function published(description) {
  const withoutSource = (key, value) => (key === 'source' || key === './testing' ? undefined : value);
  return `${JSON.stringify(JSON.parse(description, withoutSource), null, 2)}\n`;
}

function run(program, words) {
  // On Windows npm is a shell script.
  const shell = process.platform === 'win32' && program === 'npm';
  const { status } = spawnSync(program, words, { stdio: 'inherit', shell });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} failed.`);
}
