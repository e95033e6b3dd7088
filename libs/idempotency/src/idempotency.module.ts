import { Inject, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DAY_MS, RepeatedTask } from '@animal-store/kernel';
import { Idempotency } from './idempotency.js';
import { ConfigurableModuleClass } from './idempotency.options.js';
import type { IdempotencyStore } from './idempotency.store.js';

const HOUR_MS = 3_600_000;
const logger = new Logger('Idempotency');

/**
 * Stores the first responses of `@Idempotent()` operations, in every module. It removes them when they have expired.
 *
 * @example
 * ```ts
 * IdempotencyModule.forRoot({
 *   store: new TypeOrmIdempotencyStore(dataSource),
 *   callerOf: (request) => callerOf(request)?.keyId ?? null,
 * })
 * ```
 */
@Module({
  providers: [Idempotency],
  exports: [Idempotency],
})
export class IdempotencyModule
  extends ConfigurableModuleClass
  implements OnModuleInit, OnApplicationShutdown
{
  private readonly store: IdempotencyStore;
  private readonly cleaning: RepeatedTask;

  constructor(@Inject(Idempotency) { options: { store } }: Idempotency) {
    super();
    this.store = store;
    this.cleaning = new RepeatedTask({
      step: () => store.removeExpired!(DAY_MS).then(() => HOUR_MS),
      restAfterFailureMs: HOUR_MS,
      onFailing: (cause) => logger.error('Expired rows of first responses cannot be removed.', cause),
      onWorking: () => logger.log('Expired rows of first responses can be removed again.'),
    });
  }

  onModuleInit(): void {
    if (this.store.removeExpired) this.cleaning.start(HOUR_MS);
  }

  onApplicationShutdown(): Promise<void> {
    return this.cleaning.stop();
  }
}
