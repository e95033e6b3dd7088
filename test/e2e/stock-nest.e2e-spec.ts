import { text } from 'node:stream/consumers';
import {
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  Injectable,
  Module,
  type NestInterceptor,
  ParseArrayPipe,
  DefaultValuePipe,
  ParseIntPipe,
  Post,
  Query,
  RawBody,
  Req,
  UploadedFile,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { OmitType, PartialType } from '@nestjs/swagger';
import { Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import type { Request } from 'express';
import { AsSent, IsInt64 } from '@animal-store/web';
import { TestApp } from '../support/test-app.js';

class AddressDto {
  @IsString()
  @Length(1, 20)
  city: string;
}

class VisitDto {
  @IsInt()
  @Min(1)
  count: number;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  notes?: string[];
}

class StrayDto {
  @IsInt64()
  id: bigint;

  @IsOptional()
  @IsInt64({ each: true })
  seenWith?: bigint[];
}

class OwnerDto {
  @IsString()
  name: string;

  @IsInt()
  @Min(1)
  age: number;

  @IsNumber()
  @IsOptional()
  weight?: number;

  @IsObject()
  @ValidateNested()
  @Type(() => AddressDto)
  address: AddressDto;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(3)
  @ValidateNested({ each: true })
  @Type(() => VisitDto)
  visits?: VisitDto[];

  @IsOptional()
  @IsInt64()
  accountId?: bigint;

  @IsOptional()
  @IsArray()
  @IsInt64({ each: true })
  petIds?: bigint[];

  @IsOptional()
  @Type(() => Date)
  @IsDate()
  bornAt?: Date;

  @IsOptional()
  @IsBoolean()
  isMember?: boolean;

  @IsOptional()
  @Expose({ name: 'nick_name' })
  @Transform(({ value }) => (typeof value === 'string' ? value.trim() : (value as unknown)))
  @IsString()
  nickName?: string;
}

class GroupDto {
  @IsInt64({ each: true })
  petIds: bigint[];

  @IsOptional()
  @Allow()
  @IsObject()
  labels?: Record<string, unknown>;
}

class ChangedOwnerDto extends PartialType(OmitType(OwnerDto, ['visits'] as const)) {}

class SearchDto {
  @IsOptional()
  @IsString()
  name?: string;

  @IsInt()
  @Min(1)
  @Max(50)
  page: number = 1;

  @IsOptional()
  @Type(() => Number)
  @IsNumber()
  weight?: number;

  @IsOptional()
  @IsBoolean()
  isMember?: boolean;

  @IsOptional()
  @Type(() => Boolean)
  @IsBoolean()
  isLarge?: boolean;

  @IsOptional()
  @IsArray()
  @IsInt64({ each: true })
  id?: bigint[];

  @IsOptional()
  @IsArray()
  @Type(() => Number)
  @IsInt({ each: true })
  age?: number[];

  @IsOptional()
  @IsArray()
  @Transform(({ value }) => (value as string).split(','))
  @IsString({ each: true })
  tags?: string[];
}

const BodyName = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { body } = context.switchToHttp().getRequest<Request & { body?: { name?: unknown } }>();
  return body?.name;
});

/** Looks at the body, as guards of a controller may. */
@Injectable()
class NameGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<Request & { body: { name: string } }>();
    return body.name !== 'Nobody';
  }
}

/** Adds to the body before the pipes see it. */
class AgeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const { body } = context.switchToHttp().getRequest<Request & { body: { age?: number } }>();
    body.age ??= 7;
    return next.handle();
  }
}

/** A value with its type, so that a number differs from its text. */
function shown(value: unknown): unknown {
  if (value instanceof Date) return `Date ${value.toISOString()}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const all = Object.fromEntries(fields.map(([name, field]) => [name, shown(field)]));
  return value.constructor === Object || value.constructor === undefined
    ? all
    : { of: value.constructor.name, ...all };
}

@Controller({ path: 'owners', version: '1' })
class OwnersController {
  @Post()
  add(@Body() owner: OwnerDto): unknown {
    return shown(owner);
  }

  @Post('changes')
  change(@Body() owner: ChangedOwnerDto): unknown {
    return shown(owner);
  }

  @Post('groups')
  group(@Body() group: GroupDto): unknown {
    return shown(group);
  }

  @Post('anything')
  anything(@Body(AsSent) body: unknown, @Req() request: Request): unknown {
    return [shown(body), request.body === body];
  }

  @Post('name')
  name(@BodyName() name: unknown): unknown {
    return [name ?? null];
  }

  @Post('signed')
  signed(@RawBody() bytes: Buffer, @Req() request: Request): unknown {
    return [bytes.toString(), request.body ?? null];
  }

  @Post('streamed')
  async streamed(@Req() request: Request): Promise<unknown> {
    return [request.body ?? null, await text(request)];
  }

  @Post('file')
  @UseInterceptors(FileInterceptor('photo'))
  file(@UploadedFile() photo: { buffer: Buffer }, @Body(AsSent) fields: Record<string, unknown>): unknown {
    return [photo.buffer.toString(), { ...fields }];
  }

  @Post('blind')
  blind(): unknown {
    return ['not read'];
  }

  @Post('fields')
  @HttpCode(200)
  fields(
    @Query('page', ParseIntPipe) page: number,
    @Body('name') name: string,
    @Body('address') address: AddressDto,
    @BodyName() again: unknown,
  ): unknown {
    return shown([page, name, address, again]);
  }

  @Post('exact')
  exact(@Body(new ParseArrayPipe({ items: StrayDto })) strays: StrayDto[]): unknown {
    return shown(strays);
  }

  @Post('guarded')
  @UseGuards(NameGuard)
  @UseInterceptors(AgeInterceptor)
  guarded(@Body() owner: ChangedOwnerDto): unknown {
    return shown(owner);
  }

  @Get()
  search(@Query() query: SearchDto): unknown {
    return shown(query);
  }

  @Get('one-parameter')
  one(@Query('page') page: string): unknown {
    return [page];
  }

  @Get('scalars')
  scalars(
    @Query('n', new DefaultValuePipe(7), ParseIntPipe) n: number,
    @Query('b') b?: boolean,
    @Query('price') price?: number,
  ): unknown {
    return [n, b, price];
  }

  @Get('any-query')
  any(@Query(AsSent) query: Record<string, unknown>): unknown {
    query['changed'] = true;
    return query;
  }
}

@Module({ controllers: [OwnersController] })
class OwnersModule {}

describe('A module written with stock Nest: parameters', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.startWith(OwnersModule);
    key = await store.key();
  });

  afterAll(() => store.stop());

  async function post(path: string, body: string): Promise<unknown[]> {
    const sent = store.send('POST', `/v1/owners${path}`, key).set('Content-Type', 'application/json');
    const { status, body: response } = await sent.send(body);
    return [status, response];
  }

  function as(contentType: string, path: string) {
    return store.send('POST', `/v1/owners${path}`, key).set('Content-Type', contentType);
  }

  async function get(path: string): Promise<unknown[]> {
    const { status, body } = await store.send('GET', `/v1/owners${path}`, key);
    return [status, body];
  }

  function refused(code: string, message: string): unknown[] {
    return [400, { status: 400, code, message }];
  }

  const REX = '"name":"Rex","age":5,"address":{"city":"Oslo"}';

  describe('@Body() of a DTO', () => {
    it('201: makes instances at every depth, and exact numbers of the declared type', async () => {
      const sent =
        `{${REX},"weight":5.5,"visits":[{"count":2,"notes":["a"]}],"accountId":9223372036854775807,` +
        '"petIds":[1,-9223372036854775808],"bornAt":"2020-02-29T00:00:00Z","isMember":false,"nick_name":" R "}';

      expect(await post('', sent)).toEqual([
        201,
        {
          of: 'OwnerDto',
          name: 'Rex',
          age: 5,
          weight: 5.5,
          address: { of: 'AddressDto', city: 'Oslo' },
          visits: [{ of: 'VisitDto', count: 2, notes: ['a'] }],
          accountId: '9223372036854775807n',
          petIds: ['1n', '-9223372036854775808n'],
          bornAt: 'Date 2020-02-29T00:00:00.000Z',
          isMember: false,
          nickName: 'R',
        },
      ]);
    });

    it.each([
      ['{"age":5,"address":{"city":"Oslo"}}', 'name is required.'],
      ['{"name":"Rex","age":5}', 'address is required.'],
      [`{${REX.replace('5', '"5"')}}`, 'age must be a JSON number, without quotes.'],
      [`{${REX.replace('"Oslo"', '7')}}`, 'address.city must be a string.'],
      [`{${REX.replace('"city":"Oslo"', '')}}`, 'address.city is required.'],
      [`{${REX.replace('{"city":"Oslo"}', 'null')}}`, 'address must be an object.'],
      [
        `{${REX.replace('"city":"Oslo"', '"city":"Oslo","zip":1')}}`,
        '"zip" is not a field of address (known: city).',
      ],
      [
        `{${REX.replace('"city":"Oslo"', '"city":"Oslo","__proto__":{"zip":1}')}}`,
        '"__proto__" is not a field of address.',
      ],
      [
        `{${REX},"visits":[{"count":1,"notes":["a","\\udd9c"]}]}`,
        'visits[0].notes[1] must not contain lone surrogates.',
      ],
      [`{${REX},"visits":[{"count":1},{"count":0}]}`, 'visits[1].count must not be less than 1.'],
      [`{${REX},"visits":[{"count":1},7]}`, 'visits[1] must be an object.'],
      [`{${REX},"visits":[{"count":1,"notes":[1]}]}`, 'each value in visits[0].notes must be a string.'],
      [`{${REX},"visits":[{"count":1,"constructor":1}]}`, '"constructor" is not a field of visits[0].'],
      [
        `{${REX},"accountId":1.5}`,
        'accountId must be a whole number from -9223372036854775808 to 9223372036854775807.',
      ],
      [
        `{${REX},"petIds":[1,1e19]}`,
        'each value in petIds must be a whole number from -9223372036854775808 to 9223372036854775807.',
      ],
      [`{${REX},"bornAt":9223372036854775807}`, 'bornAt must be a Date instance.'],
      [`{${REX},"isMember":"false"}`, 'isMember must be true or false, without quotes.'],
    ])('400 validation_failed: refuses %s', async (body, message) => {
      const [status, response] = await post('', body);
      const known = /\(known: [^)]{40,}\)/;
      const text = (response as { message: string }).message.replace(known, '(known)');

      expect([status, { ...(response as object), message: text }]).toEqual(
        refused('validation_failed', message.replace(known, '(known)')),
      );
    });

    it.each([
      ['{"petIds":[],"labels":{"a":["\\u0000"]}}', 'labels.a[0] must not contain the character U+0000.'],
      ['{"petIds":[],"labels":{"\\u0000":1}}', 'labels must not contain the character U+0000.'],
    ])('400 validation_failed: refuses the group %s', async (body, message) => {
      expect(await post('/groups', body)).toEqual(refused('validation_failed', message));
    });

    it('400 validation_failed: names every problem once', async () => {
      expect(await post('', '{"age":"5","address":{},"x":1}')).toEqual(
        refused(
          'validation_failed',
          '"x" is not a field here (known: name, age, weight, address, visits, accountId, petIds, bornAt, isMember, nick_name); ' +
            'name is required; age must be a JSON number, without quotes; address.city is required.',
        ),
      );
    });

    it('PartialType: every field may be left out, and those that are sent are validated', async () => {
      expect(await post('/changes', '{"accountId":7}')).toEqual([
        201,
        { of: 'ChangedOwnerDto', accountId: '7n' },
      ]);
      expect(await post('/changes', '{"address":{"city":""}}')).toEqual(
        refused('validation_failed', 'address.city must be longer than or equal to 1 characters.'),
      );
      expect(await post('/changes', '{"visits":[]}')).toMatchObject([400, { code: 'validation_failed' }]);
    });
  });

  describe('Other ways to a body', () => {
    it('an untyped @Body() has numbers, and a bigint where a number would lose digits', async () => {
      expect(await post('/anything', '{"a":1,"b":[1.5,9007199254740993]}')).toEqual([
        201,
        [{ a: 1, b: [1.5, '9007199254740993n'] }, true],
      ]);
    });

    it("@Body('name') is one field, which is validated if its type is a DTO", async () => {
      expect(await post('/fields?page=7', '{"name":"Rex","address":{"city":"Oslo"}}')).toEqual([
        200,
        [7, 'Rex', { of: 'AddressDto', city: 'Oslo' }, 'Rex'],
      ]);
      expect(await post('/fields?page=7', '{"name":"Rex","address":{}}')).toEqual(
        refused('validation_failed', 'address.city is required.'),
      );
      expect(await post('/fields?page=7', '{}')).toEqual(
        refused('validation_failed', 'address is required.'),
      );
    });

    it('ParseArrayPipe reads a list of DTOs with exact int64s', async () => {
      expect(
        await post('/exact', '[{"id":7,"seenWith":[8,9223372036854775807]},{"id":9223372036854775807}]'),
      ).toEqual([
        201,
        [
          { of: 'StrayDto', id: '7n', seenWith: ['8n', '9223372036854775807n'] },
          { of: 'StrayDto', id: '9223372036854775807n' },
        ],
      ]);
      for (const stray of ['{"id":5.5}', '{"id":"5"}', '{"id":9223372036854775808}']) {
        expect(await post('/exact', `[${stray}]`)).toMatchObject([
          400,
          { message: expect.stringMatching(/^id must be a whole number/) as string },
        ]);
      }
      expect(await post('/exact', '[{"id":1,"seenWith":[5.5]}]')).toMatchObject([
        400,
        { message: expect.stringMatching(/^each value in seenWith must be a whole number/) as string },
      ]);
    });

    it('the guards and interceptors of a controller see it', async () => {
      expect(await post('/guarded', '{"name":"Rex"}')).toEqual([
        201,
        { of: 'ChangedOwnerDto', name: 'Rex', age: 7 },
      ]);
      expect(await post('/guarded', '{"name":"Nobody"}')).toMatchObject([403, {}]);
      expect(await post('/guarded', '{"name":')).toMatchObject([400, { code: 'invalid_json' }]);
    });

    it('a decorator of the application reads it, if it is JSON', async () => {
      expect(await post('/name', '{"name":"Rex"}')).toEqual([201, ['Rex']]);
      expect(await post('/name', '{"name":')).toMatchObject([400, { code: 'invalid_json' }]);
      expect(await post('/name', '')).toEqual([201, [null]]);
      expect((await as('text/plain', '/name').send('Rex')).body).toEqual([null]);
    });

    it('@RawBody() has the bytes of any content', async () => {
      expect(await post('/signed', '{"a":1}')).toEqual([201, ['{"a":1}', { a: 1 }]]);
      expect((await as('text/plain', '/signed').send('Rex')).body).toEqual(['Rex', null]);
    });

    it('content other than JSON stays a stream for a handler with the request', async () => {
      expect((await as('text/csv', '/streamed').send('id,name\n1,Rex')).body).toEqual([
        null,
        'id,name\n1,Rex',
      ]);
    });

    it('FileInterceptor refuses a file beyond UPLOAD_LIMIT_BYTES', async () => {
      const sent = store.send('POST', '/v1/owners/file', key);
      const { status, body } = await sent.attach('photo', Buffer.alloc(1_048_577), 'rex.jpg');
      expect([status, body.code]).toEqual([413, 'payload_too_large']);
    });

    it('FileInterceptor reads a form with a file, and its other fields', async () => {
      const sent = store.send('POST', '/v1/owners/file', key);
      const { status, body } = await sent.field('name', 'Rex').attach('photo', Buffer.from('JPG'), 'rex.jpg');
      expect([status, body]).toEqual([201, ['JPG', { name: 'Rex' }]]);
    });

    it('no handler without a parameter for it has it read', async () => {
      expect(await post('/blind', '{"name":')).toEqual([201, ['not read']]);
      expect((await as('text/plain', '/blind').send(' '.repeat(20_000))).status).toBe(201);
    });
  });

  describe('@Query() of a DTO', () => {
    it('200: converts each text to the declared type of its field', async () => {
      expect(
        await get(
          '?name=5&page=7&weight=5.5&isMember=false&isLarge=false&id=1&id=9223372036854775807&age=5&age=6&tags=a,b',
        ),
      ).toEqual([
        200,
        {
          of: 'SearchDto',
          name: '5',
          page: 7,
          weight: 5.5,
          isMember: false,
          isLarge: false,
          id: ['1n', '9223372036854775807n'],
          age: [5, 6],
          tags: ['a', 'b'],
        },
      ]);
    });

    it('200: preserves defaults, and converts a single value to a list', async () => {
      expect(await get('')).toEqual([200, { of: 'SearchDto', page: 1 }]);
      expect(await get('?id=5')).toEqual([200, { of: 'SearchDto', page: 1, id: ['5n'] }]);
    });

    it.each([
      ['page=', 'page must be an integer number.'],
      ['page=1e1', 'page must be an integer number.'],
      ['page=1&page=2', 'page must be given once.'],
      ['isMember=yes', 'isMember must be true or false.'],
      [
        'id=1&id=x',
        'each value in id must be a whole number from -9223372036854775808 to 9223372036854775807.',
      ],
      ['name=R%00x', 'name must not contain the character U+0000.'],
      ['tags=a,%00', 'tags must not contain the character U+0000.'],
      [
        'nam=Rex',
        '"nam" is not a parameter here (known: name, page, weight, isMember, isLarge, id, age, tags).',
      ],
    ])('400 invalid_parameter: refuses %s', async (query, message) => {
      expect(await get(`?${query}`)).toEqual(refused('invalid_parameter', message));
    });
  });

  describe('Other parameters', () => {
    it("200: @Query('x') reads one parameter and ignores the others", async () => {
      expect(await get('/one-parameter?page=7&other=1')).toEqual([200, ['7']]);
    });

    it('200: converts single parameters to the declared number or boolean', async () => {
      expect(await get('/scalars?b=true&price=1.5')).toEqual([200, [7, true, 1.5]]);
      expect(await get('/scalars?n=3&b=false')).toEqual([200, [3, false, null]]);
    });

    it.each([
      ['price=', 'price must be a number.'],
      ['price=1&price=2', 'price must be a number.'],
      ['b=yes', 'b must be true or false.'],
    ])('400 invalid_parameter: a single parameter of another type, %s', async (query, message) => {
      expect(await get(`/scalars?${query}`)).toEqual(refused('invalid_parameter', message));
    });

    it('400: a single text that no database stores', async () => {
      expect(await get('/one-parameter?page=%00')).toEqual(
        refused('invalid_parameter', 'page must not contain the character U+0000.'),
      );
      expect(await post('/fields?page=7', '{"name":"\\ud83e","address":{"city":"Oslo"}}')).toEqual(
        refused('validation_failed', 'name must not contain lone surrogates.'),
      );
    });

    it('200: passes a query without a DTO as it was sent, and the handler may change it', async () => {
      for (let times = 0; times < 2; times++) {
        expect(await get('/any-query?a=1')).toEqual([200, { a: '1', changed: true }]);
      }
    });

    it.each([
      ['POST', '/v1/pets?x=1'],
      ['GET', '/v1/pets/1?x=1'],
      ['POST', '/v1/store/orders/1/complete?x=1'],
    ])('400 invalid_parameter: an operation without query parameters refuses %s %s', async (method, path) => {
      const sent = store.send(method, path, key).set('Content-Type', 'application/json');
      const { status, body } = await (method === 'GET' ? sent : sent.send('{"name":"Rex","categoryId":7}'));

      expect([status, body]).toEqual(
        refused('invalid_parameter', '"x" is not a parameter here (known: none).'),
      );
    });

    it('415, 400 invalid_json: reports a problem of the body before an unknown parameter', async () => {
      const text = store.send('POST', '/v1/pets?x=1', key).set('Content-Type', 'text/plain');
      expect((await text.send('Rex')).status).toBe(415);
      const broken = store.send('POST', '/v1/pets?x=1', key).set('Content-Type', 'application/json');
      expect((await broken.send('{')).body).toMatchObject({ code: 'invalid_json' });
    });
  });
});
