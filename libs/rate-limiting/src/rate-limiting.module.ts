import { Inject, Module, type OnApplicationShutdown, type OnModuleInit, type Type } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { MemoryRateLimitStore } from './stores/memory-rate-limit.store.js';
import { PlanThrottlerGuard, SKIPPED } from './plan-throttler.guard.js';
import { RateLimitStore } from './rate-limit.store.js';
import {
  ConfigurableModuleClass,
  RATE_LIMITING_OPTIONS,
  type RateLimitingOptions,
} from './rate-limiting.options.js';

/** The metadata keys of `@Throttle()`: these words, and the name of a throttler. */
const THROTTLE = /^THROTTLER:(LIMIT|TTL|BLOCK_DURATION|TRACKER|KEY_GENERATOR)/;

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
    PlanThrottlerGuard,
  ],
  // What the guard injects, too: `@UseGuards` creates it in the module of the controller.
  exports: [RATE_LIMITING_OPTIONS, RateLimitStore, PlanThrottlerGuard],
})
export class RateLimitingModule
  extends ConfigurableModuleClass
  implements OnModuleInit, OnApplicationShutdown
{
  constructor(
    @Inject(RateLimitStore) private readonly store: RateLimitStore,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {
    super();
  }

  /** @throws Error when a route has `@Throttle()`, or names a throttler in `@SkipThrottle()`: neither does anything */
  onModuleInit(): void {
    const scanner = new MetadataScanner();
    for (const { metatype } of [...this.modules.values()].flatMap((module) => [
      ...module.controllers.values(),
    ])) {
      const type = metatype as Type<object>;
      const prototype = type.prototype as Readonly<Record<string, object>>;
      refuseThrottle(type, type.name);
      for (const name of scanner.getAllMethodNames(prototype))
        refuseThrottle(prototype[name]!, `${type.name}.${name}`);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

function refuseThrottle(target: object, name: string): void {
  for (const key of Reflect.getMetadataKeys(target).map(String)) {
    if (THROTTLE.test(key)) {
      throw new Error(
        `@Throttle() on ${name} has no effect: limits come from the plan of the caller. Use @RateLimit({ cost }).`,
      );
    }
    if (key.startsWith('THROTTLER:SKIP') && key !== SKIPPED) {
      throw new Error(
        `@SkipThrottle() on ${name} names a throttler, and there are none. Use it without names.`,
      );
    }
  }
}
