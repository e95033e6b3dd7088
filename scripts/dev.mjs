// `npm run dev -- TASK …`: what only people who change this project run, and not every day. Without a task it lists
// them. Words after the task go to its last command.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';

const BUILD = 'node scripts/build-if-needed.mjs';
const TOOLS = 'node scripts/install-tools.mjs';
const LAYERS =
  'node test/tools/node_modules/dependency-cruiser/bin/dependency-cruise.mjs src libs bench --config .dependency-cruiser.cjs';
const BREAKING = 'node scripts/check-breaking-changes.mjs';
const OPENAPI = [
  'spectral lint docs/openapi.json --ruleset test/tools/.spectral.yaml --fail-severity warn',
  'redocly lint --config test/tools/redocly.yaml docs/openapi.json',
];
const STYLE = ['eslint .', 'prettier --check .'];
const TYPES = [
  'tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/tsc.tsbuildinfo',
  'tsc -p libs/openapi/browser',
];
/** For each task: what it does, and its commands. A list of commands runs side by side, the longest first. */
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
  layers: ['checks who imports whom', TOOLS, LAYERS],
  'libs:pack': ['makes the tarballs of the libraries', 'node scripts/pack-libraries.mjs'],
  'libs:release': ['makes the tarball of one library: NAME@VERSION', 'node scripts/release-library.mjs'],
  linearizability: [
    'fails parts of replicas by chance: --minutes N',
    BUILD,
    'tsc -p test/linearizability/tsconfig.json',
    'node --enable-source-maps dist/test/linearizability/linearizability.main.js',
  ],
  lint: [
    'checks types, style, layers and docs/openapi.json',
    TOOLS,
    [...STYLE, ...TYPES, LAYERS, ...OPENAPI, BREAKING],
  ],
  mutation: ['changes code to see whether a test notices', 'node test/mutation/run.mjs'],
  'openapi:breaking': ['compares docs/openapi.json with the last release', TOOLS, BREAKING],
  'openapi:lint': ['checks docs/openapi.json by rules of others', TOOLS, OPENAPI],
  release: ['prints the version of the service, if it is to be released', 'node scripts/release-service.mjs'],
  soak: [
    'honest and hostile load: --minutes N',
    BUILD,
    'tsc -p test/soak/tsconfig.json',
    'node --enable-source-maps dist/test/soak/soak.main.js',
  ],
  typecheck: ['checks the types', TOOLS, TYPES],
  'test:pooled': ['suites on PostgreSQL behind a PgBouncer', 'jest --config test/pooled.config.js'],
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
  if (Array.isArray(command)) {
    await runSideBySide(command);
    continue;
  }
  const [program, args, options] = spawned(command);
  const isLast = index === commands.length - 1;
  const { status } = spawnSync(program, isLast ? [...args, ...words] : args, {
    ...options,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs one command a core. Prints the output of each when it has ended, and fails when one has failed. */
async function runSideBySide(list) {
  const waiting = [...list];
  let hasFailed = false;
  const runNext = async () => {
    for (let command = waiting.shift(); command !== undefined; command = waiting.shift()) {
      const [program, args, options] = spawned(command);
      const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
      const ended = new Promise((resolve) => child.on('error', resolve).on('exit', resolve));
      const output = await Promise.all([text(child.stdout), text(child.stderr)]);
      const status = await ended;
      process.stdout.write(`> ${command}\n${output.join('')}`);
      if (status !== 0) {
        const cure = command.startsWith('prettier') ? ' "npm run format" mends it.' : '';
        process.stdout.write(`${command} failed: ${status ?? 'it was stopped'}.${cure}\n`);
        hasFailed = true;
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runNext));
  if (hasFailed) process.exit(1);
}

function spawned(command) {
  const [program, ...args] = command.split(' ');
  if (program === 'node') return [process.execPath, args, {}];
  const folder = ['node_modules', 'test/tools/node_modules'].find((one) =>
    existsSync(`${one}/.bin/${program}`),
  );
  // On Windows the programs of npm are shell scripts.
  const shell = process.platform === 'win32';
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return [`${folder}/.bin/${program}`, args, { shell, env }];
}
