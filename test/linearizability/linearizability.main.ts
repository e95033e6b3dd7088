import { optionsOrExit } from '../support/program-options.js';
import { roundOfJobs } from './jobs/round.js';
import { roundOfLimits } from './limits/round.js';
import { parseOptions, type Subject, SUBJECTS, USAGE } from './options.js';
import { roundOfFiles } from './stored/files.js';
import { roundOfWebhooks } from './webhooks/round.js';
import { round, type RoundResult } from './round.js';

const ROUNDS: Record<Subject, (seed: number, size: number) => Promise<RoundResult>> = {
  requests: (seed) => round(seed),
  pooled: (seed) => round(seed, true),
  jobs: (seed, size) => roundOfJobs(seed, 'postgres', size),
  'sqlite-jobs': (seed, size) => roundOfJobs(seed, 'sqlite', size),
  webhooks: roundOfWebhooks,
  files: roundOfFiles,
  'redis-cluster': (seed) => roundOfLimits(seed, 'cluster'),
  'redis-sentinel': (seed) => roundOfLimits(seed, 'sentinel'),
};

const { minutes, rounds, seed: firstSeed, only, size } = optionsOrExit(parseOptions, USAGE);
const endAtMs = performance.now() + minutes * 60_000;
let failed = 0;
for (let seed = firstSeed; seed < firstSeed + rounds || performance.now() < endAtMs; seed++) {
  const subject = only ?? SUBJECTS[seed % SUBJECTS.length]!;
  const { findings, facts } = await ROUNDS[subject](seed, size);
  process.stdout.write(`\nSeed ${seed}, ${subject}: ${findings.length === 0 ? 'holds' : 'BREAKS'}\n`);
  for (const fact of facts) process.stdout.write(`    ${fact}\n`);
  for (const finding of findings) process.stdout.write(`  ! ${finding}\n`);
  if (findings.length > 0) failed++;
}
process.stdout.write(failed === 0 ? '\nEvery round holds.\n' : `\n${failed} rounds break.\n`);
process.exit(failed === 0 ? 0 : 1);
