import type { IncomingMessage } from 'node:http';
import { ConfigurableModuleBuilder } from '@nestjs/common';
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

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: OPERATIONS_OPTIONS } =
  new ConfigurableModuleBuilder<OperationsOptions>({ moduleName: 'Operations' })
    .setClassMethodName('forRoot')
    .build();
