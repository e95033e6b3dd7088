import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  BadRequestException,
  type CallHandler,
  ConflictException,
  Controller,
  Delete,
  type ExecutionContext,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  type INestApplication,
  InternalServerErrorException,
  type MessageEvent,
  Module,
  type NestInterceptor,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Redirect,
  Res,
  Sse,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { from, map, of } from 'rxjs';
import request from 'supertest';
import { TestApp } from '../support/test-app.js';

class EnvelopeInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

/** The ways to respond in Nest's documentation, without anything of this service. */
@Controller('v1/stock')
class StockController {
  @Get('csv')
  @Header('Content-Type', 'text/csv')
  csv(): string {
    return 'id,name\n1,Rex\n';
  }

  @Get('problem')
  @Header('Content-Type', 'application/problem+json')
  problem(): object {
    return { title: 'No wind' };
  }

  @Get('text')
  text(): string {
    return 'Łucja <b>';
  }

  @Get('empty-text')
  emptyText(): string {
    return '';
  }

  @Get('null')
  null(): null {
    return null;
  }

  @Get('undefined')
  undefined(): void {}

  @Get('true')
  true(): boolean {
    return true;
  }

  @Get('number')
  number(): number {
    return 7.5;
  }

  @Get('buffer')
  buffer(): Buffer {
    return Buffer.from('Rex');
  }

  @Post('object')
  object(): object {
    return { at: new Date(0), tags: ['a', undefined], none: undefined, set: new Set([1]) };
  }

  @Post('list')
  @HttpCode(202)
  list(): unknown[] {
    return ['Łucja', { id: 1 }];
  }

  @Delete('nothing')
  @HttpCode(204)
  nothing(): void {}

  @Delete('stripped')
  @HttpCode(204)
  stripped(): object {
    return { not: 'sent' };
  }

  @Post('reset')
  @HttpCode(205)
  reset(): object {
    return { not: 'sent' };
  }

  @Get('moved')
  @Redirect('/v1/stock/text', 301)
  moved(): void {}

  @Get('moved-elsewhere')
  @Redirect('/v1/stock/text')
  movedElsewhere(): { url: string; statusCode: number } {
    return { url: '/v1/stock/csv', statusCode: 307 };
  }

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Readable.from([Buffer.from('Rex')]), {
      type: 'image/png',
      disposition: 'attachment; filename="rex.png"',
      length: 3,
    });
  }

  @Post('passthrough')
  passthrough(@Res({ passthrough: true }) response: Response): object {
    response.status(203).location('/v1/stock/7').cookie('a', '1').append('X-Two', ['1', '2']);
    return { id: 7 };
  }

  @Get('typed')
  typed(@Res({ passthrough: true }) response: Response): object {
    response.type('application/vnd.animals+json');
    return { id: 7 };
  }

  @Get('handled')
  handled(@Res() response: Response): void {
    response.status(418).send('by hand');
  }

  @Post('mapped')
  @UseInterceptors(EnvelopeInterceptor)
  mapped(): string {
    return 'Rex';
  }

  @Get('observed')
  observed() {
    return of('first', 'last');
  }

  @Sse('events')
  events() {
    const events: MessageEvent[] = [{ data: { id: 1 } }, { data: 'two', type: 'named', id: '7' }];
    return from(events);
  }

  @Get('errors/forbidden')
  forbidden(): void {
    throw new ForbiddenException('Ask the keeper.');
  }

  @Get('errors/rules')
  rules(): void {
    throw new BadRequestException(['name is required', 'age is too high']);
  }

  @Get('errors/conflict')
  conflict(): void {
    throw new ConflictException();
  }

  @Get('errors/missing')
  missing(): void {
    throw new NotFoundException('No cage has id 7.');
  }

  @Get('errors/inside')
  inside(): void {
    throw new InternalServerErrorException('db at 10.0.0.1 is down');
  }

  @Get('errors/:number')
  piped(@Param('number', ParseIntPipe) number: unknown): unknown {
    return number;
  }

  @Get('exact')
  exact(): object {
    return { id: 9223372036854775807n };
  }
}

@Module({ controllers: [StockController] })
class StockModule {}

/** The headers that the service adds to every response. */
const OF_THE_SERVICE =
  /^(date|connection|keep-alive|x-request-id|x-content-type-options|x-ratelimit-.*|ratelimit.*)$/;
/** The headers that the service adds to a JSON response to GET. */
const OF_JSON = /^(etag|cache-control|vary)$/;

describe('A module of only stock Nest in this service', () => {
  let store: TestApp;
  let key: string;
  let stock: INestApplication;

  beforeAll(async () => {
    store = await TestApp.startWith(StockModule);
    key = await store.key();
    const adapter = new ExpressAdapter();
    stock = await NestFactory.create<NestExpressApplication>(StockModule, adapter, { logger: false });
    (stock as NestExpressApplication).disable('x-powered-by').disable('etag');
    await stock.listen(0, '127.0.0.1');
  });

  afterAll(async () => {
    await stock.close();
    await store.stop();
  });

  interface Seen {
    readonly status: number;
    readonly headers: [string, string][];
    readonly body: string;
  }

  async function seen(sent: request.Test, ignored: RegExp): Promise<Seen> {
    const chunks: Buffer[] = [];
    const { status, headers } = await sent
      .redirects(0)
      .buffer(true)
      .parse((response, done) => {
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => done(null, null));
      });
    const entries = Object.entries(headers as Record<string, string>);
    return {
      status,
      headers: entries.filter(([name]) => !OF_THE_SERVICE.test(name) && !ignored.test(name)).sort(),
      body: Buffer.concat(chunks).toString('latin1'),
    };
  }

  const ROUTES: [string, string][] = [
    ...[
      'csv',
      'problem',
      'text',
      'empty-text',
      'null',
      'undefined',
      'true',
      'number',
      'moved',
      'moved-elsewhere',
    ],
    ...['file', 'typed', 'handled', 'observed', 'events'],
  ].map((name) => ['GET', name]);
  ROUTES.push(...['csv', 'text', 'file', 'null', 'number'].map((name): [string, string] => ['HEAD', name]));
  ROUTES.push(
    ...['object', 'list', 'reset', 'passthrough', 'mapped'].map((name): [string, string] => ['POST', name]),
  );
  ROUTES.push(['DELETE', 'nothing'], ['DELETE', 'stripped']);

  it.each(ROUTES)('responds to %s %s byte for byte as on the stock adapter', async (method, name) => {
    const path = `/v1/stock/${name}`;
    const { port } = stock.getHttpServer().address() as AddressInfo;
    const expected = await seen(
      request(`http://127.0.0.1:${port}`)[method.toLowerCase() as 'get'](path),
      /^$/,
    );

    expect(await seen(store.send(method, path, key), /^$/)).toEqual(expected);
  });

  it('responds to GET with the JSON of the stock adapter, and adds an ETag', async () => {
    const { port } = stock.getHttpServer().address() as AddressInfo;
    const expected = await seen(request(`http://127.0.0.1:${port}`).get('/v1/stock/buffer'), OF_JSON);
    const response = await store.send('GET', '/v1/stock/buffer', key);

    expect(await seen(store.send('GET', '/v1/stock/buffer', key), OF_JSON)).toEqual(expected);
    expect(response.headers).toMatchObject({
      etag: expect.stringMatching(/^"[\w-]{27}"$/) as string,
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
    });
  });

  it('writes a bigint exactly, while the stock adapter fails', async () => {
    const { text } = await store.send('GET', '/v1/stock/exact', key).expect(200);
    expect(text).toBe('{"id":9223372036854775807}');
  });

  it.each([
    ['forbidden', 403, 'forbidden', 'Ask the keeper.'],
    ['rules', 400, 'bad_request', 'name is required; age is too high'],
    ['conflict', 409, 'conflict', 'The request conflicts with the current state.'],
    ['missing', 404, 'not_found', 'No cage has id 7.'],
    ['seven', 400, 'bad_request', 'Validation failed (numeric string is expected)'],
    ['inside', 500, 'internal_error', 'The service failed to process the request.'],
  ])('sends the message of an exception of Nest below 500: %s', async (name, status, code, message) => {
    const { body } = await store.send('GET', `/v1/stock/errors/${name}`, key).expect(status);
    expect(body).toEqual({ code, message, status });
  });
});
