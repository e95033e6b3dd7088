import { Module, type OnModuleInit } from '@nestjs/common';
import { JobsModule, JobWorker } from '@animal-store/jobs';
import { Metrics, Readiness } from '@animal-store/operations';

/** Shows the jobs in metrics and readiness. */
@Module({ imports: [JobsModule] })
export class WatchedJobsModule implements OnModuleInit {
  constructor(
    private readonly worker: JobWorker,
    private readonly metrics: Metrics,
    private readonly readiness: Readiness,
  ) {}

  onModuleInit(): void {
    const { worker, metrics } = this;
    this.readiness.watch({ jobs: worker });
    metrics.gauge(
      'jobs',
      'Jobs that have not ended or have failed, up to 10,000 of each.',
      () => worker.counts(),
      'kind',
      'state',
    );
    metrics.gauge(
      'jobs_oldest_waiting_seconds',
      'How long the oldest job that may run has waited.',
      () => worker.oldestWaiting(),
      'kind',
    );
  }
}
