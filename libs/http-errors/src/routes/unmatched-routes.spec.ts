import { once } from 'node:events';
import { get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CanActivate,
  Controller,
  ExecutionContext,
  Get,
  type HttpServer,
  INestApplication,
  Module,
  type OnModuleInit,
  Param,
  Post,
  SetMetadata,
  UnauthorizedException,
  VersioningOptions,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import createExpress from 'express';
import request from 'supertest';
import {
  HttpErrorFilter,
  MalformedPathGuard,
  escapeMalformedPath,
  RouteTable,
  UnmatchedRoutesModule,
} from '../index.js';

const VERSIONING: VersioningOptions = { type: VersioningType.URI };

const Public = (): ClassDecorator => SetMetadata('public', true);

class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (Reflect.getMetadata('public', context.getClass())) return true;
    if (context.switchToHttp().getRequest<{ headers: { key?: string } }>().headers.key) return true;
    throw new UnauthorizedException({ code: 'missing_api_key', message: 'An API key is required.' });
  }
}

@Controller({ path: 'ships', version: '1' })
class ShipsController {
  @Get()
  list(): string[] {
    return [];
  }

  @Post()
  launch(): string {
    return 'launched';
  }

  @Get(':shipId')
  get(@Param('shipId') shipId: string): string {
    return shipId;
  }

  @Post(':shipId/dock')
  dock(): string {
    return 'docked';
  }
}

@Public()
@Controller('health')
class HealthController {
  @Get()
  live(): string {
    return 'up';
  }
}

@Public()
@Controller()
class ChartsController {
  @Get('charts/*file')
  chart(): string {
    return 'chart';
  }

  @Post('tides{/:day}.csv')
  tides(): string {
    return 'tides';
  }
}

@Module({ controllers: [ShipsController, HealthController, ChartsController] })
class HarbourModule implements OnModuleInit {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** After the routes, as the modules of GraphQL do it. */
  onModuleInit(): void {
    const adapter: HttpServer = this.adapterHost.httpAdapter;
    for (const path of ['/graph', '/v1/graph'])
      adapter.use(path, (_request: unknown, response: ServerResponse) => response.end('graph'));
  }
}

@Module({
  imports: [HarbourModule, UnmatchedRoutesModule.forRoot({ prefix: '/v1', outsideDecorators: [Public()] })],
  providers: [
    { provide: APP_FILTER, useValue: new HttpErrorFilter() },
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_GUARD, useExisting: MalformedPathGuard },
  ],
})
class HarbourApp {}

describe('unmatched routes', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({ imports: [HarbourApp] }).compile();
    app = testing.createNestApplication({ logger: false });
    app.getHttpServer().prependListener('request', escapeMalformedPath);
    app.enableVersioning(VERSIONING);
    await app.init();
  });

  afterAll(() => app.close());

  const server = (): ReturnType<typeof request> => request(app.getHttpServer());

  /** Sends a target that is no URL, which a client library would change. */
  async function askFor(path: string): Promise<{ status?: number; body: unknown }> {
    const http = app.getHttpServer() as Server;
    if (!http.listening) await once(http.listen(0, '127.0.0.1'), 'listening');
    const { port } = http.address() as AddressInfo;
    const sent = get({ port, path, method: 'OPTIONS', headers: { key: 'k' } });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks = (await response.toArray()) as Buffer[];
    return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) };
  }

  describe('404', () => {
    it.each(['/v1/boats', '/v1/ships/1/sail', '/v1', '/v1/', '/v1//', '/V1/boats'])(
      'responds to %s with route_not_found when the caller has a key',
      async (path) => {
        const { body } = await server().get(path).set('key', 'k').expect(404);
        expect(body).toEqual({ code: 'route_not_found', message: 'The path does not exist.', status: 404 });
      },
    );

    it.each(['/', '//', '/boats', '/v2/ships', '/v10', '/ships', '/tides-csv', '/charts/'])(
      'responds to %s with route_not_found when the caller has no key',
      async (path) => {
        const { body } = await server().get(path).expect(404);
        expect(body.code).toBe('route_not_found');
      },
    );

    it('leaves a path outside the prefix to middleware that is registered after the routes', async () => {
      const { text } = await server().get('/graph').expect(200);
      expect(text).toBe('graph');
    });

    it('responds to a path below the prefix whatever is registered after the routes', async () => {
      await server().get('/v1/graph').expect(401);
      await server().get('/v1/graph').set('key', 'k').expect(404);
    });

    it('has no body on HEAD', async () => {
      const { text, headers } = await server().head('/boats').expect(404);
      expect(text).toBeUndefined();
      expect(headers['content-length']).toBe('76');
    });

    it('responds to the target *, which is no path', async () => {
      const { status, body } = await askFor('*');
      expect([status, body]).toEqual([
        404,
        { code: 'route_not_found', message: 'The path does not exist.', status: 404 },
      ]);
    });

    it('responds to OPTIONS on an unknown path', async () => {
      await server().options('/v1/boats').set('key', 'k').expect(404);
    });
  });

  describe('401', () => {
    it.each(['/v1/boats', '/v1', '/v1/ships/%zz', '/V1/%E0%A4%A'])(
      'responds to %s with 401 before any other error when the key is missing',
      async (path) => {
        const { body } = await server().get(path).expect(401);
        expect(body.code).toBe('missing_api_key');
      },
    );

    it('responds to a method that the path does not support when the key is missing', async () => {
      await server().delete('/v1/ships').expect(401);
    });
  });

  describe('405', () => {
    it('names the methods of the path in Allow and in the message', async () => {
      const { body, headers } = await server().delete('/v1/ships').set('key', 'k').expect(405);
      expect(headers.allow).toBe('GET, HEAD, OPTIONS, POST');
      expect(body).toEqual({
        code: 'method_not_allowed',
        message: 'The path does not support this method; it supports GET, HEAD, OPTIONS, POST.',
        status: 405,
      });
    });

    it.each([
      ['/v1/ships/7', 'GET, HEAD, OPTIONS'],
      ['/v1/ships/7/', 'GET, HEAD, OPTIONS'],
      ['/V1/SHIPS/7/DOCK', 'OPTIONS, POST'],
    ])('responds to PUT %s with Allow: %s', async (path, allow) => {
      const { headers } = await server().put(path).set('key', 'k').expect(405);
      expect(headers.allow).toBe(allow);
    });

    it('responds without a body to HEAD on a path without GET', async () => {
      const { text, headers } = await server().head('/v1/ships/7/dock').set('key', 'k').expect(405);
      expect(text).toBeUndefined();
      expect(headers.allow).toBe('OPTIONS, POST');
    });

    it('responds to a public path outside the prefix without a key', async () => {
      const { headers } = await server().post('/health').expect(405);
      expect(headers.allow).toBe('GET, HEAD, OPTIONS');
    });

    it.each([
      ['/charts/north/sea.pdf', 'GET, HEAD, OPTIONS'],
      ['/tides.csv', 'OPTIONS, POST'],
      ['/tides/monday.csv', 'OPTIONS, POST'],
    ])('understands wildcards and optional parts: PUT %s has Allow: %s', async (path, allow) => {
      const { headers } = await server().put(path).expect(405);
      expect(headers.allow).toBe(allow);
    });
  });

  describe('204', () => {
    it('responds to OPTIONS on an existing path with Allow', async () => {
      const { headers, text } = await server().options('/v1/ships').set('key', 'k').expect(204);
      expect(headers.allow).toBe('GET, HEAD, OPTIONS, POST');
      expect(text).toBe('');
    });
  });

  describe('400', () => {
    it.each(['/v1/ships/%zz', '/v1/ships/%2f%', '/v1/%', '/V1/ships/%E0%A4%A/dock', '/%', '/health/%C3%28'])(
      'says that %s has a malformed percent-escape',
      async (path) => {
        const { body } = await server().get(path).set('key', 'k').expect(400);
        expect(body).toEqual({
          code: 'bad_request',
          message: 'The path contains a malformed percent-escape.',
          status: 400,
        });
      },
    );
  });

  it('checks the key first on a route with a malformed percent-escape', async () => {
    const { body } = await server().get('/v1/ships/%zz').expect(401);
    expect(body.code).toBe('missing_api_key');
  });

  it.each([
    ['/v1/ships/%zz?at=%zz', '/v1/ships/%25zz?at=%zz'],
    ['http://harbour.example/v1/%zz', 'http://harbour.example/v1/%25zz'],
    ['http://%zz/v1/ships', 'http://%zz/v1/ships'],
    ['/v1/ships#%zz', '/v1/ships#%zz'],
    ['*', '*'],
  ])('passes %s to the router as %s, and keeps the original', (url, escaped) => {
    const incoming = { url } as IncomingMessage & { originalUrl?: string };
    escapeMalformedPath(incoming);
    expect(incoming.url).toBe(escaped);
    expect(incoming.originalUrl ?? incoming.url).toBe(url);
  });

  it('does not change well-formed escapes and the query string', async () => {
    const { text } = await server().get('/v1/ships/caf%C3%A9?at=%zz').set('key', 'k').expect(200);
    expect(text).toBe('café');
  });

  it('hides the catch-all routes from the OpenAPI document', () => {
    const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    expect(Object.keys(paths)).toEqual([
      '/v1/ships',
      '/v1/ships/{shipId}',
      '/v1/ships/{shipId}/dock',
      '/health',
      '/charts/{file}',
      '/tides/{day}.csv',
    ]);
  });

  it('lists every declared route with its controller and handler', () => {
    expect(app.get(RouteTable, { strict: false }).routes).toEqual([
      {
        method: 'GET',
        path: '/v1/ships',
        controller: ShipsController,
        handler: ShipsController.prototype.list,
      },
      {
        method: 'POST',
        path: '/v1/ships',
        controller: ShipsController,
        handler: ShipsController.prototype.launch,
      },
      {
        method: 'GET',
        path: '/v1/ships/:shipId',
        controller: ShipsController,
        handler: ShipsController.prototype.get,
      },
      {
        method: 'POST',
        path: '/v1/ships/:shipId/dock',
        controller: ShipsController,
        handler: ShipsController.prototype.dock,
      },
      {
        method: 'GET',
        path: '/health',
        controller: HealthController,
        handler: HealthController.prototype.live,
      },
      {
        method: 'GET',
        path: '/charts/*file',
        controller: ChartsController,
        handler: ChartsController.prototype.chart,
      },
      {
        method: 'POST',
        path: '/tides{/:day}.csv',
        controller: ChartsController,
        handler: ChartsController.prototype.tides,
      },
    ]);
  });
});

describe('unmatched routes of an Express with its own settings', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const express = createExpress().enable('case sensitive routing').enable('strict routing');
    const testing = await Test.createTestingModule({ imports: [HarbourApp] }).compile();
    app = testing.createNestApplication(new ExpressAdapter(express), { logger: false });
    app.getHttpServer().prependListener('request', escapeMalformedPath);
    app.enableVersioning(VERSIONING);
    await app.init();
  });

  afterAll(() => app.close());

  it.each([
    ['/v1/ships', 405],
    ['/v1/SHIPS', 404],
    ['/v1/ships/', 404],
    ['/v1/%zz', 400],
  ])('matches paths as its router does: PUT %s is %i', async (path, status) => {
    await request(app.getHttpServer()).put(path).set('key', 'k').expect(status);
  });

  it.each([
    ['/V1/ships', 404],
    ['/V1/%zz', 400],
  ])('treats %s as a path outside the prefix, which needs no key', async (path, status) => {
    await request(app.getHttpServer()).get(path).expect(status);
  });
});

describe('UnmatchedRoutesModule', () => {
  it('refuses to start before a module with routes', async () => {
    const testing = await Test.createTestingModule({
      imports: [UnmatchedRoutesModule.forRoot({ prefix: '/v1' }), HarbourModule],
    }).compile();
    await expect(testing.createNestApplication({ logger: false }).init()).rejects.toThrow(
      'UnmatchedRoutesModule would hide the routes of HarbourModule. Import it last',
    );
  });

  it('injects the RouteTable into providers that are created before it', async () => {
    let paths: string[] = [];

    @Module({
      providers: [
        {
          provide: 'PATHS',
          inject: [RouteTable],
          useFactory: (table: RouteTable) => (paths = table.routes.map(({ path }) => path)),
        },
      ],
    })
    class ListingModule {}

    await Test.createTestingModule({
      imports: [ListingModule, HarbourModule, UnmatchedRoutesModule.forRoot({ prefix: '/v1' })],
    }).compile();
    expect(paths).toContain('/health');
  });
});
