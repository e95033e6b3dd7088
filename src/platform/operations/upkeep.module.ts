import { type BeforeApplicationShutdown, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ExpiredUsage, RateLimitCountersModule } from '../../access/rate-limits.module.js';
import { Cleaner } from '../database/cleaner.js';
import { Database } from '../database/database.js';
import { ExpiredAnswers } from '../idempotency/expired-answers.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { Metrics } from './metrics/metrics.js';

/** Removes what the contexts no longer need, while the server runs. */
@Module({ imports: [IdempotencyModule, RateLimitCountersModule] })
export class UpkeepModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly cleaners: readonly Cleaner[];

  constructor(database: Database, metrics: Metrics, answers: ExpiredAnswers, usage: ExpiredUsage) {
    this.cleaners = [answers, usage].map(
      (rows) =>
        new Cleaner(database.upkeep, rows, {
          nowMs: () => performance.now(),
          onRemoved: (count) => metrics.expiredRowsRemoved(rows.table, count),
        }),
    );
    metrics.watchCleaning(this.cleaners);
    metrics.watchDatabaseLog(() => database.logBytes);
  }

  onApplicationBootstrap(): void {
    for (const cleaner of this.cleaners) cleaner.start();
  }

  /** Before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.cleaners.map((cleaner) => cleaner.stop()));
  }
}
