import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  All,
  Controller,
  type DynamicModule,
  Inject,
  type HttpServer,
  Module,
  Next,
  type OnModuleInit,
  Req,
  Res,
  SetMetadata,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { HTTP_ERRORS_OPTIONS, type HttpErrorFilterOptions } from '../http-error.filter.js';
import { httpErrorFrom, sendError } from '../http-error.js';
import { MalformedPathGuard, partsOf } from './malformed-path.guard.js';
import { MethodNotAllowed, RouteNotFound } from './route.errors.js';
import { markCatchAll, RouteTable } from './route-table.js';

/** What `@ApiExcludeController()` sets. @nestjs/swagger may not be installed. */
const EXCLUDED_FROM_OPENAPI = SetMetadata('swagger/apiExcludeController', [true]);

export interface UnmatchedRoutesOptions {
  /**
   * The prefix of the guarded routes, such as `/v1`. An unknown path below it gets its response after all guards.
   * Default: none, so that this holds for every path.
   */
  prefix?: string;
  /** Decorators for the catch-all controller outside the prefix, such as the one that allows requests without a key. */
  outsideDecorators?: readonly ClassDecorator[];
  /** Whether `RouteTable` and `MalformedPathGuard` can be injected anywhere. Default: true. */
  isGlobal?: boolean;
}

/**
 * Handles requests that no route matches, after the guards, which Nest runs only for matched routes: 404
 * `route_not_found`; 405 `method_not_allowed` with `Allow` when the path has other methods; 204 with `Allow` for
 * OPTIONS on an existing path.
 *
 * Import it last in the root module and nowhere else, as in Express the first matching route wins. Middleware that is
 * registered later, such as that of GraphQL, gets what no route outside the prefix matches.
 *
 * @throws Error at start when a module imported after it has routes
 *
 * @example
 * ```ts
 * @Module({ imports: [ShipsModule, UnmatchedRoutesModule.forRoot({ prefix: '/v1', outsideDecorators: [Public()] })] })
 * export class AppModule {}
 * ```
 */
@Module({ providers: [MalformedPathGuard, RouteTable], exports: [MalformedPathGuard, RouteTable] })
export class UnmatchedRoutesModule implements OnModuleInit {
  static forRoot(options: UnmatchedRoutesOptions = {}): DynamicModule {
    const { prefix = '', outsideDecorators = [], isGlobal = true } = options;
    return {
      module: UnmatchedRoutesModule,
      // Otherwise a module that imported it for the RouteTable would get its routes after the catch-all.
      global: isGlobal,
      controllers: [...(prefix === '' ? [] : [catchAll(prefix, [])]), catchAll('', outsideDecorators)],
    };
  }

  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
  ) {
    // The router reads the paths later.
    if (this.isFastify) this.useFastifyPaths();
  }

  /** @throws Error when a module imported later has routes, which the catch-all would hide */
  onModuleInit(): void {
    // Fastify tries a wildcard last, whatever the order.
    if (this.isFastify) return;
    const imported = [...this.modules.values()];
    const own = imported.findIndex(({ metatype }) => metatype === UnmatchedRoutesModule);
    const late = imported.slice(own + 1).find(({ controllers }) => controllers.size > 0);
    if (late) {
      throw new Error(
        `UnmatchedRoutesModule would hide the routes of ${late.name}. Import it last, and every module with controllers ` +
          'in the root module itself, as the imports of a dynamic root module come before their own imports.',
      );
    }
    // The target `*` is no path, so not even the catch-all routes match it.
    if (this.config.getGlobalPrefix() === '') {
      this.adapter.use(({ url }: IncomingMessage, _response: ServerResponse, next: () => void) => {
        if (url !== '*') next();
        else throw new RouteNotFound();
      });
      return;
    }
    // Nest 12 leaves paths outside a global prefix to Express, whose response is a page, and Nest 11 says "Cannot GET".
    const filter = imported.map(({ providers }) => providers.get(HTTP_ERRORS_OPTIONS)).find(Boolean);
    const { helpUrl } = (filter?.instance ?? {}) as HttpErrorFilterOptions;
    this.adapter.use((_request: IncomingMessage, response: ServerResponse) =>
      sendError(response, httpErrorFrom(new RouteNotFound()), helpUrl),
    );
  }

  private get adapter(): HttpServer {
    return this.adapterHost.httpAdapter;
  }

  private get isFastify(): boolean {
    return this.adapterHost.httpAdapter?.getType() === 'fastify';
  }

  /**
   * A wildcard of Fastify matches the path before it, too, where its slash is sent. A route for the prefix itself would
   * be a second one when the application declares it.
   */
  private useFastifyPaths(): void {
    for (const { controllers, metatype } of this.modules.values()) {
      if (metatype !== UnmatchedRoutesModule) continue;
      for (const { metatype: controller } of controllers.values()) {
        const [prefix] = Reflect.getMetadata(PATH_METADATA, controller as Type) as string[];
        Reflect.defineMetadata(PATH_METADATA, [`${prefix === '/' ? '' : prefix}/*`], controller as Type);
      }
    }
  }
}

/** Each call creates a separate class and handler, as guards may cache their decision by handler. */
function catchAll(prefix: string, decorators: readonly ClassDecorator[]): Type {
  @EXCLUDED_FROM_OPENAPI
  @Controller({ path: [prefix, `${prefix}/{*path}`], version: VERSION_NEUTRAL })
  class CatchAllController {
    constructor(
      @Inject(RouteTable) private readonly routes: RouteTable,
      @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
    ) {}

    @All()
    respond(
      @Req() request: IncomingMessage & { is404?: boolean },
      @Res() response: unknown,
      @Next() next?: () => void,
    ): void {
      const methods = this.routes.methodsFor(partsOf(request.url!).path);
      // Middleware that is registered after the routes, such as that of GraphQL, may know the path.
      if (methods.length === 0 && prefix === '' && next) {
        request.is404 = true;
        return next();
      }
      // The path has this method, but not in the version that was asked for.
      const isOfAnotherVersion = methods.includes(request.method!) && request.method !== 'OPTIONS';
      if (methods.length === 0 || isOfAnotherVersion) throw new RouteNotFound();
      const allowed = methods.join(', ');
      const adapter: HttpServer = this.adapterHost.httpAdapter;
      adapter.setHeader(response, 'Allow', allowed);
      if (request.method !== 'OPTIONS') throw new MethodNotAllowed(allowed);
      adapter.reply(response, undefined, 204);
    }
  }
  for (const decorate of decorators) decorate(CatchAllController);
  markCatchAll(CatchAllController);
  return CatchAllController;
}
