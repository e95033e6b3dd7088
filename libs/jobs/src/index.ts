export { JobAdmin } from './job-admin.js';
export { JOB_STATES, type JobRecord } from './infrastructure/job.record.js';
export { type JobFilter } from './infrastructure/job-store.js';
export { payloadOf } from './infrastructure/payload.js';
export { jobsTables } from './infrastructure/jobs.tables.js';
export {
  Cron,
  type EventJob,
  Every,
  Job,
  type JobHandler,
  type JobOptions,
  type RunAgain,
} from './job.decorator.js';
export { JobOutbox } from './job-outbox.js';
export { REMOVAL, RemoveExpired } from './infrastructure/remove-expired.js';
export { JobWorker } from './job-worker.js';
export { JobsModule } from './jobs.module.js';
