import { Global, Module } from '@nestjs/common';
import { JobWorker } from '@animal-store/jobs';
import { JobsHealth, Metrics } from '@animal-store/operations';

/** Shows the jobs in metrics and readiness. */
@Global()
@Module({ providers: [{ provide: JobsHealth, useExisting: JobWorker }], exports: [JobsHealth] })
export class WatchedJobsModule {
  constructor(worker: JobWorker, metrics: Metrics) {
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
