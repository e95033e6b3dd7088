import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cleanup } from './cleanup.js';
import { DataSets } from './data-sets.js';
import { builtIn, wrk } from './load/load-generator.js';
import { cores, describeMachine, isInstalled } from './machine.js';
import { type Bench, measure } from './measuring.js';
import { type Options, readOptions, USAGE } from './options.js';
import { isInstalledPackage, type ProgramName, PROGRAMS } from './programs.js';
import { Progress } from './progress.js';
import { terminalTable, writeReport } from './report.js';
import type { ScenarioResult } from './result.js';
import { differences, referenceAnswers } from './same-answers.js';
import { type Contestant, type Scenario, scenarios } from './scenarios.js';
import { ServerProcess } from './server-process.js';
import { SharedServices } from './services.js';
import { measureStartUp, START_UP } from './start-up.js';

const cleanup = new Cleanup();
let exitCode = 0;
try {
  await main(readOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`);
  exitCode = 1;
} finally {
  await cleanup.run();
}
process.exit(exitCode);

async function main(options: Options): Promise<void> {
  const all = scenarios(options);
  const names = [...all.map(({ name }) => name), START_UP.name];
  if (options.list) {
    process.stdout.write(`${names.join('\n')}\n`);
    return;
  }
  const unknown = options.only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`No scenario is called ${unknown.join(', ')}.\n\n${USAGE}`);
  if (!existsSync('/proc/self/stat'))
    throw new Error('The CPU time of a process is read from /proc: run it on Linux.');

  cleanup.onSignals();
  const isWanted = (name: string) => options.only.length === 0 || options.only.includes(name);
  const { bench, generatorTitle } = prepare(
    options,
    all.filter(({ name }) => isWanted(name)),
    isWanted(START_UP.name),
  );
  const excluded = await programsToLeaveOut(
    bench,
    usedPrograms(
      all.filter(({ name }) => isWanted(name)),
      isWanted(START_UP.name),
    ),
  );

  const results: ScenarioResult[] = [];
  const report = (result: ScenarioResult) => {
    results.push(result);
    bench.progress.clear();
    process.stdout.write(terminalTable(result));
  };
  for (const scenario of all) {
    if (isWanted(scenario.name)) report(await measureScenario(bench, scenario, excluded));
  }
  if (isWanted(START_UP.name)) {
    const programs = START_UP.programs.filter((name) => !excluded.has(name));
    report(await measureStartUp(bench, programs));
  }
  if (options.write) {
    writeReport(results, {
      machine: describeMachine(),
      generator: generatorTitle,
      date: new Date().toISOString().slice(0, 10),
      rounds: options.launches * options.roundsPerLaunch,
      starts: options.launches,
      secondsPerRound: options.secondsPerRound,
      pinned: bench.cores !== null,
    });
    process.stdout.write('\nWritten to docs/performance.md and docs/performance.svg.\n');
  }
}

function prepare(
  options: Options,
  wanted: readonly Scenario[],
  withStartUp: boolean,
): { bench: Bench; generatorTitle: string } {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const pinning = cores();
  if (pinning === null)
    process.stderr.write('No taskset, or only one core: servers and load share what there is.\n');
  const useWrk = options.generator === 'wrk' || (options.generator === 'best' && isInstalled('wrk'));
  if (options.generator === 'best' && !useWrk) {
    process.stderr.write(
      'wrk is not installed: the built-in load generator is slower and may limit fast servers.\n',
    );
  }
  const parts = { folder, core: pinning?.load, cleanup };
  const steps =
    usedPrograms(wanted, withStartUp).size +
    wanted.reduce((sum, scenario) => sum + scenario.contestants.length * stepsOf(scenario), 0) +
    (withStartUp ? START_UP.programs.length : 0);
  const bench: Bench = {
    options,
    cores: pinning,
    generator: useWrk ? wrk(parts) : builtIn(parts),
    dataSets: new DataSets(folder),
    services: new SharedServices(pinning?.load, cleanup),
    cleanup,
    progress: new Progress(steps),
  };
  return { bench, generatorTitle: useWrk ? 'wrk' : 'Built-in load generator' };
}

function usedPrograms(wanted: readonly Scenario[], withStartUp: boolean): Set<ProgramName> {
  const contestants = wanted.flatMap((scenario) => scenario.contestants);
  return new Set([...contestants.map(({ program }) => program), ...(withStartUp ? START_UP.programs : [])]);
}

function stepsOf({ launches, roundsPerLaunch }: Scenario): number {
  return launches * (1 + roundsPerLaunch);
}

/** Programs that cannot start or do not answer as the service does, with the reason. */
async function programsToLeaveOut(
  bench: Bench,
  used: ReadonlySet<ProgramName>,
): Promise<Map<ProgramName, string>> {
  const { dataSets, cores: pinning, progress } = bench;
  const excluded = new Map<ProgramName, string>();
  const data = await dataSets.of({ animals: 1_000, keys: 100 });
  const withServer = async <T>(
    name: ProgramName,
    ask: (server: ServerProcess, logFile: string) => Promise<T>,
  ) => {
    const file = dataSets.copy(data, `same-answers-${name}`);
    const logFile = `${file}.log`;
    const core = pinning?.servers[0];
    const parts = {
      program: PROGRAMS[name],
      databaseUrl: `sqlite:${file}`,
      core,
      key: data.key,
      cleanup,
      logFile,
    };
    const server = await ServerProcess.start(parts);
    try {
      return await ask(server, logFile);
    } finally {
      await server.stop();
    }
  };

  progress.next('asking the service …');
  const reference = await withServer('service', (server) => referenceAnswers(server, data));
  for (const name of used) {
    if (name === 'service') continue;
    const program = PROGRAMS[name];
    progress.next(`comparing the answers of ${program.title} …`);
    const missing = program.needs.filter((packageName) => !isInstalledPackage(packageName));
    if (missing.length > 0) {
      excluded.set(name, `${missing.join(', ')} is not installed`);
      continue;
    }
    const found = await withServer(name, (server, log) => differences(program, server, reference, data, log));
    if (found.length > 0) excluded.set(name, `it does not answer as the service does. ${found.join('; ')}`);
  }
  progress.clear();
  for (const [name, reason] of excluded)
    process.stderr.write(`Left out: ${PROGRAMS[name].title}: ${reason}.\n`);
  return excluded;
}

async function measureScenario(
  bench: Bench,
  scenario: Scenario,
  excluded: ReadonlyMap<ProgramName, string>,
): Promise<ScenarioResult> {
  const notes: string[] = [];
  const contestants: Contestant[] = [];
  for (const contestant of scenario.contestants) {
    const reason = excluded.get(contestant.program) ?? bench.services.missing(contestant);
    if (reason === null || reason === undefined) contestants.push(contestant);
    else notes.push(`Left out: ${contestant.label}: ${reason}`);
    const without = PROGRAMS[contestant.program].wants.filter((name) => !isInstalledPackage(name));
    if (without.length > 0)
      notes.push(`${contestant.label} goes without ${without.join(', ')}, which is not installed.`);
  }
  const result = await measure(bench, scenario, contestants);
  return { ...result, notes };
}
