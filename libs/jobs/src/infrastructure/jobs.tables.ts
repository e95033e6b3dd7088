import { JobRecord } from './job.record.js';
import { CreateJobs1795000020000 } from './migrations/1795000020000-create-jobs.js';
import { OpenOneJobASubject1795000031000 } from './migrations/1795000031000-open-one-job-a-subject.js';
import { ScheduleRecord } from './schedule.record.js';

/** The records of jobs and schedules, and the migrations of their tables. */
export const jobsTables = {
  records: [JobRecord, ScheduleRecord],
  migrations: [CreateJobs1795000020000, OpenOneJobASubject1795000031000],
};
