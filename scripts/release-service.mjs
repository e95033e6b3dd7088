// `npm run dev -- release` prints the version of the service when it is to be released: it has no tag yet, and all who
// name it agree. It prints nothing while the changelog begins with what is unreleased. `--notes` prints what changed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const read = (path) => readFileSync(path, 'utf8');
const { version } = JSON.parse(read('package.json'));
const [, heading = '', notes = ''] = /^## (.*)\n([^]*?)(?=^## |$(?![^]))/m.exec(read('CHANGELOG.md')) ?? [];

if (process.argv.includes('--notes')) process.stdout.write(`${notes.trim()}\n`);
else if (heading !== 'Unreleased' && !hasTag()) {
  const problem = problemOf();
  process[problem ? 'stderr' : 'stdout'].write(`${problem ?? version}\n`);
  process.exitCode = problem ? 1 : 0;
}

function hasTag() {
  const { status, stdout, stderr } = spawnSync('git', ['tag', '--list', `v${version}`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim() !== '';
}

/** Why this version is not to be released; otherwise undefined. */
function problemOf() {
  if (heading !== version) return `release: CHANGELOG.md begins with "${heading}", not "${version}".`;
  const locked = JSON.parse(read('package-lock.json')).version;
  if (locked !== version)
    return `release: package-lock.json has version ${locked}, not ${version}: npm install.`;
  const image = `animal-store:${version}`;
  if (!read('ops/kubernetes/animal-store.yaml').includes(`image: ${image}\n`))
    return `release: ops/kubernetes/animal-store.yaml does not name ${image}.`;
  if (read('docs/openapi.json') !== read('docs/openapi.released.json'))
    return 'release: docs/openapi.released.json is another document: npm run dev -- openapi:breaking --release.';
  return undefined;
}
