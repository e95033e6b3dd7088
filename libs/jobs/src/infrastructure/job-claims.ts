import type { Database, RecordNames } from '@animal-store/database';
import type { Transaction } from '@animal-store/kernel';
import { valuesOf, isTaken, lockOf, namesOf, selected, taking } from './job-sql.js';
import { AS_ITS_KIND, JobRecord } from './job.record.js';

/** How jobs of one subject run. With `one job` a subject has at most one that has not ended. */
export type Subjects = 'together' | 'one at a time' | 'one job';

/** A job that a worker has taken. */
export type ClaimedJob = Pick<JobRecord, 'id' | 'kind' | 'subject' | 'payload' | 'tries' | 'triesLeft'>;

export interface Claim {
  readonly kind: string;
  readonly subjects: Subjects;
  readonly limit: number;
  /** Those of its kind, for a job that has been retried. */
  readonly tries: number;
  /** When the leases end. */
  readonly untilMs: number;
  /** The subject at which the claim before ended, so that each one gets its turn. */
  readonly after: string;
}

export interface Claimed {
  readonly jobs: readonly ClaimedJob[];
  /** The subject behind which the next claim begins. */
  readonly after: string;
}

/** The subjects that a claim looks at: many may be busy, and each costs a few reads of an index. */
const SUBJECTS_A_CLAIM = 50;
/** The jobs that are changed at once without being run. */
const JOBS_A_STEP = 500;

/** What workers take. Two never take one job, as PostgreSQL locks its row and SQLite has one writer at a time. */
export class JobClaims {
  private readonly statements: ReturnType<typeof claimStatements>;

  constructor(database: Database) {
    this.statements = claimStatements(database);
  }

  async take(
    { kind, subjects, limit, tries, untilMs, after }: Claim,
    transaction: Transaction,
  ): Promise<Claimed> {
    const { oldest, walk, heads } = this.statements;
    const until = BigInt(untilMs);
    if (subjects === 'together' || subjects === 'one job') {
      const jobs = await oldest.getMany({ kind, until, kindTries: tries, limit: BigInt(limit) }, transaction);
      return { jobs: sorted(jobs), after: '' };
    }
    const walked = await walk.getMany({ kind, after, limit: BigInt(SUBJECTS_A_CLAIM) }, transaction);
    const free = walked.filter(({ isFree }) => Number(isFree) === 1).slice(0, limit);
    const names = free.map(({ subject }) => subject);
    // A statement of its own: on PostgreSQL it sees what was committed before the subjects were locked.
    const jobs =
      names.length === 0
        ? []
        : await heads.getMany({ kind, until, kindTries: tries, subjects: names }, transaction);
    const isAtEnd = free.length < limit && walked.length < SUBJECTS_A_CLAIM;
    const last = (free.length === limit ? free : walked).at(-1);
    return { jobs: sorted(jobs), after: isAtEnd ? '' : last!.subject };
  }

  /** Lets delayed jobs run that are due. */
  async release(kind: string, nowMs: number, transaction: Transaction): Promise<number> {
    const step = { kind, now: BigInt(nowMs), limit: BigInt(JOBS_A_STEP) };
    return (await this.statements.release.getMany(step, transaction)).length;
  }

  /** Takes jobs from workers whose leases have ended: they run again, or have failed when no try is left. */
  reclaim(
    kind: string,
    nowMs: number,
    except: readonly bigint[],
    transaction: Transaction,
  ): Promise<readonly ClaimedJob[]> {
    const step = { kind, now: BigInt(nowMs), limit: BigInt(JOBS_A_STEP) };
    return this.statements.reclaim.getMany({ ...step, except }, transaction);
  }

  /** Extends the leases of running jobs. @returns those that are still running */
  extend(ids: readonly bigint[], untilMs: number, transaction: Transaction): Promise<readonly ClaimedJob[]> {
    return this.statements.extend.getMany({ ids, until: BigInt(untilMs) }, transaction);
  }
}

/** As they were added: an UPDATE returns its rows in any order. */
function sorted(jobs: readonly ClaimedJob[]): ClaimedJob[] {
  return jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

type Step = { readonly kind: string; readonly now: bigint; readonly limit: bigint };
type Take = { readonly kind: string; readonly until: bigint; readonly kindTries: number };
type Walk = {
  readonly kind: string;
  readonly after: string;
  readonly limit: bigint;
};

function claimStatements(database: Database) {
  const jobs = database.statements(JobRecord, 'job');
  const texts = (names: RecordNames<JobRecord>) => claimTexts(names, database);
  return {
    oldest: jobs.sql<Take & { limit: bigint }, ClaimedJob>((names) => texts(names).oldest),
    walk: jobs.sql<Walk, { subject: string; isFree: bigint | number }>((names) => texts(names).walk),
    heads: jobs.sql<Take & { subjects: readonly string[] }, ClaimedJob>((names) => texts(names).heads),
    release: jobs.sql<Step, ClaimedJob>((names) => texts(names).release),
    reclaim: jobs.sql<Step & { except: readonly bigint[] }, ClaimedJob>((names) => texts(names).reclaim),
    extend: jobs.sql<{ ids: readonly bigint[]; until: bigint }, ClaimedJob>((names) => texts(names).extend),
  };
}

/** SQL text, because the query builder cannot limit an UPDATE, nor walk along an index. */
function claimTexts(names: RecordNames<JobRecord>, database: Database) {
  const { table, id, kind, subject, state, due, ended } = namesOf(names);
  const { tries, triesLeft, problem } = names.columns;
  const isPostgres = database.dialect === 'postgres';
  const returned = ['id', 'kind', 'subject', 'payload', 'tries', 'triesLeft'] as const;
  const locked = lockOf(database);
  const change = (set: string, ids: string) =>
    `${taking(database, ids)} UPDATE ${table} AS job SET ${set} WHERE ${isTaken(database, `job.${id}`, ids)}
      RETURNING ${selected(names, returned)}`;

  const all = (wanted: string, what: string, where: string) =>
    `SELECT ${what} FROM ${table} WHERE ${kind} = :kind AND ${state} = '${wanted}' AND ${ended} IS NULL AND ${where}`;
  const first = (wanted: string, where: string) =>
    `${all(wanted, id, where)} ORDER BY ${due}, ${id} LIMIT CAST(:limit AS bigint) ${locked}`;
  // From this subject on, in the order of the index: for one subject alone, PostgreSQL may walk along the ids of all.
  const firstOf = (one: string, wanted: string) =>
    `(SELECT first.${id} FROM (${all(wanted, `${subject}, ${id}`, `${subject} >= ${one}`)}
      ORDER BY ${subject}, ${id} LIMIT 1) AS first WHERE first.${subject} = ${one})`;
  const headOf = (one: string) => firstOf(one, 'waiting');
  // With NOT EXISTS, PostgreSQL would join with all jobs that run or wait.
  const isFree = (one: string) => `${firstOf(one, 'running')} IS NULL`;

  const left = `CASE WHEN ${triesLeft} = ${AS_ITS_KIND} THEN CAST(:kindTries AS integer) ELSE ${triesLeft} END`;
  const begin = `${state} = 'running', ${due} = :until, ${tries} = ${tries} + 1, ${triesLeft} = ${left} - 1`;
  const isLast = `CASE WHEN ${triesLeft} = 0 THEN`;
  const giveUp = `${state} = ${isLast} 'failed' ELSE 'waiting' END, ${ended} = ${isLast} CAST(:now AS bigint) END,
    ${problem} = 'Its worker has ended.'`;
  const next = (after: string) =>
    `(${all('waiting', subject, `${subject} > ${after}`)} ORDER BY ${subject} LIMIT 1)`;
  // Only one worker at a time claims jobs of a subject. The lock ends with the transaction.
  const lock = isPostgres
    ? `AND pg_try_advisory_xact_lock(hashtextextended('job ' || :kind || ' ' || walk.subject, 0))`
    : '';
  const head = headOf('given.value');
  // Locked by itself: the search for the first one would go on behind one that is locked.
  const lockedHead = `SELECT job.${id} FROM ${table} AS job WHERE job.${id} = ${head} AND job.${state} = 'waiting' ${locked}`;
  const subjectsSql = valuesOf(database, 'subjects');
  return {
    oldest: change(begin, first('waiting', 'TRUE')),
    /** The subjects with waiting jobs: each step jumps to the next one, however many jobs the one before has. */
    walk: `WITH RECURSIVE walk(subject, step) AS (SELECT ${next(':after')}, 1
        UNION ALL SELECT ${next('walk.subject')}, step + 1 FROM walk WHERE walk.subject IS NOT NULL AND step < :limit)
      SELECT walk.subject AS subject, CASE WHEN ${isFree('walk.subject')} ${lock} THEN 1 ELSE 0 END AS "isFree"
      FROM walk WHERE walk.subject IS NOT NULL`,
    heads: change(
      begin,
      isPostgres
        ? `SELECT head.${id} FROM ${subjectsSql} CROSS JOIN LATERAL (${lockedHead}) AS head WHERE ${isFree('given.value')}`
        : `SELECT ${head} FROM ${subjectsSql} WHERE ${isFree('given.value')}`,
    ),
    release: change(`${state} = 'waiting'`, first('delayed', `${due} <= :now`)),
    reclaim: change(giveUp, first('running', `${due} <= :now AND ${id} NOT IN (:...except)`)),
    extend: `UPDATE ${table} SET ${due} = :until WHERE ${id} IN (:...ids) AND ${state} = 'running'
      RETURNING ${selected(names, returned)}`,
  };
}
