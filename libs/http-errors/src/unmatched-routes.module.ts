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
  Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { VersioningOptions } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { MalformedPathGuard } from './malformed-path.guard.js';
import { markCatchAll, RouteTable, VERSIONING } from './route-table.js';

export interface UnmatchedRoutesOptions {
  /** Where the guarded routes live, such as `/v1`: an unknown path below it is answered after all guards. */
  prefix: string;
  /** Decorators for the catch-all controller outside the prefix, such as the one that lets requests in without a key. */
  outsideDecorators?: readonly ClassDecorator[];
  /** What the application gives to `enableVersioning`, if it does. */
  versioning?: VersioningOptions;
  /** Handlers that refuse a malformed path themselves, with something that comes first: asked per such request. */
  passMalformedPath?: (handler: object) => boolean;
}

/**
 * Answers the requests that no route takes, after the guards, which Nest runs for matched routes only: 404
 * `route_not_found`; 405 `method_not_allowed` with `Allow` when the path has other methods; OPTIONS on an existing path:
 * 204 with `Allow`. Must be the last module the application imports, and imported nowhere else, as the first route that
 * matches wins. It is global: `RouteTable` and
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
      // Whoever wants the RouteTable would import this module, and its routes would come before theirs.
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

  /** @throws Error when a module imported later has routes: the catch-all would take their requests */
  onModuleInit(): void {
    const imported = [...this.modules.values()];
    const own = imported.findIndex(({ metatype }) => metatype === UnmatchedRoutesModule);
    const late = imported.slice(own + 1).find(({ controllers }) => controllers.size > 0);
    if (late) {
      throw new Error(
        `UnmatchedRoutesModule would take the requests of ${late.name}. Import it last, and every module with controllers ` +
          'in the root module itself: the imports of a dynamic root module come before what they import.',
      );
    }
  }
}

/** Each call makes a class with a handler of its own, as guards may remember what they decided for a handler. */
function catchAll(prefix: string, decorators: readonly ClassDecorator[]): Type {
  @ApiExcludeController()
  @Controller({ path: [prefix, `${prefix}/{*path}`], version: VERSION_NEUTRAL })
  class CatchAllController {
    constructor(private readonly routes: RouteTable) {}

    @All()
    answer(@Req() request: Request, @Res() response: Response): void {
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
