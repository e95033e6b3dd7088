import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.js';
import type { Cluster } from '../cluster/cluster.js';
import type { Recorder } from './recorder.js';

/** When all customers wait for the same thing, no more requests end, so a pause ends after this time as well. */
const MAX_PAUSE_MS = 1_200;

const STUTTER_MS = 120;

/** Between one for each of the pools of three replicas, and half of what they want. */
const FEW_CONNECTIONS = [12, 30] as const;

/** What a fault may use. */
export interface FaultParts {
  readonly cluster: Cluster;
  readonly random: Random;
  /** The place of a replica to which nothing else happens meanwhile. */
  readonly victim: () => number;
  /** Resolves when some more requests have ended, or after the longest pause. */
  readonly aWhile: () => Promise<void>;
}

/** One thing that can go wrong. It resolves when it has ended, and has undone what it did. */
export interface Fault {
  readonly name: string;
  /** Whether Redis loses its counts, or cannot be read. */
  readonly losesCounts?: boolean;
  readonly happen: (parts: FaultParts) => Promise<void>;
}

/** Faults of the replicas and of PostgreSQL. */
export const DATA_FAULTS: readonly Fault[] = [
  { name: 'a replica is killed', happen: (parts) => replace(parts, 'SIGKILL') },
  { name: 'a replica is restarted', happen: (parts) => replace(parts, 'SIGTERM') },
  {
    name: 'a replica is paused',
    happen: async ({ cluster, victim, aWhile }) => {
      const replica = cluster.replica(victim());
      replica.signal('SIGSTOP');
      await aWhile().finally(() => replica.signal('SIGCONT'));
    },
  },
  {
    name: 'the host of a replica vanishes',
    happen: ({ cluster, victim, aWhile }) => cluster.vanish(victim(), aWhile),
  },
  {
    name: 'the clock of a replica is 25 hours ahead',
    happen: async ({ cluster, victim, aWhile }) => {
      const index = victim();
      await cluster.replace(index, 'SIGTERM', aWhile, true);
      await aWhile().finally(() => cluster.replace(index, 'SIGTERM', aWhile));
    },
  },
  {
    name: 'connections to PostgreSQL are terminated',
    happen: terminateSome,
  },
  {
    name: 'PostgreSQL allows its role fewer connections, and terminates some',
    happen: async (parts) => {
      const { cluster, random, aWhile } = parts;
      await cluster.limitConnections(random.between(...FEW_CONNECTIONS));
      await terminateSome(parts)
        .then(aWhile)
        .finally(() => cluster.limitConnections(null));
    },
  },
  {
    name: 'backends of PostgreSQL are paused',
    happen: async ({ cluster, random, aWhile }) => {
      const pids = await some(cluster, random);
      for (const pid of pids) signalIfThere(pid, 'SIGSTOP');
      await aWhile().finally(() => pids.forEach((pid) => signalIfThere(pid, 'SIGCONT')));
    },
  },
  { name: 'PostgreSQL crashes', happen: ({ cluster, aWhile }) => cluster.crashPostgres(aWhile) },
  {
    name: 'the type of a column is changed, and changed back',
    happen: async ({ cluster, aWhile }) => {
      const change = (type: string) =>
        cluster.withDatabase((client) => client.query(`ALTER TABLE pets ALTER COLUMN name TYPE ${type}`));
      await change('varchar');
      await aWhile().finally(() => change('text'));
    },
  },
  {
    name: 'another session locks the newest animals',
    happen: (parts) => lockAnimals(parts, 'SELECT FROM pets ORDER BY id DESC LIMIT 5 FOR UPDATE'),
  },
  {
    name: 'animals cannot be written',
    happen: (parts) => lockAnimals(parts, 'LOCK TABLE pets IN SHARE MODE'),
  },
  {
    name: 'animals can neither be written nor read',
    happen: (parts) => lockAnimals(parts, 'LOCK TABLE pets IN ACCESS EXCLUSIVE MODE'),
  },
];

/** Further ones of replicas that reach PostgreSQL by way of PgBouncer. */
export const POOLER_FAULTS: readonly Fault[] = [
  {
    name: 'PgBouncer is killed',
    happen: async ({ cluster, aWhile }) => {
      await cluster.pooler.kill();
      await aWhile().finally(() => cluster.pooler.start());
    },
  },
  {
    name: 'PgBouncer is paused',
    happen: async ({ cluster, aWhile }) => {
      cluster.pooler.pause();
      await aWhile().finally(() => cluster.pooler.resume());
    },
  },
];

const DAY_MS = 86_400_000;

/** Faults of Redis, which happen beside the others. */
export const REDIS_FAULTS: readonly Fault[] = [
  {
    // Every request is still counted, and no window is opened again.
    name: 'the clock of Redis is a day behind',
    happen: async ({ cluster, aWhile }) => {
      cluster.redis.setClock(-DAY_MS);
      await aWhile().finally(() => cluster.redis.setClock(0));
    },
  },
  { name: 'Redis loses its data', losesCounts: true, happen: ({ cluster }) => cluster.redis.flush() },
  {
    name: 'Redis is restarted, and empty',
    losesCounts: true,
    happen: ({ cluster }) => cluster.redis.restart(),
  },
  {
    name: 'Redis is gone for a while',
    losesCounts: true,
    happen: async ({ cluster, aWhile }) => {
      await cluster.redis.stop();
      await aWhile();
      await cluster.redis.restart();
    },
  },
  {
    // Shorter than the time-out of Redis, so that every request is still counted there.
    name: 'Redis is paused',
    happen: async ({ cluster, aWhile }) => {
      cluster.redis.pause();
      await aWhile().finally(() => cluster.redis.resume());
    },
  },
];

/** Lets each fault happen once, in an order by chance, with requests in between. Ends early with the round. */
export async function letHappen(faults: readonly Fault[], { isOver, ...lane }: LaneParts): Promise<void> {
  const { recorder, random } = lane;
  for (const left = [...faults]; left.length > 0 && !isOver();) {
    await recorder.requests(random.between(20, 60));
    const [fault] = left.splice(random.between(0, left.length - 1), 1);
    await happen(fault!, lane);
  }
}

/** How often each fault has happened, from lines with their times. */
export function counted(happened: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of happened) {
    const name = line.slice(line.indexOf(': ') + 2);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} × ${name}`);
}

/**
 * Stalls the way of one replica after another to PostgreSQL for a moment. So its statements are in flight for long,
 * while other replicas acknowledge writes that these do not show.
 */
export async function stutter({ cluster, recorder, random, isOver }: LaneParts): Promise<void> {
  while (!isOver()) {
    const index = random.between(0, cluster.size - 1);
    // One that starts must not wait.
    if (!cluster.replica(index).hasEnded) cluster.way(index).stall();
    await Promise.race([recorder.requests(random.between(5, 20)), delay(random.between(10, STUTTER_MS))]);
    cluster.way(index).resume();
    await recorder.requests(random.between(1, 8));
  }
}

interface LaneParts {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly isOver: () => boolean;
  /** Any replica, when it is left out. */
  readonly victim?: () => number;
}

async function happen(
  { name, losesCounts = false, happen }: Fault,
  { cluster, recorder, random, ...lane }: Omit<LaneParts, 'isOver'>,
): Promise<void> {
  const aWhile = () => Promise.race([recorder.requests(random.between(20, 60)), delay(MAX_PAUSE_MS)]);
  const startedMs = performance.now();
  const victim = lane.victim ?? (() => random.between(0, cluster.size - 1));
  await happen({ cluster, random, victim, aWhile });
  const overMs = performance.now();
  recorder.faults.push(`${startedMs.toFixed(0)} to ${overMs.toFixed(0)} ms: ${name}`);
  if (!losesCounts) return;
  // A replica notices a moment later that Redis is back. One that was refused connections opens them only after a
  // while.
  await cluster
    .untilWhole({ evenIfShort: true })
    .finally(() => recorder.countsLost.push({ startedMs, endedMs: performance.now() }));
}

function replace({ cluster, victim, aWhile }: FaultParts, signal: NodeJS.Signals): Promise<void> {
  return cluster.replace(victim(), signal, aWhile);
}

async function terminateSome({ cluster, random }: FaultParts): Promise<void> {
  const pids = await some(cluster, random);
  await cluster.withDatabase((client) =>
    client.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]),
  );
}

/** Some of the replicas' connections to PostgreSQL. */
async function some(cluster: Cluster, random: Random): Promise<number[]> {
  const pids = await cluster.backends();
  return pids.filter(() => random.chance(0.5));
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // A replica may have closed the connection meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function lockAnimals({ cluster, aWhile }: FaultParts, lock: string): Promise<void> {
  await cluster.withDatabase(async (client) => {
    await client.query('BEGIN');
    await client.query(lock);
    await aWhile();
    await client.query('COMMIT');
  });
}
