import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Cleaner, Database, expiredRows } from '@animal-store/database';
import { Clock, DAY_MS, Outbox } from '@animal-store/kernel';
import { JobRecord } from './infrastructure/job.record.js';
import { JobAdmin } from './job-admin.js';
import { JobKinds } from './job-kinds.js';
import { JobOutbox } from './job-outbox.js';
import { JobSchedules } from './schedules/job-schedules.js';
import { JobTime } from './schedules/job-time.js';
import { JobWorker } from './job-worker.js';

/** How long jobs that were done or cancelled are shown. */
const SHOWN_MS = DAY_MS;

/** Provides the outbox to every context, and runs the jobs of all. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    JobAdmin,
    JobKinds,
    JobTime,
    JobSchedules,
    JobWorker,
    JobOutbox,
    { provide: Outbox, useExisting: JobOutbox },
    {
      provide: Cleaner,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) =>
        new Cleaner(database, endedJobs(database, clock), clock),
    },
  ],
  exports: [Outbox, JobAdmin, JobOutbox, JobWorker],
})
export class JobsModule {}

/** Those that failed stay. */
function endedJobs(database: Database, clock: Clock) {
  return expiredRows(database, JobRecord, {
    key: ['id'],
    beginning: { endedAtMs: 0 },
    where: ({ state, endedAtMs }) => `${state} IN ('done', 'cancelled') AND ${endedAtMs} <= :newest`,
    args: () => ({ newest: BigInt(clock.now() - SHOWN_MS) }),
  });
}
