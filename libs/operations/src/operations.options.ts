import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { RouteTable } from '@animal-store/http-errors';
import type { ConnectionBounds } from '@animal-store/web';
import type { JsonLogger } from './logging/json-logger.js';

/** `degraded`: Redis is configured but does not respond, so each replica limits by its own counts. */
export type RedisState = 'off' | 'up' | 'degraded';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly shuttingDown: boolean;
  readonly database: 'up' | 'down';
  readonly redis: RedisState;
  /** How many processes are ready, when there are several. */
  readonly workers?: { readonly ready: number; readonly wanted: number };
}

export interface OperationsOptions {
  logger: JsonLogger;
  /** Requests are logged and counted by the route that they match. */
  routes: RouteTable;
  redisState: () => RedisState;
}

/** What is known before the application is put together. A class, as it is also the injection token. */
export class ServerFacts {
  /** Of the service. */
  readonly version: string = '0.0.0';
  /** The one that was built. */
  readonly commit: string = 'unknown';
  /** Where the metrics are served. The port 0 takes any free one, null serves none. */
  readonly metrics: { readonly host: string; readonly port: number | null } = {
    host: '127.0.0.1',
    port: null,
  };
  /** When this process is one of several. */
  readonly worker: { readinessOfAll(): Promise<ReadinessReport | null> } | null = null;
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
