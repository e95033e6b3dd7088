// `npm run dev -- TASK …`: what only people who change this project run, and not every day. Without a task it lists
// them. Words after the task go to its last command.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const BUILD = 'node scripts/build-if-needed.mjs';
const TOOLS = 'node scripts/install-tools.mjs';
const TASKS = {
  'client:generate': [
    'writes the types and operations of the client',
    TOOLS,
    'node scripts/generate-client.mjs',
  ],
  'client:pack': ['makes the tarball of the client', 'node clients/typescript/pack.mjs'],
  fairness: [
    'suites that compare times, alone',
    BUILD,
    'jest --testPathIgnorePatterns /node_modules/ --runInBand test/fairness/',
  ],
  format: ['writes every file in the style of this project', TOOLS, 'prettier --write .'],
  fuzz: ['sends requests by chance: --runs N --seed S', 'node scripts/fuzz.mjs'],
  layers: [
    'checks who imports whom',
    TOOLS,
    'node test/tools/node_modules/dependency-cruiser/bin/dependency-cruise.mjs src libs bench --config .dependency-cruiser.cjs',
  ],
  'libs:pack': ['makes the tarballs of the libraries', 'node scripts/pack-libraries.mjs'],
  'libs:release': ['makes the tarball of one library: NAME@VERSION', 'node scripts/release-library.mjs'],
  linearizability: [
    'fails parts of replicas by chance: --minutes N',
    BUILD,
    'tsc -p test/linearizability/tsconfig.json',
    'node --enable-source-maps dist/test/linearizability/linearizability.main.js',
  ],
  mutation: ['changes code to see whether a test notices', 'node test/mutation/run.mjs'],
  'openapi:breaking': [
    'compares docs/openapi.json with the last release',
    TOOLS,
    'node scripts/check-breaking-changes.mjs',
  ],
  'openapi:lint': [
    'checks docs/openapi.json by rules of others',
    TOOLS,
    'redocly lint --config test/tools/redocly.yaml docs/openapi.json',
    'spectral lint docs/openapi.json --ruleset test/tools/.spectral.yaml --fail-severity warn',
  ],
  release: ['prints the version of the service, if it is to be released', 'node scripts/release-service.mjs'],
  soak: [
    'honest and hostile load: --minutes N',
    BUILD,
    'tsc -p test/soak/tsconfig.json',
    'node --enable-source-maps dist/test/soak/soak.main.js',
  ],
  style: ['checks the style of every file', TOOLS, 'prettier --check .', 'eslint .'],
  'test:pooled': ['suites on PostgreSQL behind a PgBouncer', BUILD, 'jest --config test/pooled.config.js'],
};

const [name, ...words] = process.argv.slice(2);
const task = Object.hasOwn(TASKS, name ?? '') ? TASKS[name] : null;
if (task === null) {
  const list = Object.entries(TASKS).map(([one, [what]]) => `  ${one.padEnd(18)}${what}\n`);
  process.stderr.write(`Usage: npm run dev -- TASK …\n\n${list.join('')}`);
  process.exit(name === undefined ? 0 : 2);
}
const commands = task.slice(1);
for (const [index, command] of commands.entries()) {
  const [program, ...rest] = command.split(' ');
  const isLast = index === commands.length - 1;
  const { status } = run(program, isLast ? [...rest, ...words] : rest);
  if (status !== 0) process.exit(status ?? 1);
}

function run(program, args) {
  if (program === 'node') return spawnSync(process.execPath, args, { stdio: 'inherit' });
  const folder = ['node_modules', 'test/tools/node_modules'].find((one) =>
    existsSync(`${one}/.bin/${program}`),
  );
  // On Windows the programs of npm are shell scripts.
  const shell = process.platform === 'win32';
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return spawnSync(`${folder}/.bin/${program}`, args, { stdio: 'inherit', shell, env });
}
