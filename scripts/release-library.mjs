// `npm run dev -- libs:release NAME@VERSION [option of npm pack…]` builds the tarball of one library, if all agree on
// its version.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const [tag = '', ...options] = process.argv.slice(2);
const problem = problemOf(...tag.split('@'));
if (problem) {
  process.stderr.write(`libs:release: ${problem}\n`);
  process.exitCode = 2;
} else {
  const words = [join(root, 'scripts/pack-libraries.mjs'), tag.split('@')[0], ...options];
  process.exitCode = spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1;
}

/** Why this version of this library is not to be released; otherwise null. */
function problemOf(name, wanted) {
  const folder = join(root, 'libs', name);
  if (!/^[a-z-]+$/.test(name) || !existsSync(folder)) return `there is no library "${name}".`;
  const { version, private: isPrivate } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (isPrivate) return `${name} is private.`;
  if (version !== wanted) return `the package.json of ${name} has version ${version}, not ${wanted}.`;
  const [, heading] = /^## (.*)$/m.exec(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')) ?? [];
  return heading === version ? null : `the changelog of ${name} begins with "${heading}", not "${version}".`;
}
