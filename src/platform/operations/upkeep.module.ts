import {
  type BeforeApplicationShutdown,
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Cleaner, type ExpiredRows } from '../database/cleaner.js';
import { Database } from '../database/database.js';
import { Metrics } from './metrics/metrics.js';

export interface UpkeepOptions {
  /** The expired rows of each module. */
  expired: readonly ExpiredRows[];
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<UpkeepOptions>({
  moduleName: 'Upkeep',
})
  .setClassMethodName('forRoot')
  .build();

/** Removes expired rows while the server runs. */
@Module({})
export class UpkeepModule
  extends ConfigurableModuleClass
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly cleaners: readonly Cleaner[];

  constructor(
    @Inject(MODULE_OPTIONS_TOKEN) { expired }: UpkeepOptions,
    database: Database,
    metrics: Metrics,
  ) {
    super();
    this.cleaners = expired.map(
      (rows) =>
        new Cleaner(database.upkeep, rows, {
          nowMs: () => performance.now(),
          onRemoved: (count) => metrics.expiredRowsRemoved(rows.table, count),
        }),
    );
    for (const { table } of this.cleaners) metrics.expiredRowsRemoved(table, 0);
    metrics.gauge(
      'cleaning_behind_seconds',
      'Time since a table last had no expired rows.',
      () => this.cleaners.map(({ table, behindMs }) => [table, behindMs / 1_000] as const),
      'table',
    );
    metrics.gauge('database_log_bytes', 'Size of the write-ahead log of the embedded database.', () =>
      database.logBytes === null ? [] : [[database.logBytes]],
    );
    metrics.gauge(
      'database_queue_length',
      'Writes that wait for the embedded database, or requests that wait for a connection to PostgreSQL.',
      () => [[database.queueLength]],
    );
  }

  onApplicationBootstrap(): void {
    for (const cleaner of this.cleaners) cleaner.start();
  }

  /** Before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.cleaners.map((cleaner) => cleaner.stop()));
  }
}
