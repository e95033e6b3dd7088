import type { IncomingMessage } from 'node:http';
import { type BeforeApplicationShutdown, Module } from '@nestjs/common';
import { callerOf, isCallerUndecided } from '@animal-store/api-keys';
import { RateLimitingModule, CounterStore } from '@animal-store/rate-limiting';
import { Settings } from '../platform/config/settings.js';
import { Cleaner } from '../platform/database/cleaner.js';
import { Database } from '../platform/database/database.js';
import { isPreflightFrom } from '../platform/http/preflight.js';
import { Metrics } from '../platform/operations/metrics/metrics.js';
import { Clock } from '@animal-store/kernel';
import type { KeyFacts } from '../shared/key-facts.js';
import { BanLifter } from './domain/ban-lifter.js';
import { ActiveBans } from './infrastructure/active-bans.js';
import { expiredCounters } from './infrastructure/expired-counters.js';
import { PLAN_NAMES } from './domain/plan.js';
import { openCounters, RateLimitCounters } from './infrastructure/rate-limit-counters.js';
import { requestSubject } from './http/request-subject.js';
import { TypeOrmCounterStore } from './infrastructure/typeorm-counter.store.js';

export { RateLimitCounters };

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
      provide: RateLimitCounters,
      inject: [Settings, CounterStore, Clock],
      useFactory: (settings: Settings, counterStore: CounterStore, clock: Clock) =>
        openCounters(settings, counterStore, clock),
    },
    ActiveBans,
    {
      provide: BanLifter,
      inject: [RateLimitCounters, ActiveBans],
      useFactory: ({ store }: RateLimitCounters, bans: ActiveBans): BanLifter => ({
        liftBan: (keyId, liftedAtMs) => {
          bans.lifted(keyId, liftedAtMs);
          return store.liftBan(keyId, liftedAtMs);
        },
      }),
    },
  ],
  exports: [ActiveBans, RateLimitCounters, BanLifter],
})
export class RateLimitCountersModule implements BeforeApplicationShutdown {
  constructor(private readonly counters: RateLimitCounters) {}

  /** Before the database closes. */
  beforeApplicationShutdown(): Promise<void> {
    return this.counters.stop();
  }
}

/** The guard that limits requests. The composition root binds it. */
export const rateLimiting = RateLimitingModule.forRootAsync({
  imports: [RateLimitCountersModule],
  inject: [RateLimitCounters, ActiveBans, Settings, Clock, Metrics],
  useFactory: (
    { store }: RateLimitCounters,
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
      isUncounted: isCallerUndecided,
      now: () => clock.now(),
      onDecision: ({ code, banBegan, minuteResetSeconds }, request: IncomingMessage) => {
        const plan = callerOf<KeyFacts>(request)?.plan ?? WITHOUT_PLAN;
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
