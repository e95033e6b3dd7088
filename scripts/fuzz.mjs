// `npm run dev -- fuzz --runs N [--seed S]` runs the fuzz suites of `npm test` for longer: N requests to each
// operation, and N to the parser. A failure is printed as a curl command or as the bytes sent. The same seed reproduces
// it.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

const options = {
  runs: { type: 'string', default: '10000' },
  seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
};
const { runs, seed } = readArguments();

process.stderr.write(`Seed ${seed}, ${runs} requests to each operation.\n`);
const { status } = spawnSync('npx', ['jest', '--runInBand', 'test/fuzz'], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_RUNS: runs, FUZZ_SEED: seed },
});
process.exit(status ?? 1);

function readArguments() {
  try {
    const { values } = parseArgs({ options });
    if (Object.values(values).every((text) => /^\d{1,9}$/.test(text))) return values;
  } catch {
    // The usage line below covers every invalid option.
  }
  process.stderr.write('Usage: npm run dev -- fuzz [--runs N] [--seed S]\n');
  process.exit(2);
}
