import { optionsOrExit } from '../support/program-options.js';
import { parseOptions, USAGE } from './options.js';
import { round } from './round.js';

const { minutes, seed: firstSeed } = optionsOrExit(parseOptions, USAGE);
const endAtMs = performance.now() + minutes * 60_000;
let failed = 0;
for (let seed = firstSeed; seed === firstSeed || performance.now() < endAtMs; seed++) {
  const { findings, facts } = await round(seed);
  process.stdout.write(`\nSeed ${seed}: ${findings.length === 0 ? 'holds' : 'BREAKS'}\n`);
  for (const fact of facts) process.stdout.write(`    ${fact}\n`);
  for (const finding of findings) process.stdout.write(`  ! ${finding}\n`);
  if (findings.length > 0) failed++;
}
process.stdout.write(failed === 0 ? '\nEvery round holds.\n' : `\n${failed} rounds break.\n`);
process.exit(failed === 0 ? 0 : 1);
