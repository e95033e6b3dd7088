import {
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { PlanThrottlerGuard, SKIPPED } from './guard/plan-throttler.guard.js';
import { FallbackRateLimitStore } from './stores/fallback-rate-limit.store.js';
import { MemoryRateLimitStore } from './stores/memory-rate-limit.store.js';
import { RedisRateLimitStore } from './redis/redis-rate-limit.store.js';
import { RateLimitStore } from './rate-limit.store.js';
import {
  ConfigurableModuleClass,
  RATE_LIMITING_OPTIONS,
  type RateLimitingOptions,
} from './rate-limiting.options.js';

/** The metadata keys of `@Throttle()`: these words, and the name of a throttler. */
const THROTTLE = /^THROTTLER:(LIMIT|TTL|BLOCK_DURATION|TRACKER|KEY_GENERATOR)/;

const logger = new Logger('RateLimiting');

/**
 * Rate limits by plan for a Nest application. It binds no guard; the application does, in its own order. It closes the
 * store after the last request.
 */
@Module({
  providers: [
    {
      provide: RateLimitStore,
      useFactory: ({ store = new MemoryRateLimitStore() }: RateLimitingOptions) =>
        store instanceof RedisRateLimitStore ? withFallback(store) : store,
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
    @Inject(RATE_LIMITING_OPTIONS) private readonly options: RateLimitingOptions,
    @Inject(RateLimitStore) private readonly store: RateLimitStore,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {
    super();
  }

  /**
   * @throws Error without `subjectOf`
   * @throws Error when a route has `@Throttle()`, or names a throttler in `@SkipThrottle()`: neither does anything
   */
  onModuleInit(): void {
    if (typeof this.options.subjectOf !== 'function')
      throw new Error('RateLimitingModule needs the option `subjectOf`: whose request it is, and its plan.');
    const scanner = new MetadataScanner();
    const controllers = [...this.modules.values()].flatMap((module) => [...module.controllers.values()]);
    for (const { metatype } of controllers) {
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

/** A node of a Redis Cluster is named. */
const redis = (node: string) => `Redis ${node}`.trim();

/** Without it, every request would fail while Redis is unavailable. */
async function withFallback(remote: RedisRateLimitStore): Promise<RateLimitStore> {
  const store = new FallbackRateLimitStore(remote, remote.mirror, {
    onLost: (cause, node) => logger.warn(`${redis(node)} does not count. Limiting by local counts.`, cause),
    onRestored: (node) => logger.log(`${redis(node)} counts again. Limiting by shared counts.`),
    onNotCounted: (refusal) => logger.warn(refusal),
  });
  await store.start();
  return store;
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
