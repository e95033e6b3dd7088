import { Database } from '@animal-store/database';
import { Clock, DAY_MS } from '@animal-store/kernel';
import { Every, Job } from '../job.decorator.js';
import { REMOVAL, RemoveExpired } from './remove-expired.js';
import { JobRecord } from './job.record.js';

/** How long jobs that were done or cancelled are shown. Those that failed stay. */
const SHOWN_MS = DAY_MS;

@Job('jobs.remove-ended', REMOVAL)
@Every('10m')
export class RemoveEndedJobs extends RemoveExpired<JobRecord, 'endedAtMs'> {
  constructor(database: Database, clock: Clock) {
    super(database, JobRecord, {
      beginning: { endedAtMs: 0 },
      where: ({ state, endedAtMs }) => `${state} IN ('done', 'cancelled') AND ${endedAtMs} <= :newest`,
      args: () => ({ newest: BigInt(clock.now() - SHOWN_MS) }),
    });
  }
}
