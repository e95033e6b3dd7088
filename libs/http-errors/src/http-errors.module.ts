import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { HTTP_ERRORS_OPTIONS, HttpErrorFilter, type HttpErrorFilterOptions } from './http-error.filter.js';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<HttpErrorFilterOptions>({
  optionsInjectionToken: HTTP_ERRORS_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: false }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();

/**
 * Binds `HttpErrorFilter` to the whole application. Global, it also provides the filter for `@UseFilters` in every
 * module.
 *
 * @example
 * ```ts
 * HttpErrorsModule.forRootAsync({
 *   inject: [RequestLog],
 *   useFactory: (log: RequestLog) => ({ onUnexpected: (error, request) => log.failed(request, error) }),
 * })
 * ```
 */
@Module({
  providers: [HttpErrorFilter, { provide: APP_FILTER, useExisting: HttpErrorFilter }],
  // What the filter injects, too: `@UseFilters` creates it in the module of the controller.
  exports: [HTTP_ERRORS_OPTIONS, HttpErrorFilter],
})
export class HttpErrorsModule extends ConfigurableModuleClass {
  static override forRoot(
    options: Parameters<typeof ConfigurableModuleClass.forRoot>[0] = {},
  ): DynamicModule {
    return super.forRoot(options);
  }
}
