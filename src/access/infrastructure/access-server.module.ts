import { Module } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import { Settings } from '../../settings/settings.js';
import { LiveUsage } from '../domain/usage.reader.js';
import { AccessInfrastructureModule } from './access-infrastructure.module.js';
import { BackgroundStorage } from './background-storage.js';
import { DeprecatedCallCounter } from './deprecated-calls/deprecated-call.counter.js';
import { RemoveExpiredCalls } from './deprecated-calls/typeorm-deprecated-call.repository.js';
import { LastUses } from './keys/last-uses.js';
import { openRateLimiter, RateLimiter } from './limits/rate-limiter.js';
import { RemoveExpiredCounters, TypeOrmCounterStore } from './limits/typeorm-counter.store.js';

/** What counts and saves while requests are served. */
@Module({
  imports: [AccessInfrastructureModule],
  providers: [
    BackgroundStorage,
    DeprecatedCallCounter,
    LastUses,
    RemoveExpiredCalls,
    RemoveExpiredCounters,
    TypeOrmCounterStore,
    {
      provide: RateLimiter,
      inject: [Settings, TypeOrmCounterStore, Clock],
      useFactory: openRateLimiter,
    },
    { provide: LiveUsage, useExisting: RateLimiter },
  ],
  exports: [BackgroundStorage, DeprecatedCallCounter, LastUses, LiveUsage, RateLimiter],
})
export class AccessServerModule {}
