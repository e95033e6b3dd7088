import { Module } from '@nestjs/common';
import { ApiKeyAuthenticator, ApiKeysModule, ApiKeyStore } from '#libs/api-keys';
import { RateLimitingModule } from '#libs/rate-limiting';
import { Settings } from '../platform/config/settings.js';
import { Database } from '../platform/database/database.js';
import { isPreflightFrom } from '../platform/http/preflight.js';
import { Clock } from '../shared/clock.js';
import { AccessApplicationModule } from './application/access-application.module.js';
import { AccessInfrastructureModule } from './infrastructure/access-infrastructure.module.js';
import { BanLifting } from './domain/ban-lifting.js';
import { Plans } from './domain/plan.js';
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
  providers: [
    {
      provide: KeyChangesPoller,
      inject: [Database, Plans, ApiKeyAuthenticator, BanLifting, Clock],
      useFactory: (
        database: Database,
        plans: Plans,
        authenticator: ApiKeyAuthenticator,
        bans: BanLifting,
        clock: Clock,
      ) => {
        // Not behind the requests: a server that cannot look for changes in time has to refuse all keys.
        const keys = new TypeOrmApiKeyRepository(database.upkeep, plans);
        return new KeyChangesPoller(keys, authenticator, bans, clock);
      },
    },
  ],
  exports: [ApiKeysModule, RateLimitingModule, RateLimitCountersModule, AccessApplicationModule],
})
export class AccessModule {}
