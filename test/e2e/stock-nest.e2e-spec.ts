import { text } from 'node:stream/consumers';
import {
  type ArgumentMetadata,
  type ArgumentsHost,
  BadRequestException,
  Body,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  createParamDecorator,
  DefaultValuePipe,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  HttpException,
  MaxFileSizeValidator,
  Module,
  type NestInterceptor,
  NotFoundException,
  Param,
  ParseArrayPipe,
  ParseBoolPipe,
  ParseEnumPipe,
  ParseFilePipe,
  ParseIntPipe,
  type PipeTransform,
  Post,
  Query,
  RawBody,
  Req,
  UploadedFile,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { FileInterceptor } from '@nestjs/platform-express';
import { ApiBody, ApiProperty, PartialType } from '@nestjs/swagger';
import { Expose, Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { callerOf } from '@animal-store/api-keys';
import { RouteTable } from '@animal-store/http-errors';
import { Int64Field, Operation } from '@animal-store/openapi';
import { AsSent } from '@animal-store/web';
import { TestApp } from '../support/test-app.js';

/* The DTOs as the documentation of Nest, class-validator and class-transformer writes them. */

class AddressDto {
  @IsString()
  @Length(1, 20)
  city: string;
}

class ToyDto {
  @IsInt()
  @Min(1)
  count: number;

  @Int64Field({ optional: true })
  makerId?: bigint;

  @IsOptional()
  @IsString({ each: true })
  notes?: string[];
}

class CreateCatDto {
  @IsString()
  name: string;

  @IsInt()
  age: number;

  @IsOptional()
  @ValidateNested()
  @Type(() => AddressDto)
  address?: AddressDto;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(3)
  @ValidateNested({ each: true })
  @Type(() => ToyDto)
  toys?: ToyDto[];

  @IsOptional()
  @Type(() => Date)
  @IsDate()
  bornAt?: Date;

  @IsOptional()
  @IsBoolean()
  isTame?: boolean;

  @Expose({ name: 'nick_name' })
  @Transform(({ value }) => (typeof value === 'string' ? value.trim() : (value as unknown)))
  @IsOptional()
  @IsString()
  nickName?: string;

  @Int64Field({ optional: true, each: { maxItems: 2 } })
  ownerIds?: bigint[];
}

abstract class TreatDto {
  @IsString()
  kind: string;
}

class FishDto extends TreatDto {
  @Int64Field()
  seaId: bigint;
}

class FeedCatDto {
  @ValidateNested({ each: true })
  @Type(() => TreatDto, {
    discriminator: { property: 'kind', subTypes: [{ value: FishDto, name: 'fish' }] },
    keepDiscriminatorProperty: true,
  })
  treats: FishDto[];
}

class UpdateCatDto extends PartialType(CreateCatDto) {}

class ListCatsDto {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Max(50)
  limit: number = 10;

  @IsOptional()
  @IsIn(['cat', 'lion'])
  kind?: string;

  @Int64Field({ optional: true, each: { maxItems: 2 } })
  id?: bigint[];
}

class StrayDto {
  @Int64Field()
  id: bigint;
}

class CoatDto {
  @IsString()
  @ApiProperty()
  color: string;
}

const zodCat = z.strictObject({
  id: z.coerce.bigint().min(1n),
  age: z.number().int().max(30),
  toys: z.array(z.object({ makerId: z.coerce.bigint() })).optional(),
});

/** A Standard Schema of its own: no JSON Schema, and issues with nothing but a message. */
const evenSchema = {
  '~standard': {
    version: 1 as const,
    vendor: 'example',
    validate: (value: unknown) =>
      Number(value) % 2 === 0
        ? { value: Number(value) }
        : { issues: [{ message: 'Expected an even number' }] },
  },
};

/** The pipe of Nest's page about pipes. */
class ZodValidationPipe implements PipeTransform {
  constructor(private readonly schema: z.ZodType) {}

  transform(value: unknown, { type }: ArgumentMetadata): unknown {
    if (type !== 'body') return value;
    const { success, data, error } = this.schema.safeParse(value);
    if (!success) throw new BadRequestException({ message: 'Validation failed', errors: error.issues });
    return data;
  }
}

const BodyName = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { body } = context.switchToHttp().getRequest<Request & { body?: { name?: unknown } }>();
  return body?.name;
});

class NameGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<{ body: { name?: string } }>().body.name !== 'Nobody';
  }
}

class AgeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    context.switchToHttp().getRequest<{ body: { age?: number } }>().body.age ??= 7;
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
  return [Object, undefined].includes(value.constructor as never)
    ? all
    : { of: value.constructor.name, ...all };
}

/** As guides write a decorator that measures a method: the function around it has no name. */
function Timed(): MethodDecorator {
  return (_target, _name, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as (...input: unknown[]) => unknown;
    descriptor.value = function (...input: unknown[]) {
      return method.apply(this, input);
    };
  };
}

/** As Nest's pages write a guard of the whole application; a module may provide one. */
class CurfewGuard implements CanActivate {
  static readonly callers: unknown[] = [];

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.path.startsWith('/v1/cats/tagged')) return true;
    CurfewGuard.callers.push(callerOf(request)?.keyId);
    return request.query['curfew'] === undefined;
  }
}

class CatAsleep extends NotFoundException {}

@Catch(CatAsleep)
class CatAsleepFilter implements ExceptionFilter {
  catch(_error: CatAsleep, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(404).json({ asleep: true });
  }
}

const EXCEPTIONS: Record<string, Error> = {
  asleep: new CatAsleep(),
  coded: new NotFoundException('No ship.', { errorCode: 'NO_SUCH_SHIP' }),
  plain: new NotFoundException('No ship.'),
  paid: new HttpException('Pay first', 402),
  teapot: new HttpException('Short and stout', 418),
  slow: new HttpException('at /srv/secret.js', 504),
};

@Controller({ path: 'cats', version: '1' })
class CatsController {
  @Post()
  create(@Body() cat: CreateCatDto): unknown {
    return shown(cat);
  }

  @Post('treats')
  feed(@Body() cat: FeedCatDto): unknown {
    return shown(cat);
  }

  @Post('timed')
  @Timed()
  timed(@Body() cat: CreateCatDto, @Query('kind') kind?: string): unknown {
    return shown([cat, kind]);
  }

  @Post('changes')
  @UseGuards(NameGuard)
  @UseInterceptors(AgeInterceptor)
  update(@Body() cat: UpdateCatDto): unknown {
    return shown(cat);
  }

  @Get()
  findAll(@Query() query: ListCatsDto): unknown {
    return shown(query);
  }

  @Get('pipes/:id')
  pipes(
    @Param('id', ParseIntPipe) id: number,
    @Query('page', new DefaultValuePipe(1), ParseIntPipe) page: number,
    @Query('tame', new DefaultValuePipe(false), ParseBoolPipe) isTame: boolean,
    @Query('ids', new ParseArrayPipe({ items: Number, separator: ',', optional: true })) ids?: number[],
    @Query('kind', new ParseEnumPipe({ cat: 'cat' }, { optional: true })) kind?: string,
    @Query('price') price?: number,
    @Query('old') isOld?: boolean,
    @Query('name') name?: string,
  ): unknown {
    return [id, page, isTame, ids, kind, price, isOld, name];
  }

  @Get('params/:any')
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as Nest's page about controllers has it
  params(@Param() params: any, @Query() query: Record<string, string>): unknown {
    query['seen'] = 'yes';
    return [params, query];
  }

  @Post('strays')
  strays(@Body(new ParseArrayPipe({ items: StrayDto })) strays: StrayDto[]): unknown {
    return shown(strays);
  }

  @Post('zod-pipe')
  @UsePipes(new ZodValidationPipe(z.object({ name: z.string(), age: z.number() })))
  zodPipe(@Body() cat: object): unknown {
    return shown(cat);
  }

  @Post('grouped')
  grouped(
    @Body(new ValidationPipe({ errorFormat: 'grouped', expectedType: CreateCatDto, transform: true }))
    cat: object,
  ): unknown {
    return shown(cat);
  }

  @Post('schema')
  @Operation({ summary: 'Do', description: 'Do it.', response: { created: CoatDto } })
  schema(@Body({ schema: zodCat }) cat: z.infer<typeof zodCat>): unknown {
    return shown(cat);
  }

  @Get('schema')
  schemaQuery(
    @Query({ schema: z.object({ page: z.coerce.number(), id: z.coerce.bigint().optional() }) }) query: object,
  ): unknown {
    return shown(query);
  }

  @Get('schema/:even')
  schemaParam(@Param('even', { schema: evenSchema }) even: number): unknown {
    return shown([even]);
  }

  @Post('documented')
  @ApiBody({ type: CoatDto })
  documented(@Body({ schema: evenSchema }) even: unknown): unknown {
    return shown([even]);
  }

  @Get('throw/:name')
  throw(@Param('name') name: string): never {
    throw EXCEPTIONS[name]!;
  }

  @Get('tagged')
  @Header('ETag', '"rex-7"')
  tagged(@Query('curfew') curfew?: string): unknown {
    return [curfew ?? null];
  }

  @Get('request')
  @Operation({ summary: 'Do', description: 'Do it.', response: { item: CoatDto } })
  request(@Req() { query }: Request): unknown {
    return query;
  }

  @Post('anything')
  anything(@Body(AsSent) body: unknown, @Req() request: Request): unknown {
    return [shown(body), request.body === body];
  }

  @Post('fields')
  @HttpCode(200)
  fields(
    @Body('name') name: string,
    @Body('address') address: AddressDto,
    @BodyName() again: unknown,
  ): unknown {
    return shown([name, address, again]);
  }

  @Post('stray')
  stray(@Body('stray') stray: StrayDto): unknown {
    return shown(stray);
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

  @Post('photo')
  @UseInterceptors(FileInterceptor('photo'))
  photo(
    @UploadedFile(new ParseFilePipe({ validators: [new MaxFileSizeValidator({ maxSize: 10_000_000 })] }))
    photo: { buffer: Buffer },
    @Body() fields: CoatDto,
  ): unknown {
    return [photo.buffer.toString(), shown(fields)];
  }

  @Post('blind')
  blind(): unknown {
    return ['not read'];
  }
}

@Module({
  controllers: [CatsController],
  providers: [
    { provide: APP_GUARD, useClass: CurfewGuard },
    { provide: APP_FILTER, useClass: CatAsleepFilter },
  ],
})
class CatsModule {}

const REX = '"name":"Rex","age":5';
const INT64 = 'must be a whole number from -9223372036854775808 to 9223372036854775807';
const LONG =
  'must be a number from -9007199254740991 to 9007199254740991, as a larger one would lose digits.';
const ZIP = '"address":{"city":"Oslo","zip":1}';

/** A request, and the message of its refusal or what the handler returns. */
const REQUESTS: [string, unknown][] = [
  // DTOs, nested and in lists
  [`POST {${REX}}`, { of: 'CreateCatDto', name: 'Rex', age: 5 }],
  [
    `POST {${REX},"address":{"city":"Oslo"},"toys":[{"count":2,"makerId":9223372036854775807,"notes":["a"]}],` +
      '"bornAt":"2020-02-29T00:00:00Z","isTame":false,"nick_name":" R ","ownerIds":[1,-9223372036854775808]}',
    {
      of: 'CreateCatDto',
      name: 'Rex',
      age: 5,
      address: { of: 'AddressDto', city: 'Oslo' },
      toys: [{ of: 'ToyDto', count: 2, makerId: '9223372036854775807n', notes: ['a'] }],
      bornAt: 'Date 2020-02-29T00:00:00.000Z',
      isTame: false,
      nickName: 'R',
      ownerIds: ['1n', '-9223372036854775808n'],
    },
  ],
  ['POST {"name":"Rex","age":9007199254740993}', `age ${LONG}`],
  ['POST {"age":"5"}', 'name must be a string; age must be an integer number.'],
  [
    `POST {${REX},"address":{}}`,
    /^address.city must be longer than or equal to 1 characters; address.city must/,
  ],
  [`POST {${REX},${ZIP}}`, 'address.property zip should not exist.'],
  [`POST {${REX},"address":7}`, 'nested property address must be either object or array.'],
  [`POST {${REX},"toys":[{"count":1},{"count":0}]}`, 'toys.1.count must not be less than 1.'],
  [`POST {${REX},"toys":[{"count":1,"makerId":1.5}]}`, `toys.0.makerId ${INT64}.`],
  [
    `POST {${REX},"toys":[{"count":1,"makerId":"1"}]}`,
    'toys.0.makerId must be a JSON number, without quotes.',
  ],
  [`POST {${REX},"ownerIds":[1,1e19]}`, `each value in ownerIds ${INT64}.`],
  [`POST {${REX},"bornAt":9223372036854775807}`, `bornAt ${LONG}`],
  [
    `POST {${REX},"toys":[{"count":1,"notes":["a","\\udd9c"]}]}`,
    'toys[0].notes[1] must not contain lone surrogates or malformed UTF-8.',
  ],
  [`POST {${REX},"address":{"city":"Oslo","constructor":1}}`, '"constructor" is not a field of address.'],
  ['POST [{"name":"Rex"}]', /./],
  ['POST /changes {"ownerIds":[7]}', { of: 'UpdateCatDto', age: 7, ownerIds: ['7n'] }],
  ['POST /changes {"name":"Nobody"}', 'Forbidden resource'],
  ['POST /changes {"name":', /^The body must be valid JSON/],
  ['GET', { of: 'ListCatsDto', limit: 10 }],
  [
    'GET ?limit=7&kind=lion&id=1&id=9223372036854775807',
    { of: 'ListCatsDto', limit: 7, kind: 'lion', id: ['1n', '9223372036854775807n'] },
  ],
  ['GET ?limit=x', 'limit must be an integer number.'],
  ['GET ?limit=-9007199254740993', `limit ${LONG}`],
  ['GET ?id=x', `each value in id ${INT64}.`],
  ['GET ?nam=Rex', '"nam" is not a parameter here (known: limit, kind, id).'],
  ['GET ?kind=R%00x', 'kind must be one of the following values: cat, lion.'],
  [`POST /timed?kind=lion {${REX}}`, [{ of: 'CreateCatDto', name: 'Rex', age: 5 }, 'lion']],
  ['POST /timed {"age":"5"}', 'name must be a string; age must be an integer number.'],
  [
    'POST /treats {"treats":[{"kind":"fish","seaId":9223372036854775807}]}',
    { of: 'FeedCatDto', treats: [{ of: 'FishDto', kind: 'fish', seaId: '9223372036854775807n' }] },
  ],
  ['POST /treats {"treats":[{"kind":9007199254740993}]}', `treats[0].kind ${LONG}`],
  // pipes
  ['GET /pipes/7', [7, 1, false, null, null, null, null, null]],
  [
    'GET /pipes/7?page=2&tame=true&ids=1,2&kind=cat&price=1.5&old=false&name=5',
    [7, 2, true, [1, 2], 'cat', 1.5, false, '5'],
  ],
  [
    'GET /pipes/7?pages=2',
    '"pages" is not a parameter here (known: page, tame, ids, kind, price, old, name).',
  ],
  ['GET /pipes/x', 'id must be a number.'],
  ['GET /pipes/9007199254740993', `id ${LONG}`],
  ['GET /pipes/7?price=9007199254740993', `price ${LONG}`],
  ['GET /pipes/7?price=1e300', [7, 1, false, null, null, 1e300, null, null]],
  ['GET /pipes/7?page=1.5', 'Validation failed (numeric string is expected)'],
  ['GET /pipes/7?kind=dog', 'Validation failed (enum string is expected)'],
  ['GET /pipes/7?price=', 'price must be a number.'],
  ['GET /pipes/7?old=yes', 'old must be true or false.'],
  ['GET /pipes/7?name=%00', 'name must not contain the character U+0000.'],
  ['GET /pipes/7?name=R%ff', 'name must not contain lone surrogates or malformed UTF-8.'],
  ['GET /pipes/7?name=%EF%BF%BD', [7, 1, false, null, null, null, null, '\ufffd']],
  ['GET /pipes/7?name=7%+%zz', [7, 1, false, null, null, null, null, '7% %zz']],
  ['GET /params/7?a=1', [{ any: '7' }, { a: '1', seen: 'yes' }]],
  [
    'POST /strays [{"id":7},{"id":9223372036854775807}]',
    [
      { of: 'StrayDto', id: '7n' },
      { of: 'StrayDto', id: '9223372036854775807n' },
    ],
  ],
  ['POST /strays [{"id":5.5}]', new RegExp(`${INT64}$`)],
  ['POST /zod-pipe {"name":"Rex","age":5,"x":1}', { name: 'Rex', age: 5 }],
  ['POST /zod-pipe {"age":5}', 'Validation failed: name: Invalid input: expected string, received undefined'],
  ['POST /grouped {"age":5,"address":{"city":7}}', /^name must be a string; address.city must be/],
  // schemas
  [
    'POST /schema {"id":9007199254740991,"age":5,"toys":[{"makerId":7}]}',
    { id: '9007199254740991n', age: 5, toys: [{ makerId: '7n' }] },
  ],
  ['POST /schema {"id":0,"age":31}', /^id: Too small: expected bigint to be >=1; age: Too big/],
  ['POST /schema {"id":"x","age":5}', 'id: Invalid input: expected bigint, received string.'],
  ['POST /schema {"id":7,"age":5,"x":1}', 'Unrecognized key: "x".'],
  ['POST /schema {"id":7,"age":5,"toys":[{"makerId":9223372036854775807}]}', `toys[0].makerId ${LONG}`],
  ['POST /schema {"id":7,"age":9007199254740993}', `age ${LONG}`],
  ['POST /schema', /^The body must be valid JSON/],
  ['GET /schema?page=7&id=9223372036854775807', { page: 7, id: '9223372036854775807n' }],
  ['GET /schema?page=x', 'page: Invalid input: expected number, received NaN.'],
  ['GET /schema/8', [8]],
  ['GET /schema/7', 'Expected an even number.'],
  ['POST /documented 8', [8]],
  // the request
  ['GET /request?any=1', { any: '1' }],
  ['POST /anything {"a":1,"b":[1.5,9007199254740993]}', [{ a: 1, b: [1.5, '9007199254740993n'] }, true]],
  [
    'POST /fields {"name":"Rex","address":{"city":"Oslo"}}',
    ['Rex', { of: 'AddressDto', city: 'Oslo' }, 'Rex'],
  ],
  [
    'POST /fields {"name":"\\ud83e","address":{"city":"Oslo"}}',
    'name must not contain lone surrogates or malformed UTF-8.',
  ],
  ['POST /fields {}', 'address is required.'],
  ['POST /stray {"stray":{"id":7}}', { of: 'StrayDto', id: '7n' }],
  ['POST /stray {}', 'stray is required.'],
  ['POST /stray {"stray":7}', 'stray must be a JSON object.'],
  ['POST /name {"name":"Rex"}', ['Rex']],
  ['POST /name', [null]],
  ['POST /name {"name":', /^The body must be valid JSON/],
  ['POST /signed {"a":1}', ['{"a":1}', { a: 1 }]],
  ['POST /blind {"name":', 'The body must be left out, as the operation accepts none.'],
];

describe('A module written with stock Nest', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.startWith(CatsModule);
    key = await store.key();
  });

  afterAll(() => store.stop());

  const send = (method: string, path: string, type = 'application/json') =>
    store.send(method, path, key).set('Content-Type', type);

  it.each(REQUESTS)('%s', async (line, outcome) => {
    const [, method, path = '', sent] = /^(\w+) ?([/?]\S*)? ?(.+)?$/s.exec(line)!;
    const request = send(method!, `/v1/cats${path}`);
    const { status, body } = await (sent === undefined ? request : request.send(sent));
    const isRefusal = typeof outcome === 'string' || outcome instanceof RegExp;

    if (!isRefusal) return expect([status < 300, body]).toEqual([true, outcome]);
    const message: unknown = typeof outcome === 'string' ? outcome : expect.stringMatching(outcome);
    expect(body).toEqual({ code: expect.any(String) as string, message, status });
    expect(status).toBe(message === 'Forbidden resource' ? 403 : 400);
  });

  it.each([
    ['coded', 404, 'NO_SUCH_SHIP', 'No ship.'],
    ['plain', 404, 'not_found', 'No ship.'],
    ['paid', 402, 'payment_required', 'Pay first'],
    ['teapot', 418, 'im_a_teapot', 'Short and stout'],
    ['slow', 504, 'gateway_timeout', 'The service failed to process the request.'],
  ])('sends a thrown exception with its code: %s', async (name, status, code, message) => {
    await send('GET', `/v1/cats/throw/${name}`).expect(status, { code, message, status });
  });

  it('lets a filter of a module send the exception that it names', async () => {
    const { body } = await send('GET', '/v1/cats/throw/asleep').expect(404);
    expect(body).toEqual({ asleep: true });
  });

  it('runs a guard of a module after those of the application: for callers with a key, within their limits', async () => {
    CurfewGuard.callers.length = 0;
    await store.send('GET', '/v1/cats/tagged', null).expect(401);
    expect(CurfewGuard.callers).toHaveLength(0);
    const { headers } = await send('GET', '/v1/cats/tagged?curfew=yes').expect(403);
    expect(CurfewGuard.callers).toEqual([expect.any(String)]);
    expect(headers['ratelimit']).toBeDefined();
  });

  it('sends the ETag that a handler names, and 304 to a caller who has it', async () => {
    const { headers } = await send('GET', '/v1/cats/tagged').expect(200);
    expect(headers['etag']).toBe('"rex-7"');
    await send('GET', '/v1/cats/tagged').set('If-None-Match', '"rex-7"').expect(304);
  });

  it.each([
    ['POST', '/v1/cats', 'validation_failed'],
    ['POST', '/v1/cats/schema', 'validation_failed'],
    ['GET', '/v1/cats?nam=1', 'invalid_parameter'],
    ['GET', '/v1/cats/schema?page=x', 'invalid_parameter'],
    ['GET', '/v1/pets/1?x=1', 'invalid_parameter'],
    ['POST', '/v1/store/orders/1/complete?x=1', 'invalid_parameter'],
  ])('refuses %s %s with the code %s', async (method, path, code) => {
    const request = send(method, path);
    const { status, body } = await (method === 'GET' ? request : request.send('{}'));
    expect([status, body.code]).toEqual([400, code]);
  });

  it('reports a problem of the body before an unknown parameter', async () => {
    expect((await send('POST', '/v1/pets?x=1', 'text/plain').send('Rex')).status).toBe(415);
    expect((await send('POST', '/v1/pets?x=1').send('{')).body.code).toBe('invalid_json');
  });

  it('keeps other content for handlers that read it themselves', async () => {
    const body = async (path: string, sent: string) =>
      (await send('POST', `/v1/cats${path}`, 'text/csv').send(sent)).body as unknown;

    expect(await body('/streamed', 'id\n1')).toEqual([null, 'id\n1']);
    expect(await body('/signed', 'Rex')).toEqual(['Rex', null]);
    expect(await body('/name', 'Rex')).toEqual([null]);
  });

  it('reads uploads with the other fields of their form, within UPLOAD_LIMIT_BYTES', async () => {
    const upload = (photo: Buffer) =>
      store.send('POST', '/v1/cats/photo', key).field('color', 'red').attach('photo', photo, 'rex.jpg');

    expect((await upload(Buffer.from('JPG'))).body).toEqual(['JPG', { of: 'CoatDto', color: 'red' }]);
    expect((await upload(Buffer.alloc(1_048_577))).body.code).toBe('payload_too_large');
    const none = store.send('POST', '/v1/cats/photo', key).field('color', 'red');
    expect((await none).body.message).toBe('File is required');
  });

  it('documents fields by the rules of class-validator, with bounds where a rule names none', async () => {
    const { body } = await store.send('GET', '/openapi.json', null);
    const { paths, components } = body as {
      paths: Record<string, Record<string, { parameters: unknown }>>;
      components: { schemas: Record<string, unknown> };
    };
    const text = { maxLength: 16_384, pattern: '^[^\\x00]*$' };
    const cat = {
      name: { type: 'string', ...text },
      age: { type: 'integer', format: 'int32', minimum: -2_147_483_648, maximum: 2_147_483_647 },
      toys: { type: ['array', 'null'], maxItems: 3, items: { $ref: '#/components/schemas/ToyDto' } },
      bornAt: { type: ['string', 'null'], format: 'date-time', maxLength: 35 },
      isTame: { type: ['boolean', 'null'] },
      nick_name: { type: ['string', 'null'], ...text },
      ownerIds: { type: 'array', maxItems: 2, items: { type: 'integer', format: 'int64' } },
    };
    expect(components.schemas).toMatchObject({
      CreateCatDto: { properties: cat, required: ['name', 'age'], additionalProperties: false },
      UpdateCatDto: { properties: { name: { type: ['string', 'null'] } } },
      AddressDto: {
        properties: { city: { type: 'string', minLength: 1, maxLength: 20 } },
        required: ['city'],
      },
      ToyDto: {
        properties: {
          count: { type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647 },
          notes: { type: ['array', 'null'], maxItems: 16_384, items: { type: 'string', ...text } },
        },
      },
    });
    expect(components.schemas['UpdateCatDto']).not.toHaveProperty('required');
    expect(paths['/cats']!['get']!.parameters).toMatchObject([
      { name: 'id', required: false, schema: { type: 'array', maxItems: 2 } },
      { name: 'limit', required: false, schema: { type: 'integer', format: 'int32', maximum: 50 } },
      { name: 'kind', required: false, schema: { type: 'string', enum: ['cat', 'lion'] } },
    ]);
    expect(store.logLines.join('')).toContain(
      'ToyDto.count has no maximum, so the document says 2147483647: add @Max().',
    );
  });

  it('describes schemas in the OpenAPI document, and no refusal of a query that a handler reads', async () => {
    const { body } = await store.send('GET', '/openapi.json', null);
    const { paths } = body as { paths: Record<string, Record<string, Record<string, unknown>>> };
    const int64 = { type: 'integer', format: 'int64', minimum: 1 };

    expect(paths['/cats/schema']!['post']).toMatchObject({
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: { id: int64, age: { type: 'integer', maximum: 30 } },
              required: ['id', 'age'],
              additionalProperties: false,
            },
          },
        },
      },
    });
    expect(paths['/cats/schema']!['get']!['parameters']).toMatchObject([
      { name: 'page', in: 'query', required: true },
      { name: 'id', in: 'query', required: false, schema: { format: 'int64' } },
    ]);
    expect(paths['/cats/request']!['get']!['responses']).not.toHaveProperty('400');
    expect(paths['/cats/schema']!['post']!['responses']).toHaveProperty('400');
  });

  it('403: refuses a key with scopes where no scope is named, and where nothing is, it is 404', async () => {
    const restricted = await store.key('free', 'zoo', ['pets:read']);
    const { body, headers } = await store.send('GET', '/v1/cats', restricted).expect(403);
    expect(body).toEqual({
      code: 'insufficient_scope',
      message: 'The operation names no scope, so only a key without scopes may call it.',
      status: 403,
    });
    expect(headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
    await store.send('GET', '/v1/unknown', restricted).expect(404);
    await store.send('PUT', '/v1/cats', restricted).expect(405);
    for (const path of ['/v1/pets', '/v1/usage', '/v1/events'])
      await store.send('GET', path, restricted).expect(200);
  });

  it('warns at start of what nothing validates and of what names no scope, each once, and starts', () => {
    const isWarning = (line: string) => line.includes('"warn"') && !line.includes('"OpenAPI"');
    const warnings = store.logLines.filter(isWarning);
    const unscoped = warnings.filter((line) => line.includes(' names no scope'));
    expect(warnings[0]).toContain('@Param() of CatsController.params has no class with rules');
    expect(warnings[1]).toContain('@Query() of CatsController.params has no class with rules');
    expect(warnings).toHaveLength(2 + unscoped.length);
    const routes = store.app.get(RouteTable).routes.filter(({ path }) => path.startsWith('/v1/cats'));
    expect(unscoped).toHaveLength(routes.length);
    expect(unscoped[0]).toContain(
      "POST /v1/cats names no scope, so a key with scopes gets 403: add @RequireScope('cats:write') and define it, or @AnyKey().",
    );
  });
});
