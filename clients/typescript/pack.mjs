// `npm run dev -- client:pack [--pack-destination folder]` builds the tarball of the package. It is built in a
// temporary folder, as npm would warn everyone who installs a package with a prepare script.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const description = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
delete description.scripts;
const folder = mkdtempSync(join(tmpdir(), 'animal-store-client-'));
try {
  run(process.execPath, [join(import.meta.dirname, 'build.mjs'), join(folder, 'dist')]);
  for (const name of ['CHANGELOG.md', 'LICENSE']) {
    copyFileSync(join(import.meta.dirname, name), join(folder, name));
  }
  // Who reads it there has the package, and not this repository.
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  const installation = `\`\`\`sh\nnpm install ./${description.name}-${description.version}.tgz\n\`\`\``;
  writeFileSync(join(folder, 'README.md'), readme.replace(/```sh.*\n[^]*?```/, installation));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
  run('npm', ['pack', folder, ...process.argv.slice(2)]);
} finally {
  rmSync(folder, { recursive: true });
}

function run(program, words) {
  // On Windows npm is a shell script.
  const shell = process.platform === 'win32' && program === 'npm';
  const { status } = spawnSync(program, words, { stdio: 'inherit', shell });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} failed.`);
}
