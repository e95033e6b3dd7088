import type { IncomingMessage } from 'node:http';
import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { ConnectionBounds } from '@animal-store/web';
import type { JsonLogger } from './logging/json-logger.js';

/** The names under which a request is logged and counted. All requests of a route share one object. */
export interface RequestDescription {
  /** The pattern of the route, such as `/v1/pets/:petId`; never the path as sent. */
  readonly route: string;
  /** Such as `listPets`. Each value is a separate series in the metrics, so there must be few. */
  readonly operation: string;
}

export type DescribeRequest = (request: IncomingMessage) => RequestDescription;

/** `degraded`: Redis is configured but does not respond, so each replica limits by its own counts. */
export type RedisState = 'off' | 'up' | 'degraded';

export interface OperationsOptions {
  logger: JsonLogger;
  describe: DescribeRequest;
  /** Every operation that `describe` can return. Called once after the application is put together. */
  operations: () => Iterable<string>;
  /** Those of them that are deprecated. */
  deprecatedOperations: () => Iterable<string>;
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
