import { RedisServer } from '../libs/rate-limiting/testing/redis-server.js';
import type { Data, DataSets } from './data.js';
import { CONNECTIONS, load, type LoadResult } from './load.js';
import type { Options } from './options.js';
import type { PeerName } from './peers.js';
import { type Result, type Row, verdict } from './report.js';
import { type Contestant, type Scenario, SETTLING_SECONDS } from './scenarios.js';
import { Server } from './servers.js';

/** What all scenarios share. */
export interface Run {
  readonly options: Options;
  readonly dataSets: DataSets;
  /** Peers that are not measured, with the reason. */
  readonly leftOut: ReadonlyMap<PeerName, string>;
  redis: RedisServer | null;
  say(text: string): void;
}

interface Round {
  readonly requestsPerSecond: number;
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number;
  readonly startMs: number;
}

/** A contestant whose servers run. */
interface Runner {
  readonly contestant: Contestant;
  readonly servers: readonly Server[];
  readonly data: Data;
  sent: number;
  nextRequest: number;
}

const COLUMNS = {
  ...{ 'requests/s': 0, 'CPU µs': 1, '× baseline': 2, 'p50 ms': 2, 'p99 ms': 2, 'p99 × baseline': 2 },
  ...{ 'memory MB': 0, 'start ms': 0 },
};

/**
 * All contestants take a round each in turn, so that whatever the machine does meanwhile meets all of them; and all of it
 * again with processes started afresh, as where a process happens to lie in memory may make it a third slower. A
 * contestant that cannot start or be measured misses these rounds, and the run goes on.
 */
export async function measure(run: Run, scenario: Scenario & Options): Promise<Result> {
  const notes: string[] = [];
  const contestants = scenario.contestants.filter(({ label, peer }) => {
    const reason = run.leftOut.get(peer);
    if (reason) notes.push(`Left out: ${label}: ${reason}.`);
    return !reason;
  });
  const rounds = new Map<Contestant, (Round | null)[]>(contestants.map((contestant) => [contestant, []]));
  const attempt = async <T>(
    contestant: Contestant,
    doing: string,
    work: () => Promise<T>,
  ): Promise<T | null> => {
    run.say(`${scenario.name}: ${contestant.label}: ${doing} …`);
    try {
      return await work();
    } catch (error) {
      notes.push(`Missed: ${contestant.label}, ${doing}: ${(error as Error).message}`);
      return null;
    }
  };
  for (let start = 1; start <= scenario.starts; start++) {
    const runners: Runner[] = [];
    for (const contestant of contestants) {
      const runner = await attempt(contestant, `start ${start}`, () =>
        startServers(run, scenario, contestant),
      );
      if (runner) runners.push(runner);
    }
    for (let round = 1; round <= scenario.rounds; round++) {
      // Another one first each time.
      const first = (start * scenario.rounds + round) % contestants.length;
      for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
        const runner = runners.find((other) => other.contestant === contestant);
        const doing = `start ${start}, round ${round}`;
        const result =
          runner &&
          (await attempt(contestant, doing, () => alone(runner, () => measureRound(scenario, runner))));
        rounds.get(contestant)!.push(result ?? null);
      }
    }
    for (const { servers } of runners) for (const server of servers) await server.stop();
  }
  return { ...scenario, columns: COLUMNS, rows: rowsOf(scenario, rounds), notes };
}

async function startServers(run: Run, scenario: Scenario & Options, contestant: Contestant): Promise<Runner> {
  const { peer, postgres, redis, replicas = 1 } = contestant;
  const data = await run.dataSets.of(contestant.data);
  const databaseUrl = postgres
    ? await run.dataSets.postgres(data)
    : run.dataSets.copy(data, `${peer}-${data.animals}-${data.keys}`);
  if (redis) run.redis ??= await RedisServer.start();
  const redisUrl = redis ? run.redis!.url : undefined;
  const servers: Server[] = [];
  const runner: Runner = { contestant, servers, data, sent: 0, nextRequest: 1 };
  try {
    for (let replica = 0; replica < replicas; replica++)
      servers.push(await Server.start({ peer, databaseUrl, redisUrl, key: data.key, replica }));
    await alone(runner, async () => {
      await send(scenario, runner, scenario.warmUpSeconds);
      while (scenario.everyKeyFirst && runner.sent < data.keys) await send(scenario, runner, 1);
    });
  } catch (error) {
    for (const server of servers) await server.stop();
    throw error;
  }
  return runner;
}

/** Meanwhile the others are paused: what they clean up after their own rounds does not cost this one. */
async function alone<T>({ servers }: Runner, work: () => Promise<T>): Promise<T> {
  for (const server of servers) server.resume();
  try {
    return await work();
  } finally {
    for (const server of servers) server.pause();
  }
}

async function measureRound(scenario: Scenario & Options, runner: Runner): Promise<Round> {
  const { servers } = runner;
  const cpuMs = () => servers.reduce((sum, server) => sum + server.cpuMs, 0);
  await send(scenario, runner, SETTLING_SECONDS);
  const cpuBeforeMs = cpuMs();
  const loads: LoadResult[] = [];
  do {
    loads.push(...(await send(scenario, runner, scenario.seconds)));
  } while (runner.sent < (scenario.untilRequests ?? 0));
  const sum = (field: keyof LoadResult) => loads.reduce((total, result) => total + result[field], 0);
  const [requests, refused, broken] = [sum('requests'), sum('refused'), sum('broken')];
  const unexpected = scenario.refused ? requests - refused : refused;
  // A ban ends after a minute, and the key has its 60 requests again before the next one.
  const tolerated = scenario.refused ? requests / 100 : 0;
  if (requests === 0) throw new Error('no response came.');
  if (unexpected > tolerated || broken > 0)
    throw new Error(
      `of ${requests} responses ${unexpected} have the wrong status, and ${broken} connections broke.`,
    );
  return {
    requestsPerSecond: (requests / sum('seconds')) * servers.length,
    cpuUs: ((cpuMs() - cpuBeforeMs) * 1_000) / requests,
    p50Ms: median(loads.map(({ p50Ms }) => p50Ms))!,
    p99Ms: median(loads.map(({ p99Ms }) => p99Ms))!,
    residentMb: servers.reduce((total, server) => total + server.residentMb, 0),
    startMs: servers[0]!.firstResponseMs,
  };
}

/** Load on all replicas at the same time. */
async function send({ requests }: Scenario, runner: Runner, seconds: number): Promise<LoadResult[]> {
  const { servers, data, nextRequest: firstRequest } = runner;
  const connections = CONNECTIONS / servers.length;
  const results = await Promise.all(
    servers.map(({ port }) =>
      load({ port, requests: requests(data), data, seconds, connections, firstRequest }),
    ),
  );
  for (const result of results) {
    runner.sent += result.requests;
    runner.nextRequest = Math.max(runner.nextRequest, result.nextRequest);
  }
  return results;
}

function rowsOf(scenario: Scenario, rounds: ReadonlyMap<Contestant, readonly (Round | null)[]>): Row[] {
  const baseline = [...rounds].find(([{ label }]) => label === scenario.baseline)?.[1] ?? [];
  return [...rounds].map(([{ label, budget }, own]) => {
    const middle = (field: keyof Round) => median(own.flatMap((round) => round?.[field] ?? []));
    // Round by round: what is compared was measured within the same minute.
    const ratio = (field: keyof Round) =>
      median(
        own.flatMap((round, index) =>
          round && baseline[index] ? round[field] / baseline[index][field] : [],
        ),
      );
    const cells = [
      ...[middle('requestsPerSecond'), middle('cpuUs'), ratio('cpuUs'), middle('p50Ms'), middle('p99Ms')],
      ...[ratio('p99Ms'), own.findLast((round) => round)?.residentMb ?? null, middle('startMs')],
    ];
    return { label, cells, verdict: verdict(ratio('cpuUs'), budget, '×') };
  });
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
