import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigurableModuleClass, DEPRECATION_OPTIONS } from './deprecation.options.js';

/**
 * Provides the options for `@Deprecated`. It is global unless told otherwise: import it once.
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
@Module({ exports: [DEPRECATION_OPTIONS] })
export class DeprecationModule extends ConfigurableModuleClass {
  static override forRoot(
    options: Parameters<typeof ConfigurableModuleClass.forRoot>[0] = {},
  ): DynamicModule {
    return super.forRoot(options);
  }
}
