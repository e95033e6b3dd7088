// npm run bench: reads the command line, installs and builds what is missing, and runs the benchmark.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { InvalidArgumentError, program } from 'commander';

function atLeastOne(text) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}
const collect = (text, values = []) => [...values, text];

program
  .name('npm run bench --')
  .description('Measures the service beside its peers and prints tables in Markdown: see bench/README.md.')
  .option(
    '--quick',
    'the service and its baseline, requests with a target, short rounds: some minutes, to see whether anything is far off',
    false,
  )
  .option('--postgres', 'on PostgreSQL and Redis, instead of SQLite', false)
  .option('--scenario <name>', 'only this one; may be repeated. A wrong name lists them', collect, [])
  .option('--connections <n>', 'instead of 64; may be repeated', (n, all) => collect(atLeastOne(n), all))
  .option('--starts <n>', 'starts of the servers of a scenario (default: 3)', atLeastOne)
  .option('--seconds <n>', 'seconds of each round (default: 3, quick: 1)', atLeastOne)
  .option('--limits', 'compares the library of rate limits with others instead', false)
  .option(
    '--libraries',
    'compares what each library costs in a small Nest application with others instead',
    false,
  )
  .option('--adapters', 'compares the adapter with those of Nest, and with no Nest, instead', false)
  .option('--pooling', 'measures what PgBouncer costs beside direct connections instead', false)
  .option(
    '--webhooks',
    'measures what a webhook costs additions and orders, and how soon it is notified, instead',
    false,
  )
  .option('--bytes', 'measures what a request allocates instead, beside the committed figures', false)
  .option('--steps', 'with --bytes: what each guard, interceptor and pipe of the service allocates', false)
  .option('--accept', 'with --bytes: makes the figures the committed ones', false)
  .parse();
const { limits, libraries, adapters, pooling, webhooks, bytes, quick, ...given } = program.opts();
const usual = { starts: 3, seconds: quick ? 1 : 3, rounds: quick ? 1 : 2 };
// A busy machine needs more than ten seconds for requests enough to be compiled and cached.
const warmUp = quick
  ? { warmUpSeconds: 60, warmUpRequests: 20_000 }
  : { warmUpSeconds: 10, warmUpRequests: Infinity };
const options = { connections: [64], ...usual, ...warmUp, ...given, quick };

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
const bundled = [
  'node-http.ts',
  ...(webhooks ? ['without-jobs.mjs'] : []),
  ...(bytes || libraries || adapters || webhooks
    ? []
    : ['fastify.ts', 'without-queue.mjs', 'plain-express.mjs']),
];
const programs = bundled.map((file) => [file.split('.')[0], `bench/peers/${file}`]);
const { bundle } = await import('../scripts/build/bundle.mjs');
await bundle({ compiled: 'dist', to: 'bench/dist', programs: Object.fromEntries(programs) });
run('node_modules/.bin/rolldown', '--config', 'bench/rolldown.config.mjs', '--logLevel', 'silent');
const others = {
  pooling,
  webhooks,
  'compare-limits': limits,
  'compare-libraries': libraries,
  'compare-adapters': adapters,
  bytes,
};
const name = Object.keys(others).find((other) => others[other]) ?? 'bench';
const { main } = await import(`./dist/${name}.js`);
await main(options).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
process.exit();
