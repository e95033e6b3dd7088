// npm run bench: reads the command line, installs and builds what is missing, and runs bench.ts.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { InvalidArgumentError, program } from 'commander';

function atLeastOne(text) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

program
  .name('npm run bench --')
  .description('Measures the service beside its peers. A full run writes docs/performance.md.')
  .option(
    '--quick',
    'smaller data, fewer and shorter rounds: some minutes, to see whether anything is far off',
    false,
  )
  .option('--scenario <name>', 'only this one; may be repeated', (name, names) => [...names, name], [])
  .option('--list', 'name the scenarios', false)
  .option(
    '--starts <n>',
    'how often the servers of a scenario are started (default: 3, quick: 1)',
    atLeastOne,
  )
  .option('--rounds <n>', 'rounds after each start', atLeastOne, 2)
  .option('--seconds <n>', 'seconds of each round (default: 3, quick: 1)', atLeastOne)
  .option('--write', 'write docs/performance.md after a partial or quick run too', false)
  .parse();
const { quick, write, scenario, starts, seconds, ...others } = program.opts();
const options = {
  ...{ ...others, quick, scenario, write: write || (!quick && scenario.length === 0) },
  ...{
    starts: starts ?? (quick ? 1 : 3),
    seconds: seconds ?? (quick ? 1 : 3),
    warmUpSeconds: quick ? 1 : 10,
  },
};

/** Its output goes to stderr: stdout is for the tables. */
function run(...command) {
  const { status } = spawnSync(command[0], command.slice(1), { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

const changedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (changedMs('bench/node_modules/.package-lock.json') < changedMs('bench/package-lock.json')) {
  process.stderr.write('Installing the packages of the benchmark into bench/node_modules …\n');
  run('npm', 'ci', '--prefix', 'bench', '--silent');
}
run(process.execPath, 'scripts/build-if-needed.mjs');
process.stderr.write('Building the benchmark and its peers …\n');
const bundled = ['node-http.ts', 'fastify.ts', 'without-queue.mjs', 'plain-express.mjs'];
const inputs = bundled.map((file) => `${file.split('.')[0]}=bench/peers/${file}`);
run(process.execPath, 'scripts/bundle.mjs', 'bench/dist', ...inputs);
run('node_modules/.bin/rolldown', '--config', 'bench/rolldown.config.mjs', '--logLevel', 'silent');
const { bench } = await import('./dist/bench.js');
await bench(options).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
process.exit();
