import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { HttpErrorFilter, type HttpErrorFilterOptions } from './http-error.filter.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<HttpErrorFilterOptions>({
    moduleName: 'HttpErrors',
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
  providers: [
    {
      provide: HttpErrorFilter,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: (options: HttpErrorFilterOptions) => new HttpErrorFilter(options),
    },
    { provide: APP_FILTER, useExisting: HttpErrorFilter },
  ],
  exports: [HttpErrorFilter],
})
export class HttpErrorsModule extends ConfigurableModuleClass {
  static override forRoot(
    options: Parameters<typeof ConfigurableModuleClass.forRoot>[0] = {},
  ): DynamicModule {
    return super.forRoot(options);
  }
}
