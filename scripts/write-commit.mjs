// Writes dist/commit.txt: which commit this build is of, with `-dirty` when files differ from it. An image is built without
// the repository, so COMMIT names it there.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

writeFileSync('dist/commit.txt', process.env.COMMIT || described());

function described() {
  try {
    const words = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}
