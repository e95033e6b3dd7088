import { type HttpServer, Injectable, RequestMethod, type Type } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { pathToRegexp } from 'path-to-regexp';
import { declaredBy, modulePathOf, routePaths } from '@animal-store/kernel/http';

/** One declared route: a handler with its HTTP method and full path pattern. */
export interface Route {
  /** In upper case; `ALL` for a handler declared with `@All`. */
  method: string;
  /** Full path with the global prefix and the version, as a pattern: `/v1/ships/:shipId`. */
  path: string;
  controller: Type;
  /** The name of the method. A function that a decorator has put around it may have none. */
  name: string;
  handler: (...parameters: never[]) => unknown;
}

const catchAllControllers = new WeakSet<Type>();

/** Excludes a catch-all controller from the table. */
export function markCatchAll(controller: Type): void {
  catchAllControllers.add(controller);
}

/**
 * All routes that the controllers declare, read from their metadata at first use. It can be injected while the
 * application is still being put together; use it first when the global prefix and the versioning are set.
 */
@Injectable()
export class RouteTable {
  private declared: readonly Route[] | undefined;
  private patterns: readonly { matches: RegExp; method: string }[] | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: ApplicationConfig,
  ) {}

  /** In the order of declaration, without the catch-all routes. */
  get routes(): readonly Route[] {
    this.declared ??= [...this.modules.values()].flatMap(({ controllers, metatype }) =>
      [...controllers.values()]
        .map((controller) => controller.metatype as Type)
        .filter((controller) => !catchAllControllers.has(controller))
        .flatMap((controller) => this.routesOf(controller, metatype)),
    );
    return this.declared;
  }

  /**
   * The methods of `path` for an `Allow` header (RFC 9110 section 10.2.1), with HEAD wherever there is GET, and
   * OPTIONS. Empty when no route has this path. Paths match as in the router, by its settings for the case of letters
   * and for a slash at the end.
   *
   * @param path a request path without its query string
   * @example
   * ```ts
   * routes.methodsFor('/v1/ships'); // ['GET', 'HEAD', 'OPTIONS', 'POST']
   * ```
   */
  methodsFor(path: string): string[] {
    this.patterns ??= this.compile();
    const matching = this.patterns.filter(({ matches }) => matches.test(path));
    if (matching.length === 0) return [];
    const methods = new Set(['OPTIONS', ...matching.map(({ method }) => method)]);
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }

  private compile(): { matches: RegExp; method: string }[] {
    const adapter: HttpServer = this.adapterHost.httpAdapter;
    const { ignoreTrailingSlash = true, caseSensitive = false } = adapter.getRouteMatchingOptions?.() ?? {};
    const options = { trailing: ignoreTrailingSlash, sensitive: caseSensitive };
    return this.routes.map(({ path, method }) => ({ matches: pathToRegexp(path, options).regexp, method }));
  }

  private routesOf(controller: Type, module: Type): Route[] {
    const prototype = controller.prototype as Record<string, Route['handler']>;
    return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name]!;
      const method = declaredBy<RequestMethod>('method', handler);
      if (method === undefined) return [];
      return this.pathsOf(controller, handler, module, method).map((path) => ({
        method: RequestMethod[method],
        path,
        controller,
        name,
        handler,
      }));
    });
  }

  /** As Nest's own router puts the paths together. */
  private pathsOf(
    controller: Type,
    handler: Route['handler'],
    module: Type,
    method: RequestMethod,
  ): string[] {
    const prefix = this.config.getGlobalPrefix();
    const versioningOptions = this.config.getVersioning();
    const declared: Parameters<typeof routePaths>[1] = {
      modulePath: modulePathOf(module, this.modules),
      globalPrefix: prefix && `/${prefix.replace(/^\//, '')}`,
      controllerVersion: declaredBy<string>('version', controller) ?? versioningOptions?.defaultVersion,
      methodVersion: declaredBy<string>('version', handler),
      versioningOptions,
    };
    const pathsOf = (target: object): string[] =>
      [declaredBy<string | string[]>('path', target) ?? []].flat();
    return pathsOf(controller).flatMap((ctrlPath) =>
      pathsOf(handler).flatMap((methodPath) =>
        routePaths(this.config, { ...declared, ctrlPath, methodPath }, method),
      ),
    );
  }
}
