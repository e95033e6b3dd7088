import { Inject, Injectable, RequestMethod, Type, VERSION_NEUTRAL, VersioningType } from '@nestjs/common';
import type { VersioningOptions } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { HttpAdapterHost, MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { Express, Request } from 'express';

/** One declared route: a handler with its HTTP method and full path pattern. */
export interface Route {
  /** In upper case; `ALL` for a handler declared with `@All`. */
  method: string;
  /** Full path with the version prefix, as a pattern: `/v1/pets/:petId`. */
  path: string;
  controller: Type;
  handler: (...parameters: never[]) => unknown;
}

type Version = string | typeof VERSION_NEUTRAL;
type Declared<T> = T | T[] | undefined;

export const VERSIONING = Symbol('VERSIONING');

const catchAllControllers = new WeakSet<Type>();

/** Excludes a catch-all controller from the table. */
export function markCatchAll(controller: Type): void {
  catchAllControllers.add(controller);
}

/**
 * All routes that the controllers declare, read from their metadata at first use. It can be injected while the
 * application is still being put together. Paths match as in Express, by its settings `case sensitive routing` and
 * `strict routing`. It supports URI versioning but no global prefix.
 */
@Injectable()
export class RouteTable {
  private declared: readonly Route[] | undefined;
  private matchers: readonly { pattern: RegExp; route: Route }[] | undefined;
  /** By Express's route object. There is one for each declared route. */
  private readonly matched = new WeakMap<object, Route | null>();

  constructor(
    private readonly modules: ModulesContainer,
    private readonly adapterHost: HttpAdapterHost,
    @Inject(VERSIONING) private readonly versioning: VersioningOptions | null,
  ) {}

  /** In the order of declaration, without the catch-all routes. */
  get routes(): readonly Route[] {
    this.declared ??= [...this.modules.values()]
      .flatMap(({ controllers }) => [...controllers.values()].map(({ metatype }) => metatype as Type))
      .filter((controller) => !catchAllControllers.has(controller))
      .flatMap((controller) => this.routesOf(controller));
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
  routeOf(request: Request): Route | null {
    const { method } = request;
    const found = request.route as { path: string } | undefined;
    if (!found) {
      this.matchers ??= this.compile();
      const routes = this.matchers
        .filter(({ pattern }) => pattern.test(request.path))
        .map(({ route }) => route);
      return routeFor(method, routes);
    }
    let route = this.matched.get(found);
    if (route === undefined) {
      const routes = this.routes.filter(({ path }) => path === found.path);
      this.matched.set(found, (route = routeFor(method, routes)));
    }
    return route;
  }

  private compile(): { pattern: RegExp; route: Route }[] {
    const express = this.adapterHost.httpAdapter.getInstance<Express>();
    const end = express.enabled('strict routing') ? '$' : '/?$';
    const flags = express.enabled('case sensitive routing') ? '' : 'i';
    return this.routes.map((route) => ({
      pattern: new RegExp(`^${patternSource(route.path)}${end}`, flags),
      route,
    }));
  }

  private routesOf(controller: Type): Route[] {
    const prototype = controller.prototype as Record<string, Route['handler']>;
    return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name]!;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) return [];
      return this.pathsOf(controller, handler).map((path) => ({
        method: RequestMethod[method],
        path,
        controller,
        handler,
      }));
    });
  }

  private pathsOf(controller: Type, handler: Route['handler']): string[] {
    const controllerPaths = list(Reflect.getMetadata(PATH_METADATA, controller) as Declared<string>);
    const handlerPaths = list(Reflect.getMetadata(PATH_METADATA, handler) as Declared<string>);
    return this.versionPrefixes(controller, handler).flatMap((version) =>
      controllerPaths.flatMap((parent) => handlerPaths.map((path) => joined(version, parent, path))),
    );
  }

  private versionPrefixes(controller: Type, handler: Route['handler']): string[] {
    if (this.versioning?.type !== VersioningType.URI) return [''];
    const { prefix = 'v', defaultVersion } = this.versioning;
    const versions = (Reflect.getMetadata(VERSION_METADATA, handler) ??
      Reflect.getMetadata(VERSION_METADATA, controller) ??
      defaultVersion ??
      VERSION_NEUTRAL) as Declared<Version>;
    return list(versions).map((version) =>
      version === VERSION_NEUTRAL ? '' : `${prefix === false ? '' : prefix}${version}`,
    );
  }
}

/** HEAD uses the GET handler of its path, unless another handler is declared for it (RFC 9110 section 9.3.2). */
function routeFor(method: string, routes: readonly Route[]): Route | null {
  const declared = routes.find((route) => route.method === method || route.method === 'ALL');
  if (declared) return declared;
  return method === 'HEAD' ? routeFor('GET', routes) : null;
}

function list<T>(declared: Declared<T>): T[] {
  if (declared === undefined) return [];
  return Array.isArray(declared) ? declared : [declared];
}

function joined(...parts: string[]): string {
  return `/${parts
    .flatMap((part) => part.split('/'))
    .filter((segment) => segment !== '')
    .join('/')}`;
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
