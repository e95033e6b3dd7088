import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer, Reflector } from '@nestjs/core';
import { Public, requiredScopes } from '@animal-store/api-keys';
import { type Route, RouteTable } from '@animal-store/http-errors';
import { JsonLogger } from '@animal-store/operations';
import { PlanThrottlerGuard } from '@animal-store/rate-limiting';
import {
  FrontDoor,
  JsonExpressAdapter,
  refuseOpenGateways,
  undocumentedInputs,
  versionOf,
} from '@animal-store/web';
import { Settings } from '../settings/settings.js';

/** Checks Nest's HTTP adapter, and opens the `FrontDoor` of its server. */
@Injectable()
export class HttpServerSetup implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    private readonly modules: ModulesContainer,
    private readonly table: RouteTable,
    private readonly frontDoor: FrontDoor,
    private readonly limiter: PlanThrottlerGuard,
    private readonly logger: JsonLogger,
    private readonly settings: Settings,
  ) {}

  /**
   * @throws Error on an adapter that sends no bigint, as each int64 would be a 500 at the first request, and without
   *   `configureApp`
   */
  onModuleInit(): void {
    const { httpAdapter } = this.adapterHost;
    // Only a program with a server has one.
    if (!httpAdapter) return;
    if (!(httpAdapter instanceof JsonExpressAdapter))
      throw new Error('Create the application with new JsonExpressAdapter(): responses have exact int64s.');
    if (!this.config.getVersioning())
      throw new Error('Call configureApp(app, settings) before init or listen.');
    const { routes } = this.table;
    for (const problem of [...undocumentedInputs(routes), ...unscopedRoutes(routes)])
      this.logger.warn(problem);
    refuseOpenGateways(this.modules);
  }

  onApplicationBootstrap(): void {
    const { httpAdapter } = this.adapterHost as HttpAdapterHost<JsonExpressAdapter>;
    if (!httpAdapter) return;
    this.frontDoor.open({
      server: httpAdapter.getHttpServer(),
      handle: httpAdapter.getInstance(),
      count: (request, response) => this.limiter.admit(request, response),
      publicPath: this.settings.api.publicPath,
    });
  }
}

/** A sentence for each operation that says nothing of scopes, with the line to add. */
export function unscopedRoutes(routes: readonly Route[]): string[] {
  const reflector = new Reflector();
  return routes
    .filter(({ controller, handler }) => requiredScopes(controller, handler) === null)
    .filter(({ path }) => versionOf(path) !== null)
    .filter(({ controller, handler }) => !reflector.getAllAndOverride(Public, [handler, controller]))
    .map(({ method, path }) => {
      const scope = `${path.split('/')[2]}:${['GET', 'HEAD'].includes(method) ? 'read' : 'write'}`;
      return `${method} ${path} names no scope, so a key with scopes gets 403: add @RequireScope('${scope}') and define it, or @AnyKey().`;
    });
}
