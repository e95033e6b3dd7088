import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteConnection from 'better-sqlite3';
import { Cluster, type DatabaseKind } from '../../cluster/cluster.js';
import { Random } from '../../support/random.js';
import { within } from '../../support/server-process.js';
import { counted, DATA_FAULTS, type Fault, type FaultParts } from '../faults.js';
import type { RoundResult } from '../round.js';
import {
  doubledRuns,
  jobAnomalies,
  type JobHistory,
  type Journal,
  type Line,
  type StoredJob,
  rolledBack,
} from './check.js';

/** A fifth of what it is elsewhere, so that a round is short. */
const LEASE_MS = 6_000;
const SETTLE_MS = LEASE_MS / 6;
/** Longer than a lease, which a worker extends while it waits for its jobs. */
const GRACE_MS = 9_000;
const LONGER_THAN_A_LEASE_MS = LEASE_MS + 3_000;
/** Many times what is left to do in the end, on a machine that has much else to do. */
const ALL_DONE_WITHIN_MS = 120_000;

const WORKER = 'test/linearizability/jobs/worker.main.js';
const OPEN = "jobs WHERE ended_at IS NULL AND kind <> 'tick'";

/** What can happen to one worker on any database. */
const OF_A_WORKER: readonly Fault[] = DATA_FAULTS.filter(({ name }) => name.startsWith('a replica is '));

const OF_WORKERS: readonly Fault[] = [
  ...OF_A_WORKER,
  { name: 'a worker is killed, and the next one', happen: killInTurn },
];

/** These take longest. */
const LONG: readonly Fault[] = [
  {
    name: 'a worker is paused for longer than its leases',
    happen: async ({ cluster, victim }) => {
      const worker = cluster.replica(victim());
      worker.signal('SIGSTOP');
      await delay(LONGER_THAN_A_LEASE_MS).finally(() => worker.signal('SIGCONT'));
    },
  },
];

const OF_POSTGRES: readonly Fault[] = [
  ...DATA_FAULTS.filter(({ name }) => /PostgreSQL/.test(name)),
  { name: 'the clock of PostgreSQL is set 20 s ahead', happen: (parts) => setClock(parts, 20) },
  { name: 'the clock of PostgreSQL is set back', happen: (parts) => setClock(parts, 0) },
];

const LONG_OF_POSTGRES: readonly Fault[] = [
  {
    name: 'a worker does not reach PostgreSQL for longer than its leases',
    happen: async ({ cluster, victim }) => {
      const way = cluster.way(victim());
      way.stall();
      await delay(LONGER_THAN_A_LEASE_MS);
      way.resume();
    },
  },
];

/**
 * Runs workers on one database while they, it and the ways between them fail, lets them finish what there is, and
 * checks what they have written down.
 * @param size how many jobs must be added until the faults end; 0 for each fault once
 */
export async function roundOfJobs(seed: number, database: DatabaseKind, size: number): Promise<RoundResult> {
  const journals = mkdtempSync(join(tmpdir(), 'journals-'));
  const cluster = await Cluster.start({
    size: database === 'sqlite' ? 1 : 3,
    database,
    entry: WORKER,
    environment: {
      JOURNALS: journals,
      LEASE_MS: `${LEASE_MS}`,
      GRACE_MS: `${GRACE_MS}`,
      TOGETHER: size === 0 ? '3' : '200',
    },
    hasWays: database === 'postgres',
  });
  const findings: string[] = [];
  const happened: string[] = [];
  let stored: Pick<JobHistory, 'causes' | 'jobs'> | null = null;
  try {
    // PostgreSQL may just have been killed by the other lane.
    const added = () => count(cluster, database, 'causes').catch(() => 0);
    const isOver = async () => size === 0 || (await added()) >= size;
    const lane = (all: readonly Fault[], places: readonly number[]) =>
      letHappen(all, cluster, new Random(seed, `faults of ${places.join()}`), places, happened, isOver);
    // What takes long happens to one worker while the other faults happen to the others.
    const lanes =
      database === 'sqlite'
        ? [lane([...OF_WORKERS, ...LONG], [0])]
        : [
            lane([...OF_WORKERS, ...OF_POSTGRES], [0, 1]),
            lane([...OF_A_WORKER, ...LONG, ...LONG_OF_POSTGRES], [2]),
          ];
    await Promise.all(lanes);
    for (let index = 0; index < cluster.size; index++) await cluster.replica(index).get('/quiet');
    // What is open even then is a finding of its own, by its name.
    await within(ALL_DONE_WITHIN_MS, async () => (await count(cluster, database, OPEN)) === 0).catch(
      () => null,
    );
    stored = await readStored(cluster, database);
  } catch (error) {
    findings.push(`The round failed: ${(error as Error).stack}`);
  }
  findings.push(...(await cluster.stop()));
  const history = { journals: readJournals(journals), settleMs: SETTLE_MS, graceMs: GRACE_MS };
  rmSync(journals, { recursive: true });
  const facts = size === 0 ? happened.sort() : counted(happened);
  if (stored === null) return { findings, facts };
  const all = { ...history, ...stored };
  facts.unshift(
    `${all.jobs.length} jobs on ${database}, ${doubledRuns(all)} runs doubled, ${rolledBack(all)} rolled back, ${all.jobs.length - all.causes.length} of a schedule`,
  );
  return { findings: [...findings, ...jobAnomalies(all)], facts };
}

/** Lets each fault happen once, in an order by chance, and all of them again until the end. */
async function letHappen(
  faults: readonly Fault[],
  cluster: Cluster,
  random: Random,
  places: readonly number[],
  happened: string[],
  isOver: () => Promise<boolean>,
): Promise<void> {
  const aWhile = () => delay(random.between(300, 1_500));
  do {
    for (const left = [...faults]; left.length > 0;) {
      await aWhile();
      const [fault] = left.splice(random.between(0, left.length - 1), 1);
      happened.push(`${clockMs()} ms: ${fault!.name}`);
      await fault!.happen({ cluster, random, victim: () => random.pick(places), aWhile });
    }
    await aWhile();
  } while (!(await isOver()));
}

/** The second one as the first one begins. */
async function killInTurn({ cluster, aWhile }: FaultParts): Promise<void> {
  for (let index = 0; index < Math.min(2, cluster.size); index++)
    await cluster.replace(index, 'SIGKILL', () => (index === 0 ? Promise.resolve() : aWhile()));
}

async function setClock({ cluster, aWhile }: FaultParts, seconds: number): Promise<void> {
  await cluster.withDatabase((client) => client.query(`UPDATE skewed.skew SET seconds = ${seconds}`));
  await aWhile();
}

type Select = <R>(sql: string) => Promise<readonly R[]>;

async function reading<T>(
  cluster: Cluster,
  database: DatabaseKind,
  read: (select: Select) => Promise<T>,
): Promise<T> {
  if (database === 'postgres')
    return cluster.withDatabase(async (client) => {
      await client.query('SET search_path = skewed, pg_catalog');
      return read(async <R>(sql: string) => (await client.query(sql)).rows as R[]);
    });
  const connection = new SqliteConnection(cluster.databaseFile, { readonly: true });
  return read(async <R>(sql: string) => connection.prepare(sql).all() as R[]).finally(() =>
    connection.close(),
  );
}

function readStored(cluster: Cluster, database: DatabaseKind): Promise<Pick<JobHistory, 'causes' | 'jobs'>> {
  return reading(cluster, database, async (select) => ({
    causes: (await select<{ id: string }>('SELECT id FROM causes')).map(({ id }) => id),
    jobs: (await select<Row>('SELECT kind, state, payload, created_at FROM jobs')).map(storedJob),
  }));
}

/** The number of rows of what follows FROM. */
async function count(cluster: Cluster, database: DatabaseKind, from: string): Promise<number> {
  const counting = (select: Select) =>
    select<{ count: string | number }>(`SELECT COUNT(*) AS count FROM ${from}`);
  return Number((await reading(cluster, database, counting))[0]!.count);
}

interface Row {
  readonly kind: string;
  readonly state: string;
  readonly payload: string;
  readonly created_at: string | number;
}

function storedJob({ kind, state, payload, created_at }: Row): StoredJob {
  const task = JSON.parse(payload) as { id: string } | null;
  return { kind, state, task: task?.id ?? null, createdAtMs: Number(created_at) };
}

function readJournals(folder: string): Journal[] {
  return readdirSync(folder).map((name) => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
    const read = lines.map((line) => JSON.parse(line) as Line);
    // A process that was killed has done nothing else that others can see.
    return { process: name, lines: read, endedMs: read.at(-1)?.atMs ?? 0 };
  });
}

function clockMs(): string {
  return (Number(process.hrtime.bigint()) / 1e6).toFixed(0);
}
