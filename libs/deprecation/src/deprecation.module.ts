import type { IncomingMessage } from 'node:http';
import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import type { DeprecatedOperation } from './deprecated-operation.js';

export interface DeprecationOptions {
  /** The time in milliseconds since the Unix epoch. Default: `Date.now`. */
  now?: () => number;
  /**
   * Called for every call of a deprecated operation that passed the guards, including those whose response is 410, with
   * the request of Node: Express extends it, Fastify wraps it.
   */
  onCall?: (request: IncomingMessage, operation: DeprecatedOperation) => void;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<DeprecationOptions>({
  moduleName: 'Deprecation',
})
  .setClassMethodName('forRoot')
  .build();

export const DEPRECATION_OPTIONS = MODULE_OPTIONS_TOKEN;

/**
 * Provides the options for `@Deprecated` of every module: import it once.
 */
@Module({ exports: [DEPRECATION_OPTIONS] })
export class DeprecationModule extends ConfigurableModuleClass {
  static override forRoot(
    options: Parameters<typeof ConfigurableModuleClass.forRoot>[0] = {},
  ): DynamicModule {
    return super.forRoot(options);
  }
}
