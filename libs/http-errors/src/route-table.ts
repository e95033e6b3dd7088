import { type HttpServer, Injectable, RequestMethod, Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_PATH, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig, HttpAdapterHost, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { RoutePathFactory } from '@nestjs/core/router/route-path-factory.js';
import { type HttpRequest, pathOf } from './http.js';

/** One declared route: a handler with its HTTP method and full path pattern. */
export interface Route {
  /** In upper case; `ALL` for a handler declared with `@All`. */
  method: string;
  /** Full path with the global prefix and the version, as a pattern: `/v1/pets/:petId`. */
  path: string;
  controller: Type;
  handler: (...parameters: never[]) => unknown;
}

type PathMetadata = Parameters<RoutePathFactory['create']>[0];
type Version = PathMetadata['methodVersion'];

const catchAllControllers = new WeakSet<Type>();

/** Excludes a catch-all controller from the table. */
export function markCatchAll(controller: Type): void {
  catchAllControllers.add(controller);
}

/**
 * All routes that the controllers declare, read from their metadata at first use. It can be injected while the
 * application is still being put together; use it first when the global prefix and the versioning are set. Paths match as
 * in the router, by its settings for the case of letters and for a slash at the end.
 */
@Injectable()
export class RouteTable {
  private declared: readonly Route[] | undefined;
  private matchers: readonly { pattern: RegExp; route: Route }[] | undefined;
  /** By Express's route object. There is one for each declared route. */
  private readonly matched = new WeakMap<object, Route | null>();
  /** By method and Fastify's pattern. */
  private readonly matchedByPattern = new Map<string, Route | null>();
  private readonly paths: RoutePathFactory;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: ApplicationConfig,
  ) {
    this.paths = new RoutePathFactory(config);
  }

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
   * OPTIONS. Empty when no route has this path.
   *
   * @param path a request path without its query string
   * @example
   * ```ts
   * routes.methodsFor('/v1/pets'); // ['GET', 'HEAD', 'OPTIONS', 'POST']
   * ```
   */
  methodsFor(path: string): string[] {
    const methods = new Set<string>();
    this.matchers ??= this.compile();
    for (const { pattern, route } of this.matchers) {
      if (pattern.test(path)) methods.add(route.method);
    }
    if (methods.size === 0) return [];
    if (methods.has('GET')) methods.add('HEAD');
    methods.add('OPTIONS');
    return [...methods].sort();
  }

  /**
   * The declared route of a request, even if a middleware ended the request before the router ran; null when no route
   * matches.
   *
   * @example
   * ```ts
   * routes.routeOf(request)?.handler;
   * ```
   */
  routeOf(request: HttpRequest): Route | null {
    const method = request.method!;
    const { route: found, routeOptions } = request as MatchedRequest;
    if (found) {
      let route = this.matched.get(found);
      if (route === undefined) this.matched.set(found, (route = this.routeAt(found.path, method)));
      return route;
    }
    if (routeOptions?.url) {
      const key = `${method} ${routeOptions.url}`;
      let route = this.matchedByPattern.get(key);
      if (route === undefined) {
        this.matchedByPattern.set(key, (route = this.routeAt(routeOptions.url, method)));
      }
      return route;
    }
    this.matchers ??= this.compile();
    const path = pathOf(request);
    return routeFor(
      method,
      this.matchers.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route),
    );
  }

  private routeAt(pattern: string, method: string): Route | null {
    return routeFor(
      method,
      this.routes.filter(({ path }) => path === pattern),
    );
  }

  private compile(): { pattern: RegExp; route: Route }[] {
    const adapter: HttpServer = this.adapterHost.httpAdapter;
    const { ignoreTrailingSlash, caseSensitive } = adapter.getRouteMatchingOptions?.() ?? {};
    const end = ignoreTrailingSlash === false ? '$' : '/?$';
    const flags = caseSensitive ? '' : 'i';
    return this.routes.map((route) => ({
      pattern: new RegExp(`^${patternSource(route.path)}${end}`, flags),
      route,
    }));
  }

  private routesOf(controller: Type, module: Type): Route[] {
    const prototype = controller.prototype as Record<string, Route['handler']>;
    return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name]!;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) return [];
      return this.pathsOf(controller, handler, module, method).map((path) => ({
        method: RequestMethod[method],
        path,
        controller,
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
    const metadata: PathMetadata = {
      modulePath: metadataOf<string>(MODULE_PATH + this.modules.applicationId, module, MODULE_PATH),
      globalPrefix: prefix && `/${prefix.replace(/^\//, '')}`,
      controllerVersion:
        metadataOf<Version>(VERSION_METADATA, controller) ?? versioningOptions?.defaultVersion,
      methodVersion: metadataOf<Version>(VERSION_METADATA, handler),
      versioningOptions,
    };
    return list(metadataOf<string | string[]>(PATH_METADATA, controller)).flatMap((ctrlPath) =>
      list(metadataOf<string | string[]>(PATH_METADATA, handler)).flatMap((methodPath) =>
        this.paths.create({ ...metadata, ctrlPath, methodPath }, method),
      ),
    );
  }
}

/** Where Express and Fastify say which route they matched. */
interface MatchedRequest {
  readonly route?: { readonly path: string };
  readonly routeOptions?: { readonly url?: string };
}

function metadataOf<T>(key: string, target: object, otherKey = key): T | undefined {
  return (Reflect.getMetadata(key, target) ?? Reflect.getMetadata(otherKey, target)) as T | undefined;
}

/** HEAD uses the GET handler of its path, unless another handler is declared for it (RFC 9110 section 9.3.2). */
function routeFor(method: string, routes: readonly Route[]): Route | null {
  const declared = routes.find((route) => route.method === method || route.method === 'ALL');
  if (declared) return declared;
  return method === 'HEAD' ? routeFor('GET', routes) : null;
}

function list(declared: string | string[] | undefined): string[] {
  if (declared === undefined) return [];
  return Array.isArray(declared) ? declared : [declared];
}

/** The parts of a path pattern: a parameter, a wildcard, the braces of an optional part, literal text. */
const PATTERN_PART = /:\w+|\*\w+|[{}]|[^:*{}]+/g;

function patternSource(path: string): string {
  return path.replace(PATTERN_PART, (part) => {
    if (part.startsWith(':')) return '[^/]+';
    if (part.startsWith('*')) return '.+';
    if (part === '{') return '(?:';
    if (part === '}') return ')?';
    return part.replace(/[.+?^$()[\]|\\]/g, '\\$&');
  });
}
