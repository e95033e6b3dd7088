import { Module, type OnModuleInit } from '@nestjs/common';
import { ApiKeyAuthenticator, ApiKeysModule, CallerSignals } from '@animal-store/api-keys';
import { DeprecationModule } from '@animal-store/deprecation';
import { atMostEvery, Clock } from '@animal-store/kernel';
import { Metrics, Readiness } from '@animal-store/operations';
import { RateLimitingModule } from '@animal-store/rate-limiting';
import { Streams } from '@animal-store/web';
import { AccessDeprecation, AccessKeys, AccessRateLimits } from './access-options.js';
import { GetUsage } from './application/usage/get-usage.use-case.js';
import { firstStoredDay } from './domain/deprecated-calls.js';
import { PLAN_NAMES } from './domain/plan.js';
import { KeysController } from './http/keys.controller.js';
import { WITHOUT_PLAN } from './http/request-subject.js';
import { UsageController } from './http/usage.controller.js';
import { AccessInfrastructureModule } from './infrastructure/access-infrastructure.module.js';
import { AccessServerModule } from './infrastructure/access-server.module.js';
import { BackgroundStorage } from './infrastructure/background-storage.js';
import { KeyChangesPoller } from './infrastructure/keys/key-changes.poller.js';
import { RateLimiter } from './infrastructure/limits/rate-limiter.js';
import { KeysModule } from './keys.module.js';

/** The callers of deprecated operations are many rows. */
const COUNT_EVERY_MS = 60_000;
/** The callers of deprecated operations with their own series, who call most. */
const MAX_CALLERS = 1_000;

/** Authentication, rate limits, and calls of deprecated operations. The application binds the guards in order. */
@Module({
  imports: [
    AccessInfrastructureModule,
    AccessServerModule,
    KeysModule,
    ApiKeysModule.forRootAsync({
      imports: [AccessInfrastructureModule, AccessServerModule, KeysModule],
      useClass: AccessKeys,
    }),
    RateLimitingModule.forRootAsync({ imports: [AccessServerModule], useClass: AccessRateLimits }),
    DeprecationModule.forRootAsync({ imports: [AccessServerModule], useClass: AccessDeprecation }),
  ],
  controllers: [UsageController, KeysController],
  providers: [GetUsage, KeyChangesPoller],
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
      'Calls of deprecated operations on all servers in the last 30 days.',
      atMostEvery(COUNT_EVERY_MS, clock, async () => {
        const callers = await deprecatedCalls.callersSince(firstStoredDay(clock.now()), MAX_CALLERS);
        return callers.map(({ operation, keyId, calls }) => [operation, keyId, calls] as const);
      }),
      'operation',
      'key_id',
    );
    metrics.startPlans([...PLAN_NAMES, WITHOUT_PLAN]);
  }
}
