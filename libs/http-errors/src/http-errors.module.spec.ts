import { once } from 'node:events';
import { get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ArgumentsHost,
  CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  ExecutionContext,
  Get,
  type HttpServer,
  INestApplication,
  Module,
  type OnModuleInit,
  Param,
  Post,
  SetMetadata,
  Type,
  UnauthorizedException,
  VersioningOptions,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import createExpress, { type Response } from 'express';
import request from 'supertest';
import { escapeMalformedPath, HttpErrorsModule, RouteTable } from './index.js';

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
  dock(@Param('shipId') shipId: string): string {
    if (shipId === 'late') throw new BerthTaken();
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

class BerthTaken extends Error {}

/** As Nest's page about exception filters writes it. */
@Catch(BerthTaken)
class BerthTakenFilter implements ExceptionFilter {
  catch(_error: BerthTaken, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(409).json({ taken: true });
  }
}

@Module({
  controllers: [ShipsController, HealthController, ChartsController],
  providers: [{ provide: APP_FILTER, useClass: BerthTakenFilter }],
})
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
  imports: [HarbourModule, HttpErrorsModule.forRoot({ prefix: '/v1', outsideDecorators: [Public()] })],
  providers: [{ provide: APP_GUARD, useClass: KeyGuard }],
})
class HarbourApp {}

const FOUND_NO_ROUTE = { code: 'route_not_found', message: 'The path does not exist.', status: 404 };
const SHIPS = 'GET, HEAD, OPTIONS, POST';

async function start(adapter = new ExpressAdapter()): Promise<INestApplication> {
  const testing = await Test.createTestingModule({ imports: [HarbourApp] }).compile();
  const app = testing.createNestApplication(adapter, { logger: false });
  app.enableVersioning(VERSIONING);
  return app.init();
}

/** Sends `method path`, with a key on demand. */
function send(app: INestApplication, head: string, key?: 'with a key'): request.Test {
  const [method, path] = head.split(' ') as ['get' | 'put' | 'head' | 'delete' | 'options' | 'post', string];
  const sent = request(app.getHttpServer())[method](path);
  return key ? sent.set('key', 'k') : sent;
}

describe('unmatched routes', () => {
  let app: INestApplication;

  beforeAll(async () => (app = await start()));

  afterAll(() => app.close());

  it('409: leaves an error to the APP_FILTER that names it, of a module imported before', async () => {
    await send(app, 'post /v1/ships/late/dock', 'with a key').expect(409, { taken: true });
    await send(app, 'post /v1/ships/1/dock', 'with a key').expect(201, 'docked');
  });

  const anonymous = (head: string) => send(app, head);
  const known = (head: string) => send(app, head, 'with a key');

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

  it.each(['/v1/boats', '/v1/ships/1/sail', '/v1', '/v1/', '/v1//', '/V1/boats'])(
    '404 route_not_found for %s when the caller has a key',
    async (path) => {
      await known(`get ${path}`).expect(404, FOUND_NO_ROUTE);
    },
  );

  it.each(['/', '//', '/boats', '/v2/ships', '/v10', '/ships', '/tides-csv', '/charts/'])(
    '404 route_not_found for %s when the caller has no key',
    async (path) => {
      await anonymous(`get ${path}`).expect(404, FOUND_NO_ROUTE);
    },
  );

  it('404 for OPTIONS on an unknown path, and on the target *, which is no path', async () => {
    await known('options /v1/boats').expect(404);
    expect(await askFor('*')).toEqual({ status: 404, body: FOUND_NO_ROUTE });
  });

  it('404 without a body for HEAD', async () => {
    const { text, headers } = await anonymous('head /boats').expect(404);
    expect(text).toBeUndefined();
    expect(headers['content-length']).toBe('76');
  });

  it('leaves a path to middleware that is registered after the routes, but none below the prefix', async () => {
    await anonymous('get /graph').expect(200, 'graph');
    await anonymous('get /v1/graph').expect(401);
    await known('get /v1/graph').expect(404);
  });

  it.each(['get /v1/boats', 'get /v1', 'get /v1/ships/%zz', 'get /V1/%E0%A4%A', 'delete /v1/ships'])(
    '401 for %s before any other error when the key is missing',
    async (head) => {
      const { body } = await anonymous(head).expect(401);
      expect(body.code).toBe('missing_api_key');
    },
  );

  it('405 names the methods of the path in Allow and in the message', async () => {
    await known('delete /v1/ships')
      .expect('Allow', SHIPS)
      .expect(405, {
        code: 'method_not_allowed',
        message: `The path does not support this method; it supports ${SHIPS}.`,
        status: 405,
      });
  });

  it.each([
    ['put /v1/ships/7', 'GET, HEAD, OPTIONS'],
    ['put /v1/ships/7/', 'GET, HEAD, OPTIONS'],
    ['put /V1/SHIPS/7/DOCK', 'OPTIONS, POST'],
    ['head /v1/ships/7/dock', 'OPTIONS, POST'],
  ])('405 for %s, with Allow: %s', async (head, allow) => {
    await known(head).expect(405).expect('Allow', allow);
  });

  it.each([
    ['post /health', 'GET, HEAD, OPTIONS'],
    ['put /charts/north/sea.pdf', 'GET, HEAD, OPTIONS'],
    ['put /tides.csv', 'OPTIONS, POST'],
    ['put /tides/monday.csv', 'OPTIONS, POST'],
  ])(
    '405 without a key for %s outside the prefix, wildcards included, with Allow: %s',
    async (head, allow) => {
      await anonymous(head).expect(405).expect('Allow', allow);
    },
  );

  it('204 for OPTIONS on an existing path, with Allow', async () => {
    await known('options /v1/ships').expect('Allow', SHIPS).expect(204, '');
  });

  it.each(['/v1/ships/%zz', '/v1/ships/%2f%', '/v1/%', '/V1/ships/%E0%A4%A/dock', '/%', '/health/%C3%28'])(
    '400 for %s, which has a malformed percent-escape',
    async (path) => {
      await known(`get ${path}`).expect(400, {
        code: 'bad_request',
        message: 'The path contains a malformed percent-escape.',
        status: 400,
      });
    },
  );

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
    await known('get /v1/ships/caf%C3%A9?at=%zz').expect(200, 'café');
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
    const { routes } = app.get(RouteTable, { strict: false });
    const [ships, health, charts] = [ShipsController, HealthController, ChartsController];
    const route = (head: string, controller: Type, name: string) => {
      const [method, path] = head.split(' ');
      return {
        method,
        path,
        controller,
        name,
        handler: (controller.prototype as Record<string, unknown>)[name],
      };
    };
    expect(routes).toEqual([
      route('GET /v1/ships', ships, 'list'),
      route('POST /v1/ships', ships, 'launch'),
      route('GET /v1/ships/:shipId', ships, 'get'),
      route('POST /v1/ships/:shipId/dock', ships, 'dock'),
      route('GET /health', health, 'live'),
      route('GET /charts/*file', charts, 'chart'),
      route('POST /tides{/:day}.csv', charts, 'tides'),
    ]);
  });
});

describe('unmatched routes of an Express with its own settings', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const express = createExpress().enable('case sensitive routing').enable('strict routing');
    app = await start(new ExpressAdapter(express));
  });

  afterAll(() => app.close());

  it.each([
    ['put /v1/ships', 405],
    ['put /v1/SHIPS', 404],
    ['put /v1/ships/', 404],
    ['put /v1/%zz', 400],
  ])('matches paths as its router does: %s is %i', async (head, status) => {
    await send(app, head, 'with a key').expect(status);
  });

  it.each([
    ['get /V1/ships', 404],
    ['get /V1/%zz', 400],
  ])('treats %s as a path outside the prefix, which needs no key', async (head, status) => {
    await send(app, head).expect(status);
  });
});

describe('HttpErrorsModule', () => {
  it('has its routes after those of modules that are imported later', async () => {
    const testing = await Test.createTestingModule({
      imports: [HttpErrorsModule.forRoot({ prefix: '/v1' }), HarbourModule],
    }).compile();
    const app = testing.createNestApplication({ logger: false });
    app.enableVersioning(VERSIONING);
    await app.init();
    await request(app.getHttpServer()).get('/v1/ships/7').expect(200, '7');
    await request(app.getHttpServer()).get('/v1/boats').expect(404, FOUND_NO_ROUTE);
    await app.close();
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
      imports: [ListingModule, HarbourModule, HttpErrorsModule.forRoot({ prefix: '/v1' })],
    }).compile();
    expect(paths).toContain('/health');
  });
});
