import { type Database, deleteSome, type ExpiredRows } from '@animal-store/database';
import type { Clock } from '@animal-store/kernel';
import { namesOf, selected } from './job-sql.js';
import { JobRecord } from './job.record.js';

interface Place {
  readonly state: 'done' | 'cancelled';
  readonly endedAtMs: number;
}

/** Jobs that were done or cancelled longer ago than `shownMs`. Those that failed stay. */
export function endedJobs(database: Database, clock: Clock, shownMs: number): ExpiredRows<Place> {
  const remove = removeStatement(database);
  return {
    table: 'jobs',
    removeSome: async (after, limit, transaction) => {
      const { state, endedAtMs } = after ?? { state: 'done', endedAtMs: 0 };
      const newest = BigInt(clock.now() - shownMs);
      const step = { state, from: BigInt(endedAtMs), newest, limit: BigInt(limit) };
      const removed = await remove.getMany(step, transaction);
      const latest = Math.max(endedAtMs, ...removed.map((job) => job.endedAtMs));
      const next: Place | null = state === 'done' ? { state: 'cancelled', endedAtMs: 0 } : null;
      return { count: removed.length, end: removed.length < limit ? next : { state, endedAtMs: latest } };
    },
  };
}

interface Step {
  readonly state: string;
  /** Where the step before ended, as PostgreSQL would otherwise read past the dead rows of all earlier steps. */
  readonly from: bigint;
  readonly newest: bigint;
  readonly limit: bigint;
}

/** SQL text, because the query builder cannot limit a DELETE. */
function removeStatement(database: Database) {
  return database.statements(JobRecord, 'job').sql<Step, { endedAtMs: number }>((names) => {
    const { table, id: key, state, ended } = namesOf(names);
    const rows = `WHERE ${state} = :state AND ${ended} BETWEEN :from AND :newest
      ORDER BY ${ended}, ${key} LIMIT CAST(:limit AS bigint)`;
    return `${deleteSome(database, { table, key, rows })} RETURNING ${selected(names, ['endedAtMs'])}`;
  });
}
