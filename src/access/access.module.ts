import { Module } from '@nestjs/common';
import { ApiKeysModule, ApiKeyStore } from '#libs/api-keys';
import { RateLimitingModule } from '#libs/rate-limiting';
import { Settings } from '../config/settings.js';
import { isPreflightFrom } from '../http/preflight.js';
import { Clock } from '../shared/clock.js';
import { AccessApplicationModule } from './application/access-application.module.js';
import { AccessInfrastructureModule } from './infrastructure/access-infrastructure.module.js';
import { KeyChangesPoller } from './infrastructure/key-changes.poller.js';
import { addressOnlySubject } from './infrastructure/request-subject.js';
import { RateLimitCounters, RateLimitCountersModule, rateLimiting } from './rate-limits.module.js';

const apiKeys = ApiKeysModule.forRootAsync({
  imports: [AccessInfrastructureModule, RateLimitCountersModule],
  inject: [ApiKeyStore, RateLimitCounters, Settings, Clock],
  useFactory: (store: ApiKeyStore, counters: RateLimitCounters, settings: Settings, clock: Clock) => {
    const addressOf = addressOnlySubject(settings);
    return {
      store,
      prefix: settings.api.keyPrefix,
      realm: 'animal-store',
      now: () => clock.now(),
      isExempt: (request) => isPreflightFrom(settings.server.corsOrigins, request),
      // Refused it is in any case, unless the key turns out to be valid.
      looksUpSparingly: (request) => !counters.store.peek(addressOf(request), clock.now()).allowed,
    };
  },
});

/** Who may call the server, and how much. The guards are exported for the composition root, which binds them in its order. */
@Module({
  imports: [
    apiKeys,
    rateLimiting,
    RateLimitCountersModule,
    AccessInfrastructureModule,
    AccessApplicationModule.over(AccessInfrastructureModule),
  ],
  providers: [KeyChangesPoller],
  exports: [ApiKeysModule, RateLimitingModule, RateLimitCountersModule, AccessApplicationModule],
})
export class AccessModule {}
