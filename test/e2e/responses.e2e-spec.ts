import type { ServerResponse } from 'node:http';
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
  Query,
  Res,
  Sse,
  StreamableFile,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { from, map } from 'rxjs';
import request, { type Response as Received } from 'supertest';
import { requestedList, showPage } from '@animal-store/web';
import { ListPets } from '../../src/pets/application/list-pets.use-case.js';
import type { Pet } from '../../src/pets/domain/pet.js';
import { PetsModule } from '../../src/pets/pets.module.js';
import { toAnimal } from '../../src/pets/http/animal.response.js';
import { ListPetsDto } from '../../src/pets/http/list-pets.dto.js';
import { TestApp } from '../support/test-app.js';

class EnvelopeInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

/** The ways to respond in Nest's documentation, without anything of this service. */
@Controller({ path: 'v1/stock', version: VERSION_NEUTRAL })
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

const toName = ({ name }: Pet) => ({ name });

/** Shows the pages of `GET /v1/pets` differently. */
@Controller('shown')
class ShownController {
  constructor(private readonly list: ListPets) {}

  @Get('names')
  async names(@Query() query: ListPetsDto, @Res({ passthrough: true }) response: ServerResponse) {
    const list = requestedList('/v1/shown/names', query);
    return showPage(response, await this.list.execute({}, list.page), list, toName);
  }

  @Get('again')
  async again(@Query() query: ListPetsDto, @Res({ passthrough: true }) response: ServerResponse) {
    const list = requestedList('/v1/shown/again', query);
    return showPage(response, await this.list.execute({}, list.page), list, toAnimal);
  }

  @Get('enveloped')
  @UseInterceptors(EnvelopeInterceptor)
  enveloped(@Query() query: ListPetsDto, @Res({ passthrough: true }) response: ServerResponse) {
    return this.again(query, response);
  }
}

@Module({ imports: [PetsModule], controllers: [ShownController, StockController] })
class ResponsesModule {}

/** The headers that the service adds to every response; its tags are strong, those of Express are not. */
const OF_THE_SERVICE =
  /^(date|connection|keep-alive|etag|x-request-id|x-content-type-options|x-ratelimit-.*|ratelimit.*)$/;

describe('A response', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.startWith(ResponsesModule);
    key = await store.key();
    for (const name of ['Rex', 'Mia']) await add(name);
  });

  afterAll(() => store.stop());

  async function add(name = 'Rex'): Promise<void> {
    await store.send('POST', '/v1/pets', key).send({ name, categoryId: 7 }).expect(201);
  }

  async function tagOf(path: string): Promise<string> {
    return (await store.send('GET', path, key).expect(200)).headers['etag']!;
  }

  describe('with a cached page that several operations show', () => {
    const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

    it.each<[string, unknown]>([
      ['/v1/pets', [rex]],
      ['/v1/shown/names', [{ name: 'Rex' }]],
      ['/v1/shown/again', [rex]],
      ['/v1/shown/enveloped', { data: [rex] }],
    ])('has the items and the next page of the operation that shows it: %s', async (path, expected) => {
      for (const other of ['/v1/pets', '/v1/shown/names', '/v1/shown/again', path, path]) {
        await store.send('GET', `${other}?limit=1`, key).expect(200);
      }
      const { body, headers } = await store.send('GET', `${path}?limit=1`, key);

      expect(body).toEqual(expected);
      const list = path.replace('enveloped', 'again');
      expect(headers['link']).toMatch(new RegExp(`^<${list}\\?limit=1&cursor=[\\w-]+>; rel="next"$`));
    });
  });

  describe('that is conditional', () => {
    function conditional(method: string, path: string, ifNoneMatch: string) {
      return store.send(method, path, key).set('If-None-Match', ifNoneMatch);
    }

    it('a 200 of GET has a strong ETag, and only its caller may cache it and must validate it', async () => {
      const { headers } = await store.send('GET', '/v1/pets', key).expect(200);

      expect(headers['etag']).toMatch(/^"[\w-]{27}"$/);
      expect(headers['cache-control']).toBe('private, no-cache');
      expect(headers['vary']).toBe('Authorization');
    });

    it('equal responses have the same ETag, different responses different ones', async () => {
      const before = await tagOf('/v1/pets?limit=100');
      expect(await tagOf('/v1/pets?limit=99')).toBe(before);
      expect(await tagOf('/v1/pets/1')).not.toBe(before);

      await add();
      expect(await tagOf('/v1/pets?limit=100')).not.toBe(before);
    });

    it.each(['/v1/pets', '/v1/pets/1', '/v1/store/orders'])(
      '304: %s has not changed, for every form of If-None-Match that matches',
      async (path) => {
        const tag = await tagOf(path);

        for (const condition of [
          tag,
          `W/${tag}`,
          '*',
          ` * `,
          `"other", ${tag}`,
          `${tag},"other"`,
          `"a","b" ,W/${tag}\t, "c"`,
        ]) {
          const { text, headers } = await conditional('GET', path, condition).expect(304);
          expect(text).toBe('');
          expect(headers).toMatchObject({
            etag: tag,
            'cache-control': 'private, no-cache',
            vary: 'Authorization',
            'x-ratelimit-limit': '1000',
            'x-request-id': expect.any(String) as string,
          });
          expect(headers).not.toHaveProperty('content-type');
          expect(headers).not.toHaveProperty('content-length');
        }
        await conditional('HEAD', path, tag).expect(304);
      },
    );

    it('200: If-None-Match does not match or is not valid', async () => {
      const tag = await tagOf('/v1/pets');

      for (const condition of [
        '"other"',
        tag.slice(1, -1),
        tag.toUpperCase(),
        `w/${tag}`,
        `"${tag}"`,
        `${tag}x`,
        ',',
        'W/',
        '**',
      ]) {
        await conditional('GET', '/v1/pets', condition).expect(200);
      }
    });

    it('304 counts against the limits, and has the link to a next page that is new', async () => {
      const { length } = (await store.send('GET', '/v1/pets', key)).body as object[];
      const path = `/v1/pets?limit=${length}`;
      const tag = await tagOf(path);
      const before = await conditional('GET', path, tag).expect(304);
      expect(before.headers['link']).toBeUndefined();

      await add();
      const after = await conditional('GET', path, tag).expect(304);
      expect(after.headers['link']).toMatch(/^<\/v1\/pets\?limit=\d+&cursor=[\w-]+>; rel="next"$/);
      const remaining = (response: Received) => Number(response.headers['x-ratelimit-remaining']);
      // One is the conditional request, the other added the animal.
      expect(remaining(before) - remaining(after)).toBe(2);
    });

    it('an error has no ETag, ignores the condition and must not be cached', async () => {
      for (const [path, status] of [
        ['/v1/pets/999', 404],
        ['/v1/pets?limit=0', 400],
        ['/v1/nothing', 404],
      ] as const) {
        const { headers } = await conditional('GET', path, '*').expect(status);
        expect(headers['etag']).toBeUndefined();
        expect(headers['cache-control']).toBe('no-store');
      }
    });
  });

  describe('of a handler of stock Nest', () => {
    let stock: INestApplication;

    beforeAll(async () => {
      const adapter = new ExpressAdapter();
      stock = await NestFactory.create<NestExpressApplication>(StockModule, adapter, { logger: false });
      (stock as NestExpressApplication).disable('x-powered-by').disable('etag');
      await stock.listen(0, '127.0.0.1');
    });

    afterAll(() => stock.close());

    interface Seen {
      readonly status: number;
      readonly headers: [string, string][];
      readonly body: string;
    }

    async function seen(port: number, method: string, name: string): Promise<Seen> {
      const chunks: Buffer[] = [];
      const { status, headers } = await request(`http://127.0.0.1:${port}`)
        [method.toLowerCase() as 'get'](`/v1/stock/${name}`)
        .set('Authorization', `Bearer ${key}`)
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
      ...['csv', 'text', 'null', 'handled', 'events'].map((name): [string, string] => ['GET', name]),
      ['HEAD', 'text'],
      ...['object', 'passthrough', 'mapped'].map((name): [string, string] => ['POST', name]),
      ['DELETE', 'stripped'],
    ];

    it.each(ROUTES)('to %s %s is byte for byte that on the stock adapter', async (method, name) => {
      const { port } = stock.getHttpServer().address() as AddressInfo;

      expect(await seen(store.port, method, name)).toEqual(await seen(port, method, name));
    });

    it.each(['GET', 'HEAD'])('to %s file is that, and may be validated and sent in part', async (method) => {
      const { port } = stock.getHttpServer().address() as AddressInfo;
      const expected = await seen(port, method, 'file');
      const added = [
        ['accept-ranges', 'bytes'],
        ['cache-control', 'private, no-cache'],
        ['vary', 'Authorization'],
      ] as [string, string][];

      expect(await seen(store.port, method, 'file')).toEqual({
        ...expected,
        headers: [...expected.headers, ...added].sort(),
      });
    });
  });
});
