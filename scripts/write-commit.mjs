// Writes dist/commit.txt: which commit this build is of, with `-dirty` when files differ from it. An image is built without
// the repository, so COMMIT names it there.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = 'dist/commit.txt';
writeFileSync(FILE, process.env.COMMIT || described());

function described() {
  try {
    const words = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return existsSync(FILE) ? readFileSync(FILE, 'utf8') : 'unknown';
  }
}
