import type { IncomingMessage } from 'node:http';
import { type BeforeApplicationShutdown, Module, type OnApplicationBootstrap } from '@nestjs/common';
import {
  ApiKeyAuthenticator,
  ApiKeysModule,
  ApiKeyStore,
  callerOf,
  isLookUpFailed,
} from '@animal-store/api-keys';
import { Clock } from '@animal-store/kernel';
import { CounterStore, RateLimitingModule } from '@animal-store/rate-limiting';
import { Settings } from '../platform/config/settings.js';
import { Cleaner } from '../platform/database/cleaner.js';
import { Database } from '../platform/database/database.js';
import { isPreflightFrom } from '../platform/http/preflight.js';
import { Metrics } from '../platform/operations/metrics/metrics.js';
import { PLAN_NAMES, Plans } from './domain/plan.js';
import { addressOnlySubject, requestSubject } from './http/request-subject.js';
import { ActiveBans } from './infrastructure/active-bans.js';
import { expiredCounters } from './infrastructure/expired-counters.js';
import { KeyCensus } from './infrastructure/key-census.js';
import { KeyChangesPoller } from './infrastructure/key-changes.poller.js';
import { openRateLimiter, RateLimiter } from './infrastructure/rate-limiter.js';
import { TypeOrmApiKeyRepository } from './infrastructure/typeorm-api-key.repository.js';
import { TypeOrmCounterStore } from './infrastructure/typeorm-counter.store.js';
import type { KeyFacts } from './key-facts.js';
import { KeysModule } from './keys.module.js';

export { RateLimiter };

/** The plan of a caller without a valid key, in metrics. */
const WITHOUT_PLAN = 'none';

/** The counters behind the rate limits. */
@Module({
  providers: [
    {
      provide: Cleaner,
      inject: [Database, Clock, Settings],
      useFactory: (database: Database, clock: Clock, settings: Settings) =>
        new Cleaner(database, expiredCounters(database, clock, settings), clock),
    },
    { provide: CounterStore, useClass: TypeOrmCounterStore },
    {
      provide: RateLimiter,
      inject: [Settings, CounterStore, Clock],
      useFactory: (settings: Settings, counterStore: CounterStore, clock: Clock) =>
        openRateLimiter(settings, counterStore, clock),
    },
    ActiveBans,
  ],
  exports: [ActiveBans, RateLimiter],
})
export class RateLimiterModule implements BeforeApplicationShutdown {
  constructor(private readonly limiter: RateLimiter) {}

  /** Before the database closes. */
  beforeApplicationShutdown(): Promise<void> {
    return this.limiter.stop();
  }
}

/** The guard that limits requests. The composition root binds it. */
const rateLimiting = RateLimitingModule.forRootAsync({
  imports: [RateLimiterModule],
  inject: [RateLimiter, ActiveBans, Settings, Clock, Metrics],
  useFactory: (
    { store }: RateLimiter,
    bans: ActiveBans,
    settings: Settings,
    clock: Clock,
    metrics: Metrics,
  ) => {
    const plans = [...PLAN_NAMES, WITHOUT_PLAN];
    metrics.startPlans(plans);
    metrics.gauge(
      'rate_limit_bans_active',
      'Bans in force that began on this server, by plan.',
      () => bans.byPlan(plans, clock.now()),
      'plan',
    );
    const subjectOf = requestSubject(settings, (request) =>
      isPreflightFrom(settings.server.corsOrigins, request),
    );
    return {
      store,
      subjectOf,
      isUncounted: isLookUpFailed,
      now: () => clock.now(),
      onDecision: ({ code, banBegan, minuteResetSeconds }, request: IncomingMessage) => {
        const plan = callerOf<KeyFacts>(request)?.plan.name ?? WITHOUT_PLAN;
        metrics.limitDecided(code ?? 'allowed', plan);
        if (!banBegan) return;
        metrics.banBegan(plan);
        const fromMs = clock.now();
        // Until the ban ends, or the minute if that is later: until then the caller is refused.
        const untilMs = fromMs + minuteResetSeconds * 1_000;
        bans.began(subjectOf(request).id, { plan, fromMs, untilMs });
      },
    };
  },
});

const apiKeys = ApiKeysModule.forRootAsync({
  imports: [KeysModule, RateLimiterModule],
  inject: [ApiKeyStore, RateLimiter, Settings, Clock],
  useFactory: (store: ApiKeyStore, limiter: RateLimiter, settings: Settings, clock: Clock) => {
    const addressOf = addressOnlySubject(settings);
    return {
      store,
      prefix: settings.api.keyPrefix,
      realm: 'animal-store',
      now: () => clock.now(),
      isExempt: (request: IncomingMessage) => isPreflightFrom(settings.server.corsOrigins, request),
      // The rate limiter refuses the request anyway, unless the key turns out to be valid.
      throttleLookUps: (request: IncomingMessage) =>
        !limiter.store.peek(addressOf(request), clock.now()).allowed,
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
  imports: [KeysModule, RateLimiterModule, apiKeys, rateLimiting],
  providers: [
    {
      provide: KeyChangesPoller,
      inject: [Database, Plans, ApiKeyAuthenticator, RateLimiter, ActiveBans, Clock],
      useFactory: (
        database: Database,
        plans: Plans,
        authenticator: ApiKeyAuthenticator,
        { store }: RateLimiter,
        bans: ActiveBans,
        clock: Clock,
      ) => {
        const liftBan = (keyId: string, liftedAtMs: number) => {
          bans.lifted(keyId, liftedAtMs);
          return store.liftBan(keyId, liftedAtMs);
        };
        // On the background connections, so that it does not wait behind requests: a server that cannot read changes in time
        // looks up every key again.
        const keys = new TypeOrmApiKeyRepository(database.background, plans);
        return new KeyChangesPoller(keys, authenticator, { liftBan }, clock);
      },
    },
    keyCensus,
  ],
  exports: [KeysModule, ApiKeysModule, RateLimitingModule],
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
