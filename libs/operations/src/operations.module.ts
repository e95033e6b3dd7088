import { type DynamicModule, Global, Module } from '@nestjs/common';
import { MulterModule } from '@nestjs/platform-express';
import { ShutdownSignal } from '@animal-store/kernel';
import { FrontDoor, Streams } from '@animal-store/web';
import { HealthController } from './health/health.controller.js';
import { Readiness } from './health/readiness.js';
import { JsonLogger } from './logging/json-logger.js';
import { Metrics } from './metrics/metrics.js';
import { MetricsServer } from './metrics/metrics.server.js';
import { OperationsOptions } from './operations.options.js';
import { RequestObserver } from './request-observer.js';
import { ShutdownController } from './shutdown.js';

/** A form is in memory while it is read. */
const MAX_FIELDS = 100;

@Global()
@Module({
  controllers: [HealthController],
  providers: [
    Readiness,
    MetricsServer,
    RequestObserver,
    ShutdownController,
    {
      provide: ShutdownSignal,
      inject: [ShutdownController],
      useFactory: ({ signal }: ShutdownController) => signal,
    },
  ],
  exports: [FrontDoor, JsonLogger, Metrics, Readiness, ShutdownController, ShutdownSignal, Streams],
})
export class OperationsModule {
  static forRoot(options: OperationsOptions): DynamicModule {
    const { logger, metrics, limits, streams, uploads } = options;
    const { fileBytes: fileSize, fieldBytes: fieldSize } = uploads;
    const uploadLimits = { fileSize, files: 1, fieldSize, fields: MAX_FIELDS };
    return {
      module: OperationsModule,
      imports: [MulterModule.register({ limits: uploadLimits })],
      // A module that accepts files gets these limits by default. An interceptor may set its own.
      exports: [MulterModule],
      providers: [
        { provide: OperationsOptions, useValue: options },
        { provide: JsonLogger, useValue: logger },
        { provide: Metrics, useValue: new Metrics(metrics.port !== null, options) },
        {
          provide: FrontDoor,
          inject: [RequestObserver],
          useFactory: (observer: RequestObserver) => new FrontDoor(limits, observer),
        },
        {
          provide: Streams,
          inject: [ShutdownSignal],
          useFactory: (shutdown: ShutdownSignal) => new Streams(streams, shutdown),
        },
      ],
    };
  }
}
