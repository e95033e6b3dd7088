import { Module } from '@nestjs/common';
import { ConfigurableModuleClass, DEPRECATION_OPTIONS } from './deprecation.options.js';

/**
 * Provides the options for `@Deprecated`. It is global: import it once.
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
export class DeprecationModule extends ConfigurableModuleClass {}
