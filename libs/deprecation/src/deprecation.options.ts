import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { DeprecatedOperation } from './deprecated-operation.js';

export interface DeprecationOptions {
  /** The time in milliseconds since the Unix epoch. */
  now: () => number;
  /** Told of every call of a deprecated operation that passed the guards, also of those answered with 410. */
  onCall?: (request: IncomingMessage, operation: DeprecatedOperation) => void;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: DEPRECATION_OPTIONS } =
  new ConfigurableModuleBuilder<DeprecationOptions>({ moduleName: 'Deprecation' })
    .setClassMethodName('forRoot')
    // Every controller with a deprecated operation has an interceptor that needs the options.
    .setExtras({}, (definition) => ({ ...definition, global: true }))
    .build();
