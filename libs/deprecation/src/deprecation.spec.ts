import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ArgumentsHost,
  CanActivate,
  Controller,
  ExecutionContext,
  Get,
  INestApplication,
  NotFoundException,
  Param,
  ParseIntPipe,
  Res,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, BaseExceptionFilter } from '@nestjs/core';
import { ApiOperation, DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import type { Request, Response } from 'express';
import request from 'supertest';
import { announceDeprecation, DeprecationMarkGuard, DeprecationModule } from './index.js';
import { Deprecated } from './swagger.js';

const SUNSET_MS = Date.parse('2030-12-05T00:00:00Z');

const LINKS =
  '</docs>; rel="deprecation", </docs>; rel="sunset", </v1/ships?status=afloat>; rel="successor-version"';

/** The headers of an operation that is retiring. */
const ANNOUNCED = { deprecation: '@1764892800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT', link: LINKS };

const RETIRING = {
  since: '2025-12-05',
  sunset: '2030-12-05',
  successor: '/v1/ships?status=afloat',
  documentation: '/docs',
};

class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getArgByIndex<IncomingMessage>(0).headers['key'] === undefined)
      throw new UnauthorizedException();
    return true;
  }
}

@Controller('ships')
class ShipsController {
  @Get()
  list(): string {
    return 'fleet';
  }

  @Deprecated(RETIRING)
  @ApiOperation({ operationId: 'getShip', summary: 'Get a ship' })
  @Get(':shipId')
  getShip(@Param('shipId') shipId: string): string {
    if (shipId === '404') throw new NotFoundException();
    return shipId;
  }

  @Get(':shipId/crew')
  @ApiOperation({ operationId: 'getCrew', summary: 'Get a crew' })
  @Deprecated({ since: '2025-12-05' })
  getCrew(): string {
    return 'crew';
  }

  @Deprecated(RETIRING)
  @Get(':shipId/hold/:number')
  getHold(@Param('number', ParseIntPipe) number: number): number {
    return number;
  }

  @Deprecated(RETIRING)
  @Get(':shipId/cargo')
  getCargo(@Res({ passthrough: true }) response: ServerResponse): string {
    response.appendHeader('Link', '</ships/1/cargo?page=2>; rel="next"');
    return 'cargo';
  }
}

/** As that of `@animal-store/http-errors` does with `beforeSend`. */
class AnnouncingFilter extends BaseExceptionFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    announceDeprecation(host.getArgByIndex<Request>(0), host.getArgByIndex<Response>(1));
    super.catch(error, host);
  }
}

describe('Deprecated', () => {
  const onCall = jest.fn();
  let nowMs: number;
  let app: INestApplication;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      imports: [
        DeprecationModule.forRootAsync({
          useFactory: () => ({
            now: () => nowMs,
            onCall: ({ headers }, { name }) => onCall(headers['key'], name),
          }),
        }),
      ],
      controllers: [ShipsController],
      providers: [
        { provide: APP_GUARD, useClass: DeprecationMarkGuard },
        { provide: APP_GUARD, useClass: KeyGuard },
        { provide: APP_FILTER, useClass: AnnouncingFilter },
      ],
    }).compile();
    app = testing.createNestApplication({ logger: false });
    await app.init();
  });

  beforeEach(() => {
    nowMs = SUNSET_MS - 1;
    onCall.mockReset();
  });

  afterAll(() => app.close());

  const get = (path: string, key?: string): request.Test => {
    const sent = request(app.getHttpServer()).get(path);
    return key === undefined ? sent : sent.set('key', key);
  };

  it.each([
    ['a 200', '/ships/7', 'k1', 200],
    ['a 401', '/ships/7', undefined, 401],
    ['a 404', '/ships/404', 'k1', 404],
  ])(
    'says on %s since when the operation is deprecated and when it will be removed',
    async (_what, path, key, status) => {
      expect((await get(path, key).expect(status)).headers).toMatchObject(ANNOUNCED);
    },
  );

  it('refuses invalid input only until the sunset', async () => {
    expect((await get('/ships/7/hold/x', 'k1').expect(400)).headers['deprecation']).toBe('@1764892800');
    nowMs = SUNSET_MS;
    await get('/ships/7/hold/x', 'k1').expect(410);
  });

  it('adds no header to other operations', async () => {
    const { headers } = await get('/ships', 'k1').expect(200);
    expect(headers).not.toHaveProperty('deprecation');
    expect(headers).not.toHaveProperty('sunset');
    expect(headers).not.toHaveProperty('link');
    expect(onCall).not.toHaveBeenCalled();
  });

  it('sends only the sunset and the links that it was given', async () => {
    nowMs = SUNSET_MS;
    const { headers } = await get('/ships/7/crew', 'k1').expect(200);
    expect(headers['deprecation']).toBe('@1764892800');
    expect(headers).not.toHaveProperty('sunset');
    expect(headers).not.toHaveProperty('link');
  });

  it('preserves links that the handler appends', async () => {
    const { headers } = await get('/ships/7/cargo', 'k1').expect(200);
    expect(headers['link']).toBe(`${LINKS}, </ships/1/cargo?page=2>; rel="next"`);
  });

  it('responds with 410 and the same headers after the sunset', async () => {
    nowMs = SUNSET_MS;
    const { body, headers } = await get('/ships/7', 'k1').expect(410);
    expect(body).toEqual({
      code: 'operation_removed',
      message: 'This operation was removed on 2030-12-05. Use /v1/ships?status=afloat instead.',
    });
    expect(headers).toMatchObject(ANNOUNCED);
  });

  it('reports every caller that may call, before and after the sunset', async () => {
    await get('/ships/7');
    await get('/ships/7', 'k1');
    nowMs = SUNSET_MS;
    await get('/ships/7', 'k2');
    expect(onCall.mock.calls).toEqual([
      ['k1', 'getShip'],
      ['k2', 'getShip'],
    ]);
  });

  describe('in the OpenAPI document', () => {
    let document: OpenAPIObject;

    beforeAll(() => {
      document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    });

    it.each([
      [
        'below',
        '/ships/{shipId}',
        { operationId: 'getShip', summary: 'Get a ship', 'x-sunset': '2030-12-05' },
      ],
      ['above', '/ships/{shipId}/crew', { operationId: 'getCrew', summary: 'Get a crew' }],
    ])('marks the operation, and preserves the @ApiOperation %s it', (_where, path, operation) => {
      const { get } = document.paths[path]!;
      expect(get).toMatchObject({ ...operation, deprecated: true });
      expect('x-sunset' in get!).toBe('x-sunset' in operation);
    });
  });

  describe('with invalid options', () => {
    it.each(['2025-02-30', '2025-13-01', '05.12.2025', '2025-12-05T00:00:00Z', ''])(
      'refuses the date "%s"',
      (since) => {
        expect(() => Deprecated({ since })).toThrow(
          new RangeError(`"${since}" is not a date of the form YYYY-MM-DD.`),
        );
      },
    );

    it('refuses a sunset before the deprecation', () => {
      expect(() => Deprecated({ since: '2025-12-05', sunset: '2025-12-04' })).toThrow(
        new RangeError('The sunset 2025-12-04 is before the deprecation 2025-12-05.'),
      );
    });

    it.each(['/a b', '/a>; rel="x', '/ä', '/a\r\nSet-Cookie: b'])('refuses the link "%s"', (successor) => {
      expect(() => Deprecated({ since: '2025-12-05', successor })).toThrow('is not a URI reference.');
    });
  });
});
