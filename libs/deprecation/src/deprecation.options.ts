import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { DeprecatedOperation } from './deprecated-operation.js';
import type { HttpRequest } from './http.js';

/** Callbacks get the request as interceptors do: that of Express or of Fastify. */
export interface DeprecationOptions {
  /** The time in milliseconds since the Unix epoch. Default: `Date.now`. */
  now?: () => number;
  /** Called for every call of a deprecated operation that passed the guards, including those whose response is 410. */
  onCall?(request: HttpRequest, operation: DeprecatedOperation): void;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: DEPRECATION_OPTIONS } =
  new ConfigurableModuleBuilder<DeprecationOptions>({ moduleName: 'Deprecation' })
    .setClassMethodName('forRoot')
    // The interceptor needs the options in every module whose controllers have deprecated operations.
    .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();
