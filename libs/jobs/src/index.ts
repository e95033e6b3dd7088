export { JobAdmin } from './job-admin.js';
export { type ClaimedJob, type Subjects } from './infrastructure/job-claims.js';
export { JOB_STATES, type JobRecord, type JobState } from './infrastructure/job.record.js';
export { type JobFilter, type NewJob } from './infrastructure/job-store.js';
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
export type { RanJob } from './job-runs.js';
export { JobWorker } from './job-worker.js';
export { JobsModule } from './jobs.module.js';
export type { CronOptions } from './schedules/schedule.js';
