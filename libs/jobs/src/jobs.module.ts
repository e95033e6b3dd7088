import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Cleaner, Database } from '@animal-store/database';
import { Clock, DAY_MS, Outbox } from '@animal-store/kernel';
import { endedJobs } from './infrastructure/ended-jobs.js';
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
        new Cleaner(database, endedJobs(database, clock, SHOWN_MS), clock),
    },
  ],
  exports: [Outbox, JobAdmin, JobOutbox, JobWorker],
})
export class JobsModule {}
