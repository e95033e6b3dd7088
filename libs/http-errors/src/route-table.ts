import { Inject, Injectable, RequestMethod, Type, VERSION_NEUTRAL, VersioningType } from '@nestjs/common';
import type { VersioningOptions } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { HttpAdapterHost, MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { Express } from 'express';

/** One declared route: a handler with the HTTP method and the full path pattern it answers. */
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

/** Keeps a controller out of the table: it answers for the paths that no route has. */
export function markCatchAll(controller: Type): void {
  catchAllControllers.add(controller);
}

/**
 * Every route the application's controllers declare, read from their metadata at the first use; any provider may ask for
 * it while the application is still put together. Paths match as Express matches them, by its settings `case sensitive
 * routing` and `strict routing`. Knows URI versioning; a global prefix is not supported.
 */
@Injectable()
export class RouteTable {
  private declared: readonly Route[] | undefined;
  private matchers: readonly { pattern: RegExp; method: string }[] | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly adapterHost: HttpAdapterHost,
    @Inject(VERSIONING) private readonly versioning: VersioningOptions | null,
  ) {}

  /** In the order the controllers declare them; without the catch-all routes. */
  get routes(): readonly Route[] {
    this.declared ??= [...this.modules.values()]
      .flatMap(({ controllers }) => [...controllers.values()].map(({ metatype }) => metatype as Type))
      .filter((controller) => !catchAllControllers.has(controller))
      .flatMap((controller) => this.routesOf(controller));
    return this.declared;
  }

  /**
   * The methods that `path` answers, for an `Allow` header (RFC 9110 section 10.2.1): HEAD wherever GET is, and OPTIONS.
   * Empty when no route has this path.
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
    for (const { pattern, method } of this.matchers) {
      if (pattern.test(path)) methods.add(method);
    }
    if (methods.size === 0) return [];
    if (methods.has('GET')) methods.add('HEAD');
    methods.add('OPTIONS');
    return [...methods].sort();
  }

  private compile(): { pattern: RegExp; method: string }[] {
    const express = this.adapterHost.httpAdapter.getInstance<Express>();
    const end = express.enabled('strict routing') ? '$' : '/?$';
    const flags = express.enabled('case sensitive routing') ? '' : 'i';
    return this.routes.map(({ path, method }) => ({
      pattern: new RegExp(`^${patternSource(path)}${end}`, flags),
      method,
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
