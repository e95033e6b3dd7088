import { type BeforeApplicationShutdown, Module } from '@nestjs/common';
import { callerOf, isCallerUndecided } from '#libs/api-keys';
import { RateLimitingModule, UsageJournal } from '#libs/rate-limiting';
import { Settings } from '../platform/config/settings.js';
import { isPreflightFrom } from '../platform/http/preflight.js';
import { Metrics } from '../platform/operations/metrics/metrics.js';
import { Clock } from '../shared/clock.js';
import { BanLifting } from './domain/ban-lifting.js';
import { ExpiredUsage } from './infrastructure/expired-usage.js';
import { PLAN_NAMES } from './domain/plan.js';
import { openCounters, RateLimitCounters } from './infrastructure/rate-limit-counters.js';
import { requestSubject } from './http/request-subject.js';
import { TypeOrmUsageJournal } from './infrastructure/typeorm-usage.journal.js';

export { ExpiredUsage, RateLimitCounters };

/** What metrics call the plan of a caller without a valid key. */
const WITHOUT_PLAN = 'none';

/** How much a caller may call. */
@Module({
  providers: [
    ExpiredUsage,
    { provide: UsageJournal, useClass: TypeOrmUsageJournal },
    {
      provide: RateLimitCounters,
      inject: [Settings, UsageJournal, Clock],
      useFactory: (settings: Settings, journal: UsageJournal, clock: Clock) =>
        openCounters(settings, journal, clock),
    },
    {
      provide: BanLifting,
      inject: [RateLimitCounters],
      useFactory: ({ store }: RateLimitCounters): BanLifting => store,
    },
  ],
  exports: [RateLimitCounters, BanLifting, ExpiredUsage],
})
export class RateLimitCountersModule implements BeforeApplicationShutdown {
  constructor(private readonly counters: RateLimitCounters) {}

  /** Before the database closes. */
  beforeApplicationShutdown(): Promise<void> {
    return this.counters.stop();
  }
}

/** The guard that limits requests, for the composition root to bind. */
export const rateLimiting = RateLimitingModule.forRootAsync({
  imports: [RateLimitCountersModule],
  inject: [RateLimitCounters, Settings, Clock, Metrics],
  useFactory: ({ store }: RateLimitCounters, settings: Settings, clock: Clock, metrics: Metrics) => {
    metrics.startPlans([...PLAN_NAMES, WITHOUT_PLAN]);
    return {
      store,
      subjectOf: requestSubject(settings, (request) => isPreflightFrom(settings.server.corsOrigins, request)),
      isUncounted: isCallerUndecided,
      now: () => clock.now(),
      onDecision: ({ code, banBegan }, request) => {
        const plan = callerOf(request)?.plan ?? WITHOUT_PLAN;
        metrics.limitDecided(code ?? 'allowed', plan);
        if (banBegan) metrics.banBegan(plan);
      },
    };
  },
});
