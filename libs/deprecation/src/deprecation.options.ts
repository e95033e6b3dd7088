import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { DeprecatedOperation } from './deprecated-operation.js';

export interface DeprecationOptions {
  /** The time in milliseconds since the Unix epoch. */
  now: () => number;
  /** Called for every call of a deprecated operation that passed the guards, including those whose response is 410. */
  onCall?: (request: IncomingMessage, operation: DeprecatedOperation) => void;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: DEPRECATION_OPTIONS } =
  new ConfigurableModuleBuilder<DeprecationOptions>({ moduleName: 'Deprecation' })
    .setClassMethodName('forRoot')
    // The interceptor needs the options in every module whose controllers have deprecated operations.
    .setExtras({}, (definition) => ({ ...definition, global: true }))
    .build();
