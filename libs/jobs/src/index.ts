export { JobAdmin } from './job-admin.js';
export { JOB_STATES } from './infrastructure/job.record.js';
export { payloadOf } from './infrastructure/payload.js';
export { jobsTables } from './infrastructure/jobs.tables.js';
export { Cron, Every, Job, type JobHandler, type RunAgain } from './job.decorator.js';
export { JobOutbox } from './job-outbox.js';
export { REMOVAL, RemoveExpired } from './infrastructure/remove-expired.js';
export { JobWorker } from './job-worker.js';
export { JobsModule } from './jobs.module.js';
