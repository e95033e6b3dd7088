import { optionsOrExit } from '../support/program-options.js';
import { actors } from './hostile/actors.js';
import { parseOptions, USAGE } from './options.js';
import { soak } from './soak.js';

const TITLES = { sqlite: 'SQLite', postgres: 'PostgreSQL and Redis' };
const options = optionsOrExit(parseOptions, USAGE);
let stopEverything = async (): Promise<void> => undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopEverything().finally(() => process.exit(130)));
}
const limitMs = options.minutes * 60_000;
const only = options.only.length < actors.length ? ` --only ${options.only.join(',')}` : '';
const repeat = `npm run dev -- soak --minutes ${options.minutes} --seed ${options.seed}${only}`;
process.stderr.write(`Seed ${options.seed}.\n`);
const failed: string[] = [];
for (const database of options.databases) {
  const title = TITLES[database];
  const { facts, findings } = await soak({
    database,
    actors: actors.filter(({ name }) => options.only.includes(name)),
    seed: options.seed,
    limitMs: limitMs / options.databases.length,
    progress: (line) => process.stderr.write(`${title}, ${line}\n`),
    onStart: (stop) => (stopEverything = stop),
  });
  process.stdout.write(`\n${title}: ${findings.length === 0 ? 'holds' : 'BREAKS'}\n`);
  for (const fact of facts) process.stdout.write(`    ${fact}\n`);
  for (const finding of findings) process.stdout.write(`  ! ${finding}\n`);
  if (findings.length > 0) failed.push(database);
}
for (const database of failed) process.stdout.write(`\nAgain: ${repeat} --database ${database}\n`);
process.exit(failed.length === 0 ? 0 : 1);
