import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { SkipThrottle } from '@nestjs/throttler';
import { AnyKey, CallerGuard, KeyRequiredGuard, Public } from '@animal-store/api-keys';
import { announceDeprecation, DeprecationMarkGuard } from '@animal-store/deprecation';
import { PlanThrottlerGuard } from '@animal-store/rate-limiting';
import { HttpErrorsModule } from '@animal-store/http-errors';
import { type Database, DatabaseModule } from '@animal-store/database';
import { BodyLimits, ERRORS_PAGE, RequestInputGuard, RequestValidationPipe } from '@animal-store/web';
import { FailureLog, type JsonLogger, OperationsModule } from '@animal-store/operations';
import { Clock } from '@animal-store/kernel';
import { AccessModule } from './access/access.module.js';
import { WatchedJobsModule } from './start/watched-jobs.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { PagesModule } from './start/pages.module.js';
import { PetsModule } from './pets/pets.module.js';
import { HttpServerSetup } from './start/http-server-setup.js';
import { COMMIT, SERVICE, VERSION, VERSIONS } from './version.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { SettingsModule } from './settings/settings.module.js';
import type { Settings } from './settings/settings.js';

/** What is opened or created before the application is put together. */
export interface AppParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly database: Database;
  readonly logger: JsonLogger;
}

/** Every request passes the guards in this order. */
const guards = [
  // Refuses nobody: it marks deprecated operations, so that what the others refuse has their headers too.
  DeprecationMarkGuard,
  // Identifies the caller. The next guard counts by key, or by address when there is no key.
  CallerGuard,
  // Before a key is required, so that guessing keys is limited. It sets the limit headers of all later responses.
  PlanThrottlerGuard,
  // Before the request itself is checked: without a key the response is 401, whatever else is wrong.
  KeyRequiredGuard,
  // Last, so that only allowed callers make the service read and parse a body.
  RequestInputGuard,
];

/** The composition root. */
@Module({})
export class AppModule {
  static forRoot({ settings, clock, database, logger }: AppParts): DynamicModule {
    const failures = new FailureLog(logger, clock);
    return {
      module: AppModule,
      imports: [
        SettingsModule.forRoot(settings, clock),
        DatabaseModule.forRoot(database),
        // The contexts before all other modules with routes, the busiest first, because Express matches in this order.
        PetsModule,
        OrdersModule,
        AccessModule,
        WebhooksModule,
        OperationsModule.forRoot({
          service: SERVICE,
          version: VERSION,
          commit: COMMIT,
          logger,
          metrics: settings.metrics,
          limits: settings.server,
          streams: settings.server,
          uploads: {
            fileBytes: settings.server.uploadLimitBytes,
            fieldBytes: settings.server.bodyLimitBytes,
          },
        }),
        WatchedJobsModule,
        HttpErrorsModule.forRoot({
          prefix: VERSIONS.map((version) => `/v${version}`),
          decorators: [AnyKey()],
          outsideDecorators: [Public(), SkipThrottle()],
          // The last guard does that.
          refusesMalformedPaths: false,
          helpUrl: ERRORS_PAGE,
          beforeSend: announceDeprecation,
          onUnexpected: (error, request) => failures.failed(error, request),
        }),
        // After what other modules serve beside their routes, such as GraphQL.
        PagesModule,
      ],
      providers: [
        DeprecationMarkGuard,
        ...guards.map((guard) => ({ provide: APP_GUARD, useExisting: guard })),
        RequestInputGuard,
        HttpServerSetup,
        { provide: BodyLimits, useValue: settings.server },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
    };
  }
}
