import { Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { PlanThrottlerGuard } from './plan-throttler.guard.js';
import { RateLimitStore } from './rate-limit.store.js';
import { RouteCosts } from './route-costs.js';
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
 *   subjectOf: (request) => ({ id: addressSubject(request.socket.remoteAddress), plan: FREE }),
 * })
 * ```
 */
@Module({
  providers: [
    {
      provide: RateLimitStore,
      useFactory: ({ store }: RateLimitingOptions) => store ?? new MemoryRateLimitStore(),
      inject: [RATE_LIMITING_OPTIONS],
    },
    RouteCosts,
    PlanThrottlerGuard,
  ],
  // What the guard injects, too: `@UseGuards` creates it in the module of the controller.
  exports: [RATE_LIMITING_OPTIONS, RateLimitStore, RouteCosts, PlanThrottlerGuard],
})
export class RateLimitingModule
  extends ConfigurableModuleClass
  implements OnModuleInit, OnApplicationShutdown
{
  constructor(
    @Inject(RateLimitStore) private readonly store: RateLimitStore,
    @Inject(RouteCosts) private readonly costs: RouteCosts,
  ) {
    super();
  }

  /** @throws Error when a route has `@Throttle()`, or names a throttler in `@SkipThrottle()`: neither does anything */
  onModuleInit(): void {
    this.costs.refuseThrottle();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
