import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { PlanThrottlerGuard } from './plan-throttler.guard.js';
import { RateLimitStore } from './rate-limit.store.js';
import {
  ConfigurableModuleClass,
  RATE_LIMITING_OPTIONS,
  type RateLimitingOptions,
} from './rate-limiting.options.js';

/**
 * Rate limits by plan for a Nest application. It binds no guard; the application does, in its own order. It closes the
 * store after the last request.
 *
 * @example
 * ```ts
 * RateLimitingModule.forRoot({
 *   store: new MemoryRateLimitStore(),
 *   subjectOf: (request) => ({ id: addressSubject(request.socket.remoteAddress), plan: FREE }),
 *   now: Date.now,
 * })
 * ```
 */
@Module({
  providers: [
    {
      provide: RateLimitStore,
      useFactory: (options: RateLimitingOptions) => options.store,
      inject: [RATE_LIMITING_OPTIONS],
    },
    PlanThrottlerGuard,
  ],
  exports: [PlanThrottlerGuard, RateLimitStore],
})
export class RateLimitingModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(@Inject(RateLimitStore) private readonly store: RateLimitStore) {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
