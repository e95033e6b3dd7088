import type { IncomingMessage } from 'node:http';
import { Module, type OnModuleInit } from '@nestjs/common';
import {
  ApiKeyAuthenticator,
  ApiKeysModule,
  ApiKeyStore,
  callerOf,
  CallerSignals,
} from '@animal-store/api-keys';
import { DeprecationModule } from '@animal-store/deprecation';
import { atMostEvery, Clock } from '@animal-store/kernel';
import { RateLimitingModule } from '@animal-store/rate-limiting';
import { isPreflightFrom, Streams } from '@animal-store/web';
import { Metrics, Readiness } from '@animal-store/operations';
import { scopes } from '../contexts.js';
import { Settings } from '../settings/settings.js';
import { StoreKeyIssuer } from './application/key-issuer.use-case.js';
import { GetUsage } from './application/usage/get-usage.use-case.js';
import { callerText } from './domain/ban.js';
import { DeprecatedCallRepository, firstStoredDay } from './domain/deprecated-calls.js';
import { PLAN_NAMES } from './domain/plan.js';
import { LiveUsage } from './domain/usage.reader.js';
import { KeysController } from './http/keys.controller.js';
import { UsageController } from './http/usage.controller.js';
import { addressOnlySubject, requestSubject } from './http/request-subject.js';
import { DeprecatedCallCounter } from './infrastructure/deprecated-calls/deprecated-call.counter.js';
import {
  RemoveExpiredCalls,
  TypeOrmDeprecatedCallRepository,
} from './infrastructure/deprecated-calls/typeorm-deprecated-call.repository.js';
import { KeyChangesPoller } from './infrastructure/keys/key-changes.poller.js';
import { LastUses } from './infrastructure/keys/last-uses.js';
import { openRateLimiter, RateLimiter } from './infrastructure/limits/rate-limiter.js';
import { BackgroundStorage } from './infrastructure/background-storage.js';
import { RemoveExpiredCounters, TypeOrmCounterStore } from './infrastructure/limits/typeorm-counter.store.js';
import type { KeyFacts } from './key-facts.js';
import { KeysModule } from './keys.module.js';

/** The plan of a caller without a valid key, in metrics. */
const WITHOUT_PLAN = 'none';
/** The callers of deprecated operations are many rows. */
const COUNT_EVERY_MS = 60_000;
/** The callers of deprecated operations with their own series, who call most. */
const MAX_CALLERS = 1_000;

/** The counters behind the rate limits. */
@Module({
  providers: [
    RemoveExpiredCounters,
    TypeOrmCounterStore,
    {
      provide: RateLimiter,
      inject: [Settings, TypeOrmCounterStore, Clock],
      useFactory: openRateLimiter,
    },
  ],
  exports: [RateLimiter],
})
class RateLimiterModule {}

/** The guard that limits requests. The composition root binds it. */
const rateLimiting = RateLimitingModule.forRootAsync({
  imports: [RateLimiterModule],
  inject: [RateLimiter, Settings, Clock, Metrics],
  useFactory: ({ store, bans }: RateLimiter, settings: Settings, clock: Clock, metrics: Metrics) => {
    return {
      store,
      subjectOf: requestSubject(settings),
      now: clock.now,
      onDecision: ({ code, ban }, request: IncomingMessage, { id: subject, caller = subject }) => {
        const plan = callerOf<KeyFacts>(request)?.plan.name ?? WITHOUT_PLAN;
        metrics.limitDecided(code ?? 'allowed', plan);
        if (!ban?.began) return;
        metrics.banStarted(plan);
        const sinceMs = clock.now();
        const began = { plan, sinceMs, untilMs: sinceMs + ban.seconds * 1_000, refusals: ban.refusals };
        const who = callerText({ subject, caller });
        bans.began(who, began);
      },
    };
  },
});

/** What background work reads and saves, and when each key was last used. */
@Module({
  imports: [KeysModule],
  providers: [BackgroundStorage, LastUses],
  exports: [BackgroundStorage, LastUses],
})
class BackgroundModule {}

const apiKeys = ApiKeysModule.forRootAsync({
  imports: [KeysModule, RateLimiterModule, BackgroundModule],
  inject: [ApiKeyStore, StoreKeyIssuer, LastUses, RateLimiter, Settings, Clock],
  useFactory: (
    store: ApiKeyStore,
    issuer: StoreKeyIssuer,
    lastUses: LastUses,
    limiter: RateLimiter,
    settings: Settings,
    clock: Clock,
  ) => {
    const addressOf = addressOnlySubject(settings);
    const { corsOrigins } = settings.server;
    return {
      store,
      // One for all modules, with history and bounds.
      issuer,
      prefix: settings.api.keyPrefix,
      scopes,
      realm: 'animal-store',
      now: clock.now,
      // KeyChangesPoller reads them, with the lifts of bans.
      pollsChanges: false,
      onFirstUseOfDay: lastUses.note,
      ...(corsOrigins.length > 0 && {
        isExempt: (request: IncomingMessage) => isPreflightFrom(corsOrigins, request),
      }),
      // The rate limiter refuses the request anyway, unless the key turns out to be valid.
      throttleLookUps: (request: IncomingMessage) =>
        !limiter.store.peek(addressOf(request), clock.now()).allowed,
    };
  },
});

/** Who calls deprecated operations. */
@Module({
  imports: [BackgroundModule],
  providers: [DeprecatedCallCounter, RemoveExpiredCalls],
  exports: [DeprecatedCallCounter],
})
class DeprecatedCallsModule {}

const deprecation = DeprecationModule.forRootAsync({
  imports: [DeprecatedCallsModule],
  inject: [Metrics, DeprecatedCallCounter, Clock],
  useFactory: (metrics: Metrics, calls: DeprecatedCallCounter, clock: Clock) => ({
    now: clock.now,
    onCall: (request, { name }) => {
      metrics.deprecatedOperationCalled(name);
      calls.count(name, callerOf<KeyFacts>(request));
    },
  }),
});

/** Authentication, rate limits, and who calls deprecated operations. The application binds the exported guards in order. */
@Module({
  imports: [
    KeysModule,
    BackgroundModule,
    RateLimiterModule,
    DeprecatedCallsModule,
    apiKeys,
    rateLimiting,
    deprecation,
  ],
  controllers: [UsageController, KeysController],
  providers: [
    GetUsage,
    { provide: DeprecatedCallRepository, useClass: TypeOrmDeprecatedCallRepository },
    {
      provide: LiveUsage,
      inject: [RateLimiter, Clock],
      useFactory: (limiter: RateLimiter, clock: Clock): LiveUsage => ({
        of: (caller) => limiter.usageOf(caller, clock.now()),
      }),
    },
    KeyChangesPoller,
  ],
  exports: [KeysModule, ApiKeysModule, RateLimitingModule],
})
export class AccessModule implements OnModuleInit {
  constructor(
    private readonly authenticator: ApiKeyAuthenticator,
    private readonly signals: CallerSignals,
    private readonly limiter: RateLimiter,
    private readonly stored: BackgroundStorage,
    private readonly metrics: Metrics,
    private readonly readiness: Readiness,
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const { metrics, clock } = this;
    const { deprecatedCalls } = this.stored;
    this.readiness.watch({ redis: this.limiter });
    this.streams.endWith(this.signals);
    metrics.cache('api_keys', this.authenticator.cacheUse);
    metrics.gauge(
      'deprecated_calls',
      'Calls of deprecated operations on all servers in the last 30 days, by key id.',
      atMostEvery(COUNT_EVERY_MS, clock, async () => {
        const callers = await deprecatedCalls.callersSince(firstStoredDay(clock.now()), MAX_CALLERS);
        return callers.map(({ operation, keyId, calls }) => [operation, keyId, calls] as const);
      }),
      'operation',
      'key_id',
    );
    const plans = [...PLAN_NAMES, WITHOUT_PLAN];
    metrics.startPlans(plans);
    metrics.gauge(
      'rate_limit_bans_active',
      'Bans in force that began on this server, by plan.',
      () => this.limiter.bans.byPlan(plans, this.clock.now()),
      'plan',
    );
  }
}
