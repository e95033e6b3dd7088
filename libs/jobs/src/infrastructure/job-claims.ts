import type { Database, RecordNames } from '@animal-store/database';
import type { Transaction } from '@animal-store/kernel';
import { isClaimed, lockOf, namesOf, nowOf, selected, claiming } from './job-sql.js';
import { AS_ITS_KIND, JobRecord } from './job.record.js';

/** How jobs of one subject run. With `one job` a subject has at most one that has not ended. */
export type Subjects = 'together' | 'one job';

/** A job that a worker has claimed. */
export type ClaimedJob = Pick<JobRecord, 'id' | 'kind' | 'subject' | 'payload' | 'attempts' | 'attemptsLeft'>;

/** Leases that begin when the database gets the statement. */
export interface Lease {
  /** Null for the clock of the database. */
  readonly nowMs: number | null;
  readonly leaseMs: number;
}

export interface Claim extends Lease {
  readonly kind: string;
  readonly limit: number;
  /** The attempts of its kind, for a job that has been retried. */
  readonly attempts: number;
}

/** The jobs that are changed at once without being run. */
const JOBS_A_STEP = 500;

/** What workers claim. Two never claim one job, as PostgreSQL locks its row and SQLite has one writer at a time. */
export class JobClaims {
  private readonly statements: ReturnType<typeof claimStatements>;

  constructor(database: Database) {
    this.statements = claimStatements(database);
  }

  /** The oldest ones. */
  async claim(
    { kind, limit, attempts, ...lease }: Claim,
    transaction: Transaction,
  ): Promise<readonly ClaimedJob[]> {
    const args = { kind, kindAttempts: attempts, limit: BigInt(limit), ...leaseOf(lease) };
    const jobs = await this.statements.oldest.getMany(args, transaction);
    // Sorted as they were added, because an UPDATE returns its rows in any order.
    return jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Lets delayed jobs run that are due. */
  async release(kind: string, nowMs: number, transaction: Transaction): Promise<number> {
    const step = { kind, now: BigInt(nowMs), limit: BigInt(JOBS_A_STEP) };
    return (await this.statements.release.getMany(step, transaction)).length;
  }

  /** Reclaims the jobs of workers whose leases have expired: they run again, or have failed when no attempt is left. */
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
  extend(ids: readonly bigint[], lease: Lease, transaction: Transaction): Promise<readonly ClaimedJob[]> {
    return this.statements.extend.getMany({ ids, ...leaseOf(lease) }, transaction);
  }
}

function leaseOf({ nowMs, leaseMs }: Lease) {
  return { now: nowMs === null ? null : BigInt(nowMs), lease: BigInt(leaseMs) };
}

type Step = { readonly kind: string; readonly now: bigint; readonly limit: bigint };
type LeaseArguments = ReturnType<typeof leaseOf>;
type ClaimArguments = LeaseArguments & { kind: string; kindAttempts: number; limit: bigint };

function claimStatements(database: Database) {
  const jobs = database.statements(JobRecord, 'job');
  const texts = (names: RecordNames<JobRecord>) => claimTexts(names, database);
  return {
    oldest: jobs.sql<ClaimArguments, ClaimedJob>((names) => texts(names).oldest),
    release: jobs.sql<Step, ClaimedJob>((names) => texts(names).release),
    reclaim: jobs.sql<Step & { except: readonly bigint[] }, ClaimedJob>((names) => texts(names).reclaim),
    extend: jobs.sql<LeaseArguments & { ids: readonly bigint[] }, ClaimedJob>((names) => texts(names).extend),
  };
}

/** SQL text, because the query builder cannot limit an UPDATE. */
function claimTexts(names: RecordNames<JobRecord>, database: Database) {
  const { table, id, kind, state, due, ended } = namesOf(names);
  const { attempts, attemptsLeft, problem } = names.columns;
  const returned = ['id', 'kind', 'subject', 'payload', 'attempts', 'attemptsLeft'] as const;
  const locked = lockOf(database);
  const change = (set: string, ids: string) =>
    `${claiming(database, ids)} UPDATE ${table} AS job SET ${set} WHERE ${isClaimed(database, `job.${id}`, ids)}
      RETURNING ${selected(names, returned)}`;

  const first = (wanted: string, where: string) =>
    `SELECT ${id} FROM ${table} WHERE ${kind} = :kind AND ${state} = '${wanted}' AND ${ended} IS NULL AND ${where}
      ORDER BY ${due}, ${id} LIMIT CAST(:limit AS bigint) ${locked}`;
  const left = `CASE WHEN ${attemptsLeft} = ${AS_ITS_KIND} THEN CAST(:kindAttempts AS integer) ELSE ${attemptsLeft} END`;
  const until = `COALESCE(CAST(:now AS bigint), ${nowOf(database)}) + CAST(:lease AS bigint)`;
  const begin = `${state} = 'running', ${due} = ${until}, ${attempts} = ${attempts} + 1, ${attemptsLeft} = ${left} - 1`;
  const isLast = `CASE WHEN ${attemptsLeft} = 0 THEN`;
  const endOrRelease = `${state} = ${isLast} 'failed' ELSE 'waiting' END, ${ended} = ${isLast} CAST(:now AS bigint) END,
    ${problem} = 'Its lease has expired.'`;
  return {
    oldest: change(begin, first('waiting', 'TRUE')),
    release: change(`${state} = 'waiting'`, first('delayed', `${due} <= :now`)),
    reclaim: change(endOrRelease, first('running', `${due} <= :now AND ${id} NOT IN (:...except)`)),
    extend: `UPDATE ${table} SET ${due} = ${until} WHERE ${id} IN (:...ids) AND ${state} = 'running'
      RETURNING ${selected(names, returned)}`,
  };
}
