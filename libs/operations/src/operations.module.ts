import { Global, Module } from '@nestjs/common';
import { Connections } from '@animal-store/web';
import { Clock } from '@animal-store/kernel';
import { ConnectionDrops } from './connection-drops.js';
import { HealthController } from './health/health.controller.js';
import { Readiness } from './health/readiness.js';
import { JsonLogger } from './logging/json-logger.js';
import { Metrics } from './metrics/metrics.js';
import { MetricsServer } from './metrics/metrics.server.js';
import {
  ConfigurableModuleClass,
  OPERATIONS_OPTIONS,
  type OperationsOptions,
  ServerFacts,
} from './operations.options.js';
import { RequestObserver } from './request-observer.js';

@Global()
@Module({
  controllers: [HealthController],
  providers: [
    Readiness,
    MetricsServer,
    {
      provide: JsonLogger,
      inject: [OPERATIONS_OPTIONS],
      useFactory: ({ logger }: OperationsOptions) => logger,
    },
    {
      // Has no options as dependency, as providers of the options, such as the rate limiter, record metrics themselves.
      provide: Metrics,
      inject: [ServerFacts],
      useFactory: ({ metrics, ...release }: ServerFacts) => new Metrics(metrics.port !== null, release),
    },
    {
      provide: ConnectionDrops,
      inject: [JsonLogger, Metrics],
      useFactory: (logger: JsonLogger, metrics: Metrics) =>
        new ConnectionDrops(logger, metrics, () => performance.now()),
    },
    {
      provide: RequestObserver,
      inject: [OPERATIONS_OPTIONS, Metrics, ConnectionDrops, Clock],
      useFactory: (
        { routes, logger }: OperationsOptions,
        metrics: Metrics,
        drops: ConnectionDrops,
        clock: Clock,
      ) => new RequestObserver(routes, logger, metrics, drops, clock),
    },
    {
      provide: Connections,
      inject: [ServerFacts, RequestObserver],
      useFactory: ({ connections }: ServerFacts, observer: RequestObserver) =>
        new Connections(connections, observer),
    },
  ],
  exports: [ConnectionDrops, Connections, JsonLogger, Metrics, Readiness],
})
export class OperationsModule extends ConfigurableModuleClass {}
