import type { IncomingMessage } from 'node:http';
import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ApiKeyAuthenticator, ApiKeysModule, ApiKeyStore } from '@animal-store/api-keys';
import { RateLimitingModule } from '@animal-store/rate-limiting';
import { Settings } from '../platform/config/settings.js';
import { Database } from '../platform/database/database.js';
import { isPreflightFrom } from '../platform/http/preflight.js';
import { Metrics } from '../platform/operations/metrics/metrics.js';
import { Clock } from '@animal-store/kernel';
import { AccessApplicationModule } from './application/access-application.module.js';
import { AccessInfrastructureModule } from './infrastructure/access-infrastructure.module.js';
import { BanLifter } from './domain/ban-lifter.js';
import { Plans } from './domain/plan.js';
import { KeyCensus } from './infrastructure/key-census.js';
import { KeyChangesPoller } from './infrastructure/key-changes.poller.js';
import { addressOnlySubject } from './http/request-subject.js';
import { RateLimitCounters, RateLimitCountersModule, rateLimiting } from './rate-limits.module.js';
import { TypeOrmApiKeyRepository } from './infrastructure/typeorm-api-key.repository.js';

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
      isExempt: (request: IncomingMessage) => isPreflightFrom(settings.server.corsOrigins, request),
      // The rate limiter refuses the request anyway, unless the key turns out to be valid.
      looksUpSparingly: (request: IncomingMessage) =>
        !counters.store.peek(addressOf(request), clock.now()).allowed,
    };
  },
});

const keyCensus = {
  provide: KeyCensus,
  inject: [Database, Plans, Clock, Metrics],
  useFactory: (database: Database, plans: Plans, clock: Clock, metrics: Metrics) => {
    const census = new KeyCensus(new TypeOrmApiKeyRepository(database.background, plans), clock);
    metrics.gauge('api_keys', 'Active API keys in the database, by plan.', () => census.activeKeys, 'plan');
    return census;
  },
};

/** Authentication and rate limits. The guards are exported; the composition root binds them in its order. */
@Module({
  imports: [
    apiKeys,
    rateLimiting,
    RateLimitCountersModule,
    AccessInfrastructureModule,
    AccessApplicationModule.over(AccessInfrastructureModule),
  ],
  providers: [
    {
      provide: KeyChangesPoller,
      inject: [Database, Plans, ApiKeyAuthenticator, BanLifter, Clock],
      useFactory: (
        database: Database,
        plans: Plans,
        authenticator: ApiKeyAuthenticator,
        bans: BanLifter,
        clock: Clock,
      ) => {
        // On the background connections, so that it does not wait behind requests: a server that cannot read changes in time
        // looks up every key again.
        const keys = new TypeOrmApiKeyRepository(database.background, plans);
        return new KeyChangesPoller(keys, authenticator, bans, clock);
      },
    },
    keyCensus,
  ],
  exports: [ApiKeysModule, RateLimitingModule, RateLimitCountersModule, AccessApplicationModule],
})
export class AccessModule implements OnApplicationBootstrap {
  constructor(
    private readonly census: KeyCensus,
    private readonly settings: Settings,
    authenticator: ApiKeyAuthenticator,
    metrics: Metrics,
  ) {
    metrics.caches.set('api_keys', authenticator.cacheUse);
  }

  onApplicationBootstrap(): void {
    if (this.settings.metrics.port !== null) this.census.start();
  }
}
