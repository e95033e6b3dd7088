import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Outbox } from '@animal-store/kernel';
import { JobStore } from './infrastructure/job-store.js';
import { RemoveEndedJobs } from './infrastructure/remove-ended-jobs.job.js';
import { JobAdmin } from './job-admin.js';
import { JobKinds } from './job-kinds.js';
import { JobOutbox } from './job-outbox.js';
import { JobSchedules } from './schedules/job-schedules.js';
import { JobTime } from './schedules/job-time.js';
import { JobWorker } from './job-worker.js';

/** Provides the outbox, and runs the jobs of all modules. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    JobAdmin,
    JobKinds,
    JobStore,
    JobTime,
    JobSchedules,
    JobWorker,
    JobOutbox,
    { provide: Outbox, useExisting: JobOutbox },
    RemoveEndedJobs,
  ],
  exports: [Outbox, JobAdmin, JobOutbox, JobTime, JobWorker],
})
export class JobsModule {}
