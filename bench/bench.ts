import { spawnSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { DataSets } from './data.js';
import { measure, type Run } from './measure.js';
import { peersThatDiffer } from './same-responses.js';
import { contestantsOf, isJudged, type Scenario, SCENARIOS } from './scenarios.js';
import { isPinned } from './servers.js';

/** The command line, read and completed. */
export interface Options extends Omit<Run, 'dataSets' | 'leftOut'> {
  /** Names of scenarios; all of them when empty. */
  readonly scenario: readonly string[];
}

/** Prints Markdown. */
export async function main(options: Options): Promise<void> {
  const { postgres, rounds, seconds, starts } = options;
  const all = SCENARIOS.filter(({ isOnlyEmbedded }) => !(isOnlyEmbedded && postgres));
  const names = all.map(({ name }) => name);
  const unknown = options.scenario.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`No scenario is called ${unknown.join(' or ')}. There are: ${names.join(', ')}.`);
  if (process.platform !== 'linux')
    throw new Error('The CPU time of a process is read from /proc: run it on Linux.');
  for (const program of ['wrk', ...(postgres ? ['redis-server'] : [])])
    if (spawnSync(program, ['--version']).error)
      throw new Error(`${program} is missing: apt-get install ${program}.`);
  if (!isPinned) console.error('No taskset, or only one core: servers and load share what there is.');

  const isWanted = (scenario: Scenario): boolean =>
    options.scenario.length > 0
      ? options.scenario.includes(scenario.name)
      : !options.quick || isJudged(scenario, postgres);
  const wanted = all.filter(isWanted);
  const peers = wanted.flatMap((scenario) => contestantsOf(scenario, postgres).map(({ peer }) => peer));
  const dataSets = new DataSets();
  const leftOut = await peersThatDiffer(dataSets, peers, postgres);
  console.log(
    [
      `Measured on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpus()[0]!.model.trim()}`,
      `${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, load average before ${loadavg()[0]!.toFixed(1)}`,
      isPinned ? 'servers on one core, load and databases on another' : 'nothing pinned to a core',
      `medians of ${starts * rounds} rounds of ${seconds} s over ${starts} starts.`,
    ].join(', '),
  );
  for (const scenario of wanted)
    console.log(`\n${await measure({ ...options, dataSets, leftOut }, scenario)}`);
  if (leftOut.size > 0) process.exitCode = 1;
}
