import { Module } from '@nestjs/common';
import { DeprecationHeadersGuard } from './deprecation-headers.guard.js';
import { ConfigurableModuleClass, DEPRECATION_OPTIONS } from './deprecation.options.js';

/**
 * What `@Deprecated` needs. A global module: import it once. Binds no guard for all routes: the application does.
 *
 * @example
 * ```ts
 * DeprecationModule.forRootAsync({
 *   inject: [Clock, CallMetrics],
 *   useFactory: (clock: Clock, metrics: CallMetrics) => ({
 *     now: () => clock.now(),
 *     onCall: (request, operation) => metrics.deprecatedCall(callerOf(request), operation.name),
 *   }),
 * })
 * ```
 */
@Module({
  providers: [DeprecationHeadersGuard],
  exports: [DeprecationHeadersGuard, DEPRECATION_OPTIONS],
})
export class DeprecationModule extends ConfigurableModuleClass {}
