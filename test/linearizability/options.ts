import { BadArguments, seedIn, textOptions } from '../support/program-options.js';

export interface Options {
  /** Another round begins until this time has passed, and until there were so many. */
  readonly minutes: number;
  readonly rounds: number;
  /** The seed of the first round; each further one has the next. */
  readonly seed: number;
  /** What runs; null for all of it, in turn. */
  readonly only: Subject | null;
  /** How many jobs or events a round has at least; 0 for as many as there are until each fault has happened. */
  readonly size: number;
}

export const SUBJECTS = [
  'requests',
  'pooled',
  'jobs',
  'sqlite-jobs',
  'webhooks',
  'files',
  'redis-cluster',
  'redis-sentinel',
] as const;
export type Subject = (typeof SUBJECTS)[number];

export const USAGE = `Usage: npm run dev -- linearizability [--minutes N | --rounds N] [--seed S] [--only SUBJECT] [--size N]

requests: three replicas on one PostgreSQL and one Redis, customers who record what they see, and faults: replicas, PostgreSQL and Redis are
killed, paused, restarted and emptied, hosts vanish, clocks are set, rows and tables are locked, the type of a column is changed, and connections
are limited. No order of events may contradict what the customers have seen;
no key works 5 s after its account was suspended or its maker revoked with its descendants, and none is banned for another one.
pooled: the same, by way of PgBouncer, which is killed and paused, too.
jobs, sqlite-jobs: three workers on PostgreSQL, or one on SQLite, that add jobs and run them, and faults: they and PostgreSQL are killed
and paused, do not reach one another, and the clock of PostgreSQL is set. No job may be lost, without its cause, or run twice at once.
webhooks: three replicas on PostgreSQL, which fail, customers, and receivers that are slow, refuse and break connections. Each subscriber is notified
of every change that it may know of and that is stored, as one event, of nothing else, and gets one signed request at a time.
files: a server on SQLite to which animals are added while its write-ahead log is cut or overwritten, or which is killed. What was acknowledged is
there after the next start, but for what a cut took away before.
redis-cluster, redis-sentinel: three replicas that limit accounts while primaries of Redis are killed, paused and replaced, and slots moved. Callers of
other nodes get exactly their limit; those of a lost one get it at most once more from each replica, and once from the next primary. How much it was is printed.
Exits with 1 when one of these does not hold.

  --minutes N  how long; a round takes 15 s of CPU time, and the last one is finished (5)
  --rounds N   how many instead; eight have each subject once
  --only NAME  ${SUBJECTS.join(', ')}; otherwise one after the other
  --size N     of jobs, sqlite-jobs, webhooks: faults are repeated until there were so many jobs or events
  --seed S     what the choices of customers and faults follow from; printed for each round
`;

/** The options, or null when the arguments request help. @throws BadArguments */
export function parseOptions(args: readonly string[]): Options | null {
  const values = textOptions(args, ['minutes', 'rounds', 'seed', 'only', 'size']);
  if (values.help) return null;
  const rounds = Number(values.rounds ?? 1);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new BadArguments('--rounds must be a whole number from 1 on.');
  const minutes = Number(values.minutes ?? (values.rounds === undefined ? 5 : 0));
  if (values.minutes !== undefined && !(minutes > 0))
    throw new BadArguments('--minutes must be more than 0.');
  const only = SUBJECTS.find((subject) => subject === values.only) ?? null;
  if (values.only !== undefined && only === null)
    throw new BadArguments(`--only must be one of: ${SUBJECTS.join(', ')}.`);
  const size = Number(values.size ?? 0);
  if (!Number.isInteger(size) || size < 0) throw new BadArguments('--size must be a whole number.');
  return { minutes, rounds, seed: seedIn(values.seed), only, size };
}
