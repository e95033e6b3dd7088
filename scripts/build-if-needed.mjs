// Builds the service when there is no build of these sources, where it can start and be built. It prints only to
// stderr, so that commands with their own output can run it first.
import './can-start.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { commitOfBuild } from './build/commit.mjs';
import { replaceFile } from './build/publish.mjs';
import { canBuild } from './build/sources.mjs';

const COMMIT = 'dist/commit.txt';

if (canBuild()) {
  const words = ['scripts/build/build.mjs', 'programs', 'assets'];
  const { status } = spawnSync(process.execPath, words, { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  // A commit changes no source.
  const commit = commitOfBuild();
  if (commit !== readFileSync(COMMIT, 'utf8')) replaceFile(COMMIT, commit);
} else if (!existsSync('dist/main.js')) {
  process.stderr.write(
    'The service is not built, and what builds it is not installed: run "npm ci", then "npm run build".\n',
  );
  process.exit(1);
}
