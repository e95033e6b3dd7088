import type { IncomingMessage } from 'node:http';
import {
  All,
  Controller,
  Inject,
  type HttpServer,
  Next,
  Req,
  Res,
  SetMetadata,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SWAGGER_KEYS } from '@animal-store/kernel/http';
import { partsOf } from './malformed-path.guard.js';
import { MethodNotAllowed, RouteNotFound } from './route.errors.js';
import { markCatchAll, RouteTable } from './route-table.js';

/** What `@ApiExcludeController()` sets. @nestjs/swagger may not be installed. */
const EXCLUDED_FROM_OPENAPI = SetMetadata(SWAGGER_KEYS.excluded, [true]);

/** Each call creates a separate class and handler, as guards may cache their decision by handler. */
export function catchAll(prefix: string, decorators: readonly ClassDecorator[]): Type {
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
      // The path has this method, but not in the requested version.
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
