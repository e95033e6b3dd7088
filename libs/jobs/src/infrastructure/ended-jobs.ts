import { type Database, expiredRows, type ExpiredRows } from '@animal-store/database';
import type { Clock } from '@animal-store/kernel';
import { JobRecord } from './job.record.js';

/** Jobs that were done or cancelled longer ago than `shownMs`. Those that failed stay. */
export function endedJobs(
  database: Database,
  clock: Clock,
  shownMs: number,
): ExpiredRows<{ endedAtMs: number | null }> {
  return expiredRows(database, JobRecord, {
    key: ['id'],
    beginning: { endedAtMs: 0 },
    where: ({ state, endedAtMs }) => `${state} IN ('done', 'cancelled') AND ${endedAtMs} <= :newest`,
    args: () => ({ newest: BigInt(clock.now() - shownMs) }),
  });
}
