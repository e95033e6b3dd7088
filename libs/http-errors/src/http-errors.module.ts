import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  type HttpServer,
  Inject,
  Module,
  type OnModuleInit,
  Controller,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { APP_GUARD, ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { declaredBy } from '@animal-store/kernel/http';
import { HTTP_ERRORS_OPTIONS, HttpErrorFilter, type HttpErrorFilterOptions } from './http-error.filter.js';
import { httpErrorFrom, sendError } from './http-error.js';
import { catchAll } from './routes/catch-all.controller.js';
import { escapeMalformedPath, MalformedPathGuard } from './routes/malformed-path.guard.js';
import { RouteNotFound } from './routes/route.errors.js';
import { RouteTable } from './routes/route-table.js';

/** The options of the module beside those of the filter. */
const EXTRAS = {
  /**
   * The prefix of the guarded routes, such as `/v1`, or several. An unknown path below it gets its response after all
   * guards. Default: none, for every path.
   */
  prefix: '' as string | readonly string[],
  /** Decorators for the catch-all controllers below the prefix. */
  decorators: [] as readonly ClassDecorator[],
  /** Decorators for the catch-all controller outside the prefix, such as the one that allows requests without a key. */
  outsideDecorators: [] as readonly ClassDecorator[],
  /** Whether a malformed path is refused after all guards. With false, a guard of yours calls `refuseMalformedPath`. */
  refusesMalformedPaths: true,
};

const REFUSES_MALFORMED = Symbol('whether malformed paths are refused');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<HttpErrorFilterOptions>({
  optionsInjectionToken: HTTP_ERRORS_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras(EXTRAS, (definition, { prefix, decorators, outsideDecorators, refusesMalformedPaths }) => ({
    ...definition,
    // Otherwise a module would import it for the RouteTable.
    global: true,
    controllers: [
      ...[prefix].flat().flatMap((one) => (one === '' ? [] : [catchAll(one, decorators)])),
      catchAll('', outsideDecorators),
    ],
    providers: [
      ...(definition.providers ?? []),
      { provide: REFUSES_MALFORMED, useValue: refusesMalformedPaths },
      ...(refusesMalformedPaths ? [{ provide: APP_GUARD, useExisting: MalformedPathGuard }] : []),
    ],
  }))
  .build();

/**
 * Every error of an application. It binds `HttpErrorFilter`, and handles requests that no route matches after the
 * guards, which Nest runs only for matched routes: 404 `route_not_found`; 405 `method_not_allowed` with `Allow` when
 * the path has other methods; 204 with `Allow` for OPTIONS on an existing path; 400 `bad_request` for a malformed
 * percent-escape.
 *
 * Import it in the root module and nowhere else. Its routes come after those of all other modules. Middleware that is
 * registered later, such as that of GraphQL, gets what no route outside the prefix matches.
 */
@Module({
  providers: [HttpErrorFilter, MalformedPathGuard, RouteTable],
  // What the filter injects, too: `@UseFilters` creates it in the module of the controller.
  exports: [HTTP_ERRORS_OPTIONS, HttpErrorFilter, RouteTable],
})
export class HttpErrorsModule extends ConfigurableModuleClass implements OnModuleInit {
  static override forRoot(
    options: Parameters<typeof ConfigurableModuleClass.forRoot>[0] = {},
  ): DynamicModule {
    return super.forRoot(options);
  }

  constructor(
    @Inject(HTTP_ERRORS_OPTIONS) private readonly options: HttpErrorFilterOptions,
    @Inject(REFUSES_MALFORMED) private readonly refusesMalformed: boolean,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(HttpErrorFilter) filter: HttpErrorFilter,
  ) {
    super();
    // Nest takes the last filter that catches an error, and this one catches all: each APP_FILTER comes after it.
    config.addGlobalFilter(filter);
    // The router reads the paths later.
    if (this.isFastify) this.useFastifyPaths();
    else this.moveToEnd();
  }

  onModuleInit(): void {
    // A microservice without HTTP has no adapter.
    if (!this.adapter) return;
    if (this.refusesMalformed)
      (this.adapter.getHttpServer() as Server).prependListener('request', escapeMalformedPath);
    if (this.isFastify) return;
    // The target `*` is no path, so not even the catch-all routes match it.
    if (this.config.getGlobalPrefix() === '') {
      this.adapter.use(({ url }: IncomingMessage, _response: ServerResponse, next: () => void) => {
        if (url !== '*') next();
        else throw new RouteNotFound();
      });
      return;
    }
    // Nest 12 leaves paths outside a global prefix to Express, whose response is a page, and Nest 11 says "Cannot GET".
    this.adapter.use((_request: IncomingMessage, response: ServerResponse) =>
      sendError(response, httpErrorFrom(new RouteNotFound()), this.options.helpUrl),
    );
  }

  private get adapter(): HttpServer | undefined {
    return this.adapterHost.httpAdapter as HttpServer | undefined;
  }

  private get isFastify(): boolean {
    return this.adapter?.getType?.() === 'fastify';
  }

  /** Express tries routes in the order of the modules, and those of the catch-all match everything. */
  private moveToEnd(): void {
    const [token, own] = [...this.modules].find(([, { metatype }]) => metatype === HttpErrorsModule)!;
    this.modules.delete(token);
    this.modules.set(token, own);
  }

  /**
   * A wildcard of Fastify matches the path before it, too, where its slash is sent. A route for the prefix itself would
   * be a second one when the application declares it.
   */
  private useFastifyPaths(): void {
    for (const { controllers, metatype } of this.modules.values()) {
      if (metatype !== HttpErrorsModule) continue;
      for (const { metatype: controller } of controllers.values()) {
        const [prefix] = declaredBy<string[]>('path', controller!)!;
        const path = [`${prefix === '/' ? '' : prefix}/*`];
        Controller({ path, version: VERSION_NEUTRAL })(controller as Type);
      }
    }
  }
}
