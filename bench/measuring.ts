import type { DataSet, DataSets } from './data-sets.js';
import type { Cleanup } from './cleanup.js';
import { CONNECTIONS, type LoadGenerator, type LoadResult } from './load/load-generator.js';
import type { RequestMix } from './load/request-mix.js';
import type { Cores } from './machine.js';
import type { Options } from './options.js';
import { PROGRAMS } from './programs.js';
import type { Progress } from './progress.js';
import { CPU_COLUMN, median, RATIO_COLUMN, type Row, type ScenarioResult } from './result.js';
import { type Contestant, type Scenario, SETTLING_SECONDS } from './scenarios.js';
import { ServerProcess } from './server-process.js';
import type { SharedServices } from './services.js';

export interface Bench {
  readonly options: Options;
  readonly cores: Cores | null;
  readonly generator: LoadGenerator;
  readonly dataSets: DataSets;
  readonly services: SharedServices;
  readonly cleanup: Cleanup;
  readonly progress: Progress;
}

interface Round {
  readonly requestsPerSecond: number;
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number;
}

/** A contestant whose servers run. */
interface Runner {
  readonly contestant: Contestant;
  readonly servers: readonly ServerProcess[];
  readonly mix: RequestMix;
  answered: number;
  nextRequest: number;
}

/** The table's columns; the rows below keep to this order. */
const COLUMNS = [
  { title: 'requests/s', digits: 0 },
  { title: CPU_COLUMN, digits: 1 },
  { title: RATIO_COLUMN, digits: 2 },
  { title: 'p50 ms', digits: 2 },
  { title: 'p99 ms', digits: 2 },
  { title: `p99 ${RATIO_COLUMN}`, digits: 2 },
  { title: 'memory MB', digits: 0 },
];

/**
 * All contestants at once, one round each in turn, so that whatever the machine does meanwhile meets all of them; and all
 * of it again with processes started afresh, as where a process happens to lie in memory may make it a third slower.
 */
export async function measure(
  bench: Bench,
  scenario: Scenario,
  contestants: readonly Contestant[],
): Promise<ScenarioResult> {
  const rounds = new Map<string, Round[]>(contestants.map(({ label }) => [label, []]));
  for (let launch = 1; launch <= scenario.launches; launch++) {
    const runners: Runner[] = [];
    try {
      for (const contestant of contestants) {
        runners.push(await start(bench, scenario, contestant));
        pause(runners.at(-1)!);
      }
      for (const runner of runners) await alone(runner, () => warmUp(bench, scenario, runner));
      for (let round = 0; round < scenario.roundsPerLaunch; round++) {
        const title = `start ${launch}/${scenario.launches}, round ${round + 1}/${scenario.roundsPerLaunch}`;
        // Another one first each time.
        for (let i = 0; i < runners.length; i++) {
          const runner = runners[(i + (launch - 1) * scenario.roundsPerLaunch + round) % runners.length]!;
          const result = await alone(runner, () => runRound(bench, scenario, runner, title));
          rounds.get(runner.contestant.label)!.push(result);
        }
      }
    } finally {
      for (const { servers } of runners) await Promise.all(servers.map((server) => server.stop()));
    }
  }
  return resultOf(scenario, contestants, rounds);
}

async function start(bench: Bench, scenario: Scenario, contestant: Contestant): Promise<Runner> {
  const { dataSets, services, cores, cleanup, progress } = bench;
  const { label, program, storage, replicas, redis } = contestant;
  progress.next(`${scenario.name}: ${label} …`);
  const data: DataSet = await dataSets.of(contestant.data);
  const databaseUrl =
    storage === 'postgres'
      ? await services.postgres(data)
      : `sqlite:${dataSets.copy(data, `${scenario.name}-${program}-${data.animals}-${data.keys}`)}`;
  const redisUrl = redis ? await services.redis() : undefined;
  const servers: ServerProcess[] = [];
  for (let replica = 0; replica < replicas; replica++) {
    const core = cores?.servers[replica % cores.servers.length];
    const parts = { program: PROGRAMS[program], databaseUrl, redisUrl, core, key: data.key, cleanup };
    servers.push(await ServerProcess.start(parts));
  }
  return { contestant, servers, mix: scenario.mix(data), answered: 0, nextRequest: 1 };
}

/** Meanwhile the others are paused: what they clean up after their own rounds is not to cost this one. */
async function alone<T>(runner: Runner, run: () => Promise<T>): Promise<T> {
  for (const server of runner.servers) server.resume();
  try {
    return await run();
  } finally {
    pause(runner);
  }
}

function pause({ servers }: Runner): void {
  for (const server of servers) server.pause();
}

async function warmUp(bench: Bench, scenario: Scenario, runner: Runner): Promise<void> {
  const { options, progress } = bench;
  progress.say(`${scenario.name}: ${runner.contestant.label}: warming up …`);
  let { requestsPerSecond } = await load(bench, runner, options.warmUpSeconds);
  const wanted = scenario.warmUpRequests(runner.contestant);
  while (runner.answered < wanted) {
    const seconds = Math.max(1, Math.ceil((wanted - runner.answered) / requestsPerSecond));
    ({ requestsPerSecond } = await load(bench, runner, seconds));
  }
}

async function runRound(bench: Bench, scenario: Scenario, runner: Runner, title: string): Promise<Round> {
  const { label } = runner.contestant;
  bench.progress.next(`${scenario.name}, ${title}: ${label} …`);
  await load(bench, runner, SETTLING_SECONDS);
  const cpuBeforeMs = cpuMs(runner);
  const results: Measured[] = [await load(bench, runner, scenario.secondsPerRound)];
  // The disk may have kept a write waiting for a whole round.
  for (let again = 0; again < 3 && results.at(-1)!.requests === 0; again++) {
    results.push(await load(bench, runner, scenario.secondsPerRound));
  }
  const requestsInAll = scenario.requestsInAll ?? 0;
  while (runner.answered < requestsInAll) results.push(await load(bench, runner, scenario.secondsPerRound));
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  const refused = results.reduce((sum, result) => sum + result.refused, 0);
  const broken = results.reduce((sum, result) => sum + result.broken, 0);
  const unexpected = scenario.refused ? requests - refused : refused;
  // A ban ends after a minute, and the key has its 60 requests again before the next one.
  const tolerated = scenario.refused ? requests / 100 : 0;
  if (requests === 0 || unexpected > tolerated || broken > 0) {
    throw new Error(
      `${scenario.name}: ${label}: of ${requests} requests ${unexpected} were answered otherwise than they should be, ` +
        `and ${broken} connections broke.`,
    );
  }
  const answered = results.filter((result) => result.requests > 0);
  return {
    // A standstill counts here, but has no latency.
    requestsPerSecond: requests / results.reduce((sum, result) => sum + result.seconds, 0),
    cpuUs: ((cpuMs(runner) - cpuBeforeMs) * 1_000) / requests,
    p50Ms: median(answered.map((result) => result.p50Ms)),
    p99Ms: median(answered.map((result) => result.p99Ms)),
    residentMb: runner.servers.reduce((sum, server) => sum + server.usage().residentMb, 0),
  };
}

interface Measured extends LoadResult {
  readonly requestsPerSecond: number;
}

/** Load on all replicas at the same time, added up. */
async function load({ generator }: Bench, runner: Runner, seconds: number): Promise<Measured> {
  const { servers, mix } = runner;
  const connections = CONNECTIONS / servers.length;
  const results = await Promise.all(
    servers.map(({ port }) =>
      generator({ port, mix, seconds, connections, firstRequest: runner.nextRequest }),
    ),
  );
  const sum = (field: 'requests' | 'refused' | 'broken') =>
    results.reduce((total, result) => total + result[field], 0);
  const requests = sum('requests');
  runner.answered += requests;
  runner.nextRequest = Math.max(...results.map(({ nextRequest }) => nextRequest));
  return {
    requests,
    requestsPerSecond: results.reduce((total, result) => total + result.requests / result.seconds, 0),
    seconds: results[0]!.seconds,
    refused: sum('refused'),
    broken: sum('broken'),
    p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    nextRequest: runner.nextRequest,
  };
}

function cpuMs({ servers }: Runner): number {
  return servers.reduce((sum, server) => sum + server.usage().cpuMs, 0);
}

function resultOf(
  scenario: Scenario,
  contestants: readonly Contestant[],
  rounds: ReadonlyMap<string, readonly Round[]>,
): ScenarioResult {
  const { name, title, about, baseline, budgets } = scenario;
  const baselineRounds = rounds.get(baseline);
  const rows = contestants.map(({ label }): Row => {
    const own = rounds.get(label)!;
    const middle = (field: keyof Round) => median(own.map((round) => round[field]));
    // Round by round: what is compared was measured within the same minute.
    const ratio = (field: keyof Round) =>
      baselineRounds ? median(baselineRounds.map((round, index) => own[index]![field] / round[field])) : null;
    return {
      label,
      cells: [
        middle('requestsPerSecond'),
        middle('cpuUs'),
        ratio('cpuUs'),
        middle('p50Ms'),
        middle('p99Ms'),
        ratio('p99Ms'),
        own.at(-1)!.residentMb,
      ],
      budget: budgets[label] ?? null,
    };
  });
  return { name, title, about, columns: COLUMNS, rows, notes: [] };
}
