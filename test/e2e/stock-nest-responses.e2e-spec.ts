import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  type CallHandler,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  type INestApplication,
  type MessageEvent,
  Module,
  type NestInterceptor,
  Post,
  Res,
  Sse,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { from, map } from 'rxjs';
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

  @Get('text')
  text(): string {
    return 'Łucja <b>';
  }

  @Get('null')
  null(): null {
    return null;
  }

  @Post('object')
  object(): object {
    return { at: new Date(0), tags: ['a', undefined], none: undefined, set: new Set([1]) };
  }

  @Delete('stripped')
  @HttpCode(204)
  stripped(): object {
    return { not: 'sent' };
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

  @Get('handled')
  handled(@Res() response: Response): void {
    response.status(418).send('by hand');
  }

  @Post('mapped')
  @UseInterceptors(EnvelopeInterceptor)
  mapped(): string {
    return 'Rex';
  }

  @Sse('events')
  events() {
    const events: MessageEvent[] = [{ data: { id: 1 } }, { data: 'two', type: 'named', id: '7' }];
    return from(events);
  }
}

@Module({ controllers: [StockController] })
class StockModule {}

/** The headers that the service adds to every response; its tags are strong, those of Express are not. */
const OF_THE_SERVICE =
  /^(date|connection|keep-alive|etag|x-request-id|x-content-type-options|x-ratelimit-.*|ratelimit.*)$/;

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

  async function seen(sent: request.Test): Promise<Seen> {
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
      headers: entries.filter(([name]) => !OF_THE_SERVICE.test(name)).sort(),
      body: Buffer.concat(chunks).toString('latin1'),
    };
  }

  /** What the adapter of this service decides on. The library below it is compared with Nest's on its own. */
  const ROUTES: [string, string][] = [
    ...['csv', 'text', 'null', 'file', 'handled', 'events'].map((name): [string, string] => ['GET', name]),
    ...['text', 'file'].map((name): [string, string] => ['HEAD', name]),
    ...['object', 'passthrough', 'mapped'].map((name): [string, string] => ['POST', name]),
    ['DELETE', 'stripped'],
  ];

  it.each(ROUTES)('responds to %s %s byte for byte as on the stock adapter', async (method, name) => {
    const path = `/v1/stock/${name}`;
    const { port } = stock.getHttpServer().address() as AddressInfo;
    const expected = await seen(request(`http://127.0.0.1:${port}`)[method.toLowerCase() as 'get'](path));

    expect(await seen(store.send(method, path, key))).toEqual(expected);
  });
});
