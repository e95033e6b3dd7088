import { setTimeout as delay } from 'node:timers/promises';
import { markdownTable } from 'markdown-table';
import type { Data, DataSets } from './data.js';
import { load, type LoadResult } from './load.js';
import type { PeerName } from './peers.js';
import { type Contestant, contestantsOf, judgedOf, type Scenario } from './scenarios.js';
import { databaseCpuMs, Server } from './servers.js';

export interface Run {
  /** Only what a budget speaks of. */
  readonly quick: boolean;
  /** How often the servers of a scenario are started. */
  readonly starts: number;
  /** Of each contestant after each start, for each number of connections. */
  readonly rounds: number;
  readonly seconds: number;
  /** At most, and fewer when there were so many requests. */
  readonly warmUpSeconds: number;
  readonly warmUpRequests: number;
  readonly connections: readonly number[];
  readonly postgres: boolean;
  readonly dataSets: DataSets;
  /** Peers that are not measured, with the reason. */
  readonly leftOut: ReadonlyMap<PeerName, string>;
}

/** By the title of a column. */
type Round = Readonly<Record<string, number>>;

/** A contestant whose servers run. */
interface Runner {
  readonly servers: readonly Server[];
  readonly data: Data;
  sent: number;
  nextRequest: number;
}

const CPU = 'CPU µs';
/** Load before each round that does not count: a server that was paused has its timers to catch up with. */
const SETTLING_SECONDS = 1;
/** Of requests, for each replica: what one orders, no other one orders. */
const REPLICA_NUMBERS = 500_000;
/** For responses that are on their way when the load ends. */
const LAST_RESPONSES_MS = 100;

/**
 * All contestants take a round each in turn, so that whatever the machine does meanwhile meets all of them; and all of
 * it again with processes started afresh, as where a process happens to lie in memory may make it a third slower. A
 * contestant that cannot start or be measured misses these rounds, and the run goes on.
 * @returns a section in Markdown
 */
export async function measure(run: Run, scenario: Scenario): Promise<string> {
  const notes: string[] = [];
  const attempt = async <T>(doing: string, work: () => Promise<T>): Promise<T | null> => {
    console.error(`${scenario.name}: ${doing} …`);
    return work().catch((error: Error) => {
      notes.push(`Missed: ${doing}: ${error.message}`);
      return null;
    });
  };
  const wanted = run.quick ? judgedOf : contestantsOf;
  const contestants = wanted(scenario, run.postgres).filter(({ label, peer }) => {
    const reason = run.leftOut.get(peer);
    if (reason) notes.push(`Left out: ${label}: ${reason}.`);
    return !reason;
  });
  const rows = run.connections.flatMap((connections) =>
    contestants
      .filter(({ replicas }) => replicas <= connections)
      .map((contestant) => ({ contestant, connections, rounds: [] as (Round | null)[] })),
  );
  for (let start = 1; start <= run.starts; start++) {
    const runners = new Map<Contestant, Runner | null>();
    for (const contestant of contestants) {
      const doing = `${contestant.label}, start ${start}`;
      runners.set(contestant, await attempt(doing, () => startServers(run, scenario, contestant)));
    }
    for (let round = 0; round < run.rounds * rows.length; round++) {
      // Another one first each time.
      const { contestant, connections, rounds } =
        rows[(round + Math.floor(round / rows.length)) % rows.length]!;
      const runner = runners.get(contestant) ?? null;
      const doing = `${contestant.label}, ${connections} connections, start ${start}, round ${rounds.length + 1}`;
      const work = () => measureRound(run, scenario, runner!, connections);
      rounds.push(runner && (await attempt(doing, () => alone(runner, work))));
    }
    for (const runner of runners.values()) await stop(runner?.servers ?? []);
  }

  const cells = rows.map(({ contestant, connections, rounds }) => {
    const row: Record<string, string> = { '': contestant.label, connections: String(connections) };
    for (const column of Object.keys(rounds.find((round) => round) ?? {}))
      row[column] = text(median(rounds.flatMap((round) => round?.[column] ?? [])));
    for (const other of rows.filter((one) => one.contestant.column && one.connections === connections)) {
      const column = other.contestant.column!;
      // Round by round: what is compared was measured within the same minute.
      const ratios = rounds
        .map((own, index) => Number(own?.[CPU]) / Number(other.rounds[index]?.[CPU]))
        .filter(Number.isFinite);
      const ratio = median(ratios);
      const budget = contestant.budgets[column];
      row[column] = text(ratio);
      if (contestant !== other.contestant && ratio !== null)
        row[column] += ` (${text(Math.min(...ratios))} to ${text(Math.max(...ratios))})`;
      if (ratio !== null && budget) row[column] += ratio <= budget ? ` ≤ ${budget}` : ` **>** ${budget}`;
    }
    return row;
  });
  const columns = [...new Set(cells.flatMap((row) => Object.keys(row)))];
  const lines = cells.map((row) => columns.map((column) => row[column] ?? '–'));
  const align = columns.map((column) => (column === '' ? 'l' : 'r'));
  return [`### ${scenario.name}`, markdownTable([columns, ...lines], { align }), ...notes].join('\n\n');
}

async function startServers(run: Run, scenario: Scenario, contestant: Contestant): Promise<Runner> {
  const { dataSets, connections, warmUpSeconds, warmUpRequests } = run;
  const { label, peer, isShared, replicas } = contestant;
  const data = await dataSets.of(contestant.data);
  const urls = await dataSets.copy(data, label, isShared);
  const servers: Server[] = [];
  const runner: Runner = { servers, data, sent: 0, nextRequest: 1 };
  try {
    for (let replica = 0; replica < replicas; replica++)
      servers.push(await Server.start({ peer, ...urls, key: data.key, replica }));
    await alone(runner, async () => {
      const another = () => send(scenario, runner, 1, Math.max(...connections));
      for (let second = 0; second < warmUpSeconds && runner.sent < warmUpRequests; second++) await another();
      // A key costs more when it is new.
      while (scenario.grows && runner.sent < data.keys) await another();
    });
  } catch (error) {
    await stop(servers);
    throw error;
  }
  return runner;
}

async function stop(servers: readonly Server[]): Promise<void> {
  for (const server of servers) await server.stop();
}

/** Meanwhile the others are paused: what they clean up after their own rounds does not cost this one. */
async function alone<T>({ servers }: Runner, work: () => Promise<T>): Promise<T> {
  for (const server of servers) server.pause(false);
  try {
    return await work();
  } finally {
    await delay(LAST_RESPONSES_MS);
    for (const server of servers) server.pause();
  }
}

async function measureRound(
  run: Run,
  scenario: Scenario,
  runner: Runner,
  connections: number,
): Promise<Round> {
  const { servers } = runner;
  const cpuMs = () => [
    servers.reduce((sum, server) => sum + server.usage.cpuMs, 0),
    ...(run.postgres ? [databaseCpuMs('postgres'), databaseCpuMs('redis-server')] : []),
  ];
  await send(scenario, runner, SETTLING_SECONDS, connections);
  for (const server of servers) await server.watchLoop();
  const before = cpuMs();
  const loads: LoadResult[] = [];
  do {
    loads.push(...(await send(scenario, runner, run.seconds, connections)));
  } while (runner.sent < (run.quick ? 0 : (scenario.untilRequests ?? 0)));
  const after = cpuMs();
  const loopDelaysMs = await Promise.all(servers.map((server) => server.loopDelayMs()));
  const sum = (field: keyof LoadResult) => loads.reduce((total, result) => total + result[field], 0);
  const [requests, refused, broken] = [sum('requests'), sum('refused'), sum('broken')];
  const unexpected = scenario.isRefused ? requests - refused : refused;
  // A ban ends after a minute, and the key has its 60 requests again before the next one.
  const tolerated = scenario.isRefused ? requests / 100 : 0;
  if (requests === 0) throw new Error('no response came.');
  if (unexpected > tolerated || broken > 0)
    throw new Error(
      `of ${requests} responses ${unexpected} have the wrong status, ${broken} connections broke.`,
    );
  const [cpuUs, postgresUs, redisUs] = after.map((ms, index) => ((ms - before[index]!) * 1_000) / requests);
  return {
    ...{ 'requests/s': (requests / sum('seconds')) * servers.length, [CPU]: cpuUs! },
    ...(run.postgres && { 'PostgreSQL µs': postgresUs!, 'Redis µs': redisUs! }),
    'p50 ms': median(loads.map(({ p50Ms }) => p50Ms))!,
    'p99 ms': median(loads.map(({ p99Ms }) => p99Ms))!,
    'loop p99 ms': Math.max(...loopDelaysMs),
    'memory MB': servers.reduce((total, server) => total + server.usage.residentMb, 0),
    'start ms': servers[0]!.firstResponseMs,
  };
}

/** Load on all replicas at the same time. */
async function send({ requests }: Scenario, runner: Runner, seconds: number, allConnections: number) {
  const { servers, data, nextRequest } = runner;
  const connections = Math.floor(allConnections / servers.length);
  const results = await Promise.all(
    servers.map(({ port }, index) =>
      load(port, requests, data, seconds, connections, nextRequest + index * REPLICA_NUMBERS),
    ),
  );
  for (const [index, result] of results.entries()) {
    runner.sent += result.requests;
    runner.nextRequest = Math.max(runner.nextRequest, result.nextRequest - index * REPLICA_NUMBERS);
  }
  return results;
}

export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function text(value: number | null): string {
  return value?.toLocaleString('en', { maximumSignificantDigits: 3 }) ?? '–';
}
