import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { RouteTable } from '@animal-store/http-errors';
import type { ConnectionBounds } from '@animal-store/web';
import type { JsonLogger } from './logging/json-logger.js';

/** `degraded`: Redis is configured but does not respond, so each replica limits by its own counts. */
export type RedisState = 'off' | 'up' | 'degraded';

export interface OperationsOptions {
  logger: JsonLogger;
  /** Requests are logged and counted by the route that they match. */
  routes: RouteTable;
  redisState: () => RedisState;
}

/** What is known before the application is put together. A class, as it is also the injection token. */
export class ServerFacts {
  /** Of the service, for the metrics. */
  readonly version: string = '0.0.0';
  /** The address for the metrics. */
  readonly host: string = '127.0.0.1';
  /** The port for the metrics; 0 takes any free port, null serves none. */
  readonly metricsPort: number | null = null;
  readonly connections: ConnectionBounds = {
    maxPipelined: 10_000,
    stalledAfterMs: 30_000,
    idleAfterMs: 67_000,
  };
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: OPERATIONS_OPTIONS } =
  new ConfigurableModuleBuilder<OperationsOptions>({ moduleName: 'Operations' })
    .setClassMethodName('forRoot')
    .setExtras(new ServerFacts(), (definition, facts) => ({
      ...definition,
      providers: [...(definition.providers ?? []), { provide: ServerFacts, useValue: facts }],
    }))
    .build();
