import { Module } from '@nestjs/common';
import { JobWorker } from '@animal-store/jobs';
import { Metrics, Readiness } from '@animal-store/operations';

/** Shows the jobs in metrics and readiness. */
@Module({})
export class WatchedJobsModule {
  constructor(worker: JobWorker, metrics: Metrics, readiness: Readiness) {
    readiness.jobsState = () => worker.state;
    metrics.gauge(
      'jobs',
      'Jobs that have not ended or have failed, by kind and state, up to 10,000 of each.',
      () => worker.counts(),
      'kind',
      'state',
    );
    metrics.gauge(
      'jobs_oldest_waiting_seconds',
      'How long the oldest job that may run has waited, by kind.',
      () => worker.oldestWaiting(),
      'kind',
    );
  }
}
