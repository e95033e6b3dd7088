import {
  All,
  Controller,
  DynamicModule,
  MethodNotAllowedException,
  Module,
  NotFoundException,
  OnModuleInit,
  Req,
  Res,
  SetMetadata,
  Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { VersioningOptions } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Request, Response } from 'express';
import { MalformedPathGuard } from './malformed-path.guard.js';
import { markCatchAll, RouteTable, VERSIONING } from './route-table.js';

/** What `@ApiExcludeController()` sets. @nestjs/swagger may not be installed. */
const EXCLUDED_FROM_OPENAPI = SetMetadata('swagger/apiExcludeController', [true]);

export interface UnmatchedRoutesOptions {
  /** The prefix of the guarded routes, such as `/v1`. An unknown path below it gets its response after all guards. */
  prefix: string;
  /** Decorators for the catch-all controller outside the prefix, such as the one that allows requests without a key. */
  outsideDecorators?: readonly ClassDecorator[];
  /** The options that the application passes to `enableVersioning`, if any. */
  versioning?: VersioningOptions;
  /**
   * Whether a handler refuses a malformed path itself, with an error of higher priority. Called for each such request.
   */
  passMalformedPath?: (handler: object) => boolean;
}

/**
 * Handles requests that no route matches, after the guards, which Nest runs only for matched routes: 404
 * `route_not_found`; 405 `method_not_allowed` with `Allow` when the path has other methods; 204 with `Allow` for
 * OPTIONS on an existing path.
 *
 * Import it last in the root module and nowhere else, as the first matching route wins. It is global: `RouteTable` and
 * `MalformedPathGuard` can be injected anywhere.
 *
 * @throws Error at start when a module imported after it has routes
 *
 * @example
 * ```ts
 * @Module({ imports: [PetsModule, UnmatchedRoutesModule.forRoot({ prefix: '/v1', outsideDecorators: [Public()] })] })
 * export class AppModule {}
 * ```
 */
@Module({})
export class UnmatchedRoutesModule implements OnModuleInit {
  static forRoot(options: UnmatchedRoutesOptions): DynamicModule {
    return {
      module: UnmatchedRoutesModule,
      // Global, as a module that imported it for the RouteTable would get its routes after the catch-all.
      global: true,
      controllers: [catchAll(options.prefix, []), catchAll('', options.outsideDecorators ?? [])],
      providers: [
        { provide: MalformedPathGuard, useFactory: () => new MalformedPathGuard(options.passMalformedPath) },
        RouteTable,
        { provide: VERSIONING, useValue: options.versioning ?? null },
      ],
      exports: [MalformedPathGuard, RouteTable],
    };
  }

  constructor(private readonly modules: ModulesContainer) {}

  /** @throws Error when a module imported later has routes, which the catch-all would hide */
  onModuleInit(): void {
    const imported = [...this.modules.values()];
    const own = imported.findIndex(({ metatype }) => metatype === UnmatchedRoutesModule);
    const late = imported.slice(own + 1).find(({ controllers }) => controllers.size > 0);
    if (late) {
      throw new Error(
        `UnmatchedRoutesModule would hide the routes of ${late.name}. Import it last, and every module with controllers ` +
          'in the root module itself, as the imports of a dynamic root module come before their own imports.',
      );
    }
  }
}

/** Each call creates a separate class and handler, as guards may cache their decision by handler. */
function catchAll(prefix: string, decorators: readonly ClassDecorator[]): Type {
  @EXCLUDED_FROM_OPENAPI
  @Controller({ path: [prefix, `${prefix}/{*path}`], version: VERSION_NEUTRAL })
  class CatchAllController {
    constructor(private readonly routes: RouteTable) {}

    @All()
    respond(@Req() request: Request, @Res() response: Response): void {
      const methods = this.routes.methodsFor(request.path).join(', ');
      if (methods === '') {
        throw new NotFoundException({ code: 'route_not_found', message: 'The path does not exist.' });
      }
      response.setHeader('Allow', methods);
      if (request.method === 'OPTIONS') {
        response.statusCode = 204;
        response.end();
        return;
      }
      throw new MethodNotAllowedException({
        code: 'method_not_allowed',
        message: `The path does not support this method; it supports ${methods}.`,
      });
    }
  }
  for (const decorate of decorators) decorate(CatchAllController);
  markCatchAll(CatchAllController);
  return CatchAllController;
}
