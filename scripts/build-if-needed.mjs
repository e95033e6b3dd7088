// Builds the service when there is no build or a source is newer, where it can start. It prints only to stderr, so that
// commands with their own output can run it first.
import './can-start.mjs';
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ENTRY = 'dist/main.js';
const SETTINGS = [
  'package.json',
  // The packages in package-lock.json are part of the bundles.
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'scripts/bundle.mjs',
  'scripts/clean-build.mjs',
  'scripts/link-libraries.mjs',
  'scripts/build-assets.mjs',
  'scripts/write-commit.mjs',
  'CHANGELOG.md',
  'clients/typescript/README.md',
  'clients/typescript/package.json',
  'clients/typescript/src',
];
const SOURCES = ['src', 'libs', ...SETTINGS];

function newestMs(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  // The dist of a library is a link to this build, so it is no source.
  const entries = readdirSync(path).filter((entry) => entry !== 'dist');
  return Math.max(stats.mtimeMs, ...entries.map((entry) => newestMs(join(path, entry))));
}

const builtMs = statSync(ENTRY, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (Math.max(...SOURCES.map(newestMs)) > builtMs) {
  process.stderr.write('Building …\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 2, 2] });
  process.exit(status ?? 1);
}
// A commit changes no source.
spawnSync(process.execPath, ['scripts/write-commit.mjs'], { stdio: ['ignore', 2, 2] });
