import type { INestApplicationContext } from '@nestjs/common';
import type { RanJob } from '../job-runs.js';
import { JobWorker } from '../job-worker.js';

/** Runs jobs in tests, at the clock of the test. */
export class JobRunner {
  private readonly worker: JobWorker;

  /** @param app with the module of jobs, and any clock but the system's */
  constructor(app: Pick<INestApplicationContext, 'get'>) {
    this.worker = app.get(JobWorker);
  }

  /** Runs what is due, and what that causes, until nothing is left. @returns what was run, in that order */
  runDue(): Promise<RanJob[]> {
    return this.worker.runDue();
  }
}
