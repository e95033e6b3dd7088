// Names the commit of a build, with `-dirty` when files differ from it. An image is built without the repository, so
// COMMIT names it there.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const LAST = 'dist/commit.txt';

export function commitOfBuild() {
  return process.env.COMMIT || described();
}

function described() {
  try {
    const words = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return existsSync(LAST) ? readFileSync(LAST, 'utf8') : 'unknown';
  }
}
