import { Body, Controller, Module, Post, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ApiPropertyOptional,
  DocumentBuilder,
  OmitType,
  type OpenAPIObject,
  PartialType,
  SwaggerModule,
} from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, Length, ValidateIf } from 'class-validator';
import fc from 'fast-check';
import { dtoOf, Follows, IsList, ListDto, RequestValidationPipe } from '@animal-store/web';
import { DayField, DecimalField, EnumField, InstantField, Int64Field, TextField } from './fields.js';

const evenLength = (value: unknown) =>
  typeof value === 'string' && value.length % 2 === 0 ? null : 'must have an even length';

class VisitDto {
  @TextField({ minLength: 2, maxLength: 5, pattern: '^[a-z]*$', description: 'A nickname.', example: 'rex' })
  nickname: string;

  @ValidateIf((_, value) => value !== undefined)
  @IsList({ maxItems: 2 })
  @Follows('isEven', evenLength, { each: true })
  @ApiPropertyOptional({ type: 'array', items: { type: 'string', maxLength: 4 }, maxItems: 2 })
  tags?: string[];

  @Int64Field({ minimum: 1n, each: { minItems: 1, maxItems: 2 }, example: [7] })
  petIds: bigint[];

  @Int64Field({ optional: true })
  ownerId?: bigint;

  @EnumField(['cat', 'dog'], { name: 'Kind', optional: true })
  kind?: 'cat' | 'dog';

  @EnumField(['cat', 'dog'], { name: 'Kind', optional: true, nullable: true })
  wanted?: 'cat' | 'dog' | null;

  @EnumField(['cat', 'dog'], { name: 'Kind', optional: true, each: { maxItems: 2 } })
  kinds?: ('cat' | 'dog')[];

  @InstantField({ optional: true })
  startsAt?: string;

  @InstantField({ optional: true, each: { maxItems: 2 } })
  reminders?: string[];

  @DayField({ optional: true, example: '2027-01-31' })
  day?: string;

  @DecimalField({ whole: 3, places: 2, optional: true, description: 'What it cost.' })
  price?: string;

  @DecimalField({ whole: 1, places: 1, optional: true, each: { maxItems: 2 } })
  marks?: string[];

  @InstantField({ nullable: true })
  endsAt: string | null;

  @Int64Field({ optional: true, nullable: true, each: { maxItems: 2 } })
  guestIds?: bigint[] | null;
}

@Controller()
class VisitsController {
  @Post()
  add(@Body() visit: VisitDto): VisitDto {
    return visit;
  }
}

@Module({ controllers: [VisitsController] })
class VisitsModule {}

const REX = { nickname: 'rex', petIds: [7], endsAt: null };

const INT64 = '-9223372036854775808 to 9223372036854775807';
const INSTANT = 'must be a date and time with a zone (RFC 3339), such as 2027-01-31T12:00:00Z.';
const DAY = 'day must be a day that exists, such as 2027-01-31.';
const PRICE =
  'price must be a decimal in text with 1 to 3 digits before the point and 2 after it, such as "1.00".';

const all = (name: string, values: readonly unknown[], outcome?: string): [object, string?][] =>
  values.map((value) => [{ [name]: value }, outcome]);

/** What is sent, beside a valid rest, and the sentence of its refusal. Without one it is the value of the field. */
const BODIES: [object, (string | object)?][] = [
  [{ nickname: 'r' }, 'nickname must be longer than or equal to 2 characters.'],
  [{ nickname: 'rexrex' }, 'nickname must be shorter than or equal to 5 characters.'],
  [{ nickname: '😀'.repeat(6) }, 'nickname must be shorter than or equal to 5 characters.'],
  // U+263A U+FE0F are two characters for JSON Schema and PostgreSQL.
  [{ nickname: '\u263a\ufe0f'.repeat(3) }, 'nickname must be shorter than or equal to 5 characters.'],
  [{ nickname: 'Rex' }, 'nickname must match /^[a-z]*$/u regular expression.'],
  [{ nickname: 7 }, 'nickname must be a string.'],
  [{ nickname: undefined }, 'nickname is required.'],
  [{ nickname: null }, 'nickname must be a string.'],
  [{ tags: ['ab', 'abcd'] }],
  [{ tags: [] }],
  [{ tags: ['a', 'ab'] }, 'each value in tags must have an even length.'],
  [{ tags: ['ab', '\0\0'] }, 'tags[1] must not contain the character U+0000.'],
  [{ tags: ['\ud83eb'] }, 'tags[0] must not contain lone surrogates or malformed UTF-8.'],
  [{ tags: 'ab' }, 'tags must be an array.'],
  [{ tags: ['ab', 'ab', 'ab'] }, 'tags must contain no more than 2 elements.'],
  [{ tags: null }, 'tags must not be null: leave it out.'],
  [{ petIds: [9223372036854775807n, 1] }, { petIds: [9223372036854775807n, 1n] }],
  [{ petIds: [] }, 'petIds must contain at least 1 elements.'],
  [{ petIds: [0] }, 'each value in petIds must be a whole number from 1 to 9223372036854775807.'],
  [{ petIds: [1, '7'] }, 'each value in petIds must be a JSON number, without quotes.'],
  [{ ownerId: -9223372036854775808n }],
  [{ ownerId: 5 }, { ownerId: 5n }],
  [{ ownerId: '7' }, 'ownerId must be a JSON number, without quotes.'],
  ...all(
    'ownerId',
    [5.5, NaN, 2 ** 53, 1e19, 9223372036854775808n, true, {}, [7]],
    `ownerId must be a whole number from ${INT64}.`,
  ),
  [{ kind: 'dog' }],
  [{ kind: 'cow' }, 'kind must be one of cat, dog.'],
  [{ kind: null }, 'kind must not be null: leave it out.'],
  [{ kinds: ['cat', 'dog'] }],
  [{ kinds: ['cow'] }, 'each value in kinds must be one of cat, dog.'],
  [{ wanted: null }],
  [{ wanted: 'cow' }, 'wanted must be one of cat, dog.'],
  [{ endsAt: undefined }, 'endsAt is required.'],
  [{ guestIds: null }],
  [{ guestIds: [null] }, `each value in guestIds must be a whole number from ${INT64}.`],
  ...all('startsAt', [
    '2027-01-31T12:00:00Z',
    '2027-01-31T12:00:00.123456789+05:30',
    '2027-01-31t12:00:00z',
    '2028-02-29T23:59:59-00:00',
    '0050-02-28T12:00:00Z',
  ]),
  ...all(
    'startsAt',
    [
      ...['2027-01-31T12:00:00', '2027-01-31', '2027-02-30T12:00:00Z', '2027-02-29T12:00:00Z'],
      ...['2027-01-31T24:00:00Z', '2027-01-31T12:00:60Z', '2027-01-31T12:00:00+99:99', 'Jan 5', '', 5, true],
    ],
    `startsAt ${INSTANT}`,
  ),
  [{ reminders: ['2027-01-31T12:00:00Z', 'soon'] }, `each value in reminders ${INSTANT}`],
  ...all('day', ['0001-01-01', '0050-02-28', '0096-02-29', '2028-02-29', '9999-12-31']),
  ...all(
    'day',
    [
      ...['2027-02-29', '2027-02-30', '2027-13-01', '2027-1-31', '2027-W04-6'],
      ...['2027-01-31T12:00:00Z', '', 20270131],
    ],
    DAY,
  ),
  ...all('price', ['147.50', '0.00']),
  ...all('price', ['147.5', '147.500', '147', '0147.50', '-1.00', '1000.00', '1e2', '', 147.5], PRICE),
  [
    { marks: ['5.0', '5'] },
    'each value in marks must be a decimal in text with 1 digit before the point and 1 after it, such as "1.0".',
  ],
  [{ day: '', kind: 'cow' }, `kind must be one of cat, dog; ${DAY}`],
];

class SearchDto extends ListDto {
  @Int64Field({ optional: true })
  id?: bigint;

  @EnumField(['cat', 'dog'], { name: 'Kind', optional: true, each: { maxItems: 2 } })
  kinds?: string[];
}

const QUERIES: [object, string | object][] = [
  [{}, {}],
  [
    { limit: '7', cursor: 'x', id: '9223372036854775807' },
    { limit: 7, cursor: 'x', id: 9223372036854775807n },
  ],
  [{ kinds: 'cat' }, { kinds: ['cat'] }],
  [{ kinds: ['cat', 'dog'] }, { kinds: ['cat', 'dog'] }],
  [{ id: '5.0' }, `id must be a whole number from ${INT64}.`],
  [{ id: '' }, `id must be a whole number from ${INT64}.`],
  [{ limit: ['1', '2'] }, 'limit must be given once.'],
  [{ cursor: 'a\0' }, 'cursor must not contain the character U+0000.'],
  [{ nam: 'Rex' }, '"nam" is not a parameter here (known: id, kinds, limit, cursor).'],
];

type Read = (sent: object) => Promise<unknown>;

function reader(pipe: ValidationPipe, type: 'body' | 'query', metatype: new () => object): Read {
  return async (sent) => {
    try {
      return { ...((await pipe.transform(structuredClone(sent), { type, metatype })) as object) };
    } catch (error) {
      return (error as Error).message;
    }
  };
}

describe('The decorators of fields', () => {
  const pipe = new RequestValidationPipe();
  const nests = new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    exceptionFactory: (errors) =>
      new Error(`${errors.flatMap(({ constraints }) => Object.values(constraints!)).join('; ')}.`),
  });
  const read = reader(pipe, 'body', VisitDto);
  const nest = reader(nests, 'body', VisitDto);

  it.each(BODIES)('read %j', async (sent, outcome = sent) => {
    const valid = { ...REX, petIds: [7n], ...sent, ...(outcome as object) };
    const expected = typeof outcome === 'string' ? outcome : valid;
    expect(await read({ ...REX, ...sent })).toEqual(expected);
    // What no database stores is refused by the pipe alone, which also knows what may be left out.
    const isOwn = typeof outcome === 'string' && /U\+0000|surrogates|leave it out/.test(outcome);
    if (!isOwn) expect(await nest({ ...REX, ...sent })).toEqual(expected);
  });

  it.each(QUERIES)('read the query %j', async (sent, outcome) => {
    const expected = typeof outcome === 'string' ? outcome : { limit: 20, ...outcome };
    expect(await reader(pipe, 'query', SearchDto)(sent)).toEqual(expected);
  });

  it('accept what class-validator accepts by them', async () => {
    const value = fc.oneof(
      fc.constantFrom<unknown>(null, undefined, 'rex', '', '1.00', 0, -0, 7, 5.5, 2 ** 53, 1n, true, {}, []),
      fc.array(fc.constantFrom<unknown>(null, 'ab', 'cat', 7, 1n, '5.0'), { maxLength: 3 }),
    );
    const names = [...dtoOf(VisitDto).fields.keys()];
    const sent = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(sent, async (fields) => {
        const [own, nests] = [await read({ ...REX, ...fields }), await nest({ ...REX, ...fields })];
        expect(typeof own === 'string' || own).toEqual(typeof nests === 'string' || nests);
      }),
    );
  });

  it('name every problem once, and five unknown fields', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`x${index}`, 1]));
    const message = (await read({ nickname: 'r', ...unknown })) as string;
    expect(message.split('; ').map((line) => line.replace(/ \(known: .*\)/, ''))).toEqual([
      'nickname must be longer than or equal to 2 characters',
      'petIds is required',
      'endsAt is required',
      ...['"x0"', '"x1"', '"x2"', '"x3"'].map((name) => `${name} is not a field here`),
      '"x4" is not a field here.',
    ]);
    expect(await read(JSON.parse('{"__proto__":1}') as object)).toContain('"__proto__" is not a field here');
    expect(await read([])).toBe('the body must be a JSON object.');
  });

  it('work in classes that helpers of Nest make of them', async () => {
    class ChangeDto extends PartialType(OmitType(VisitDto, ['tags'] as const), {
      skipNullProperties: false,
    }) {}
    class LooseDto extends PartialType(VisitDto) {}
    const change = reader(pipe, 'body', ChangeDto);
    expect([dtoOf(ChangeDto).isFlat, dtoOf(LooseDto).isFlat]).toEqual([true, true]);
    expect(await change({})).toEqual({});
    expect(await change({ ownerId: 5 })).toEqual({ ownerId: 5n });
    expect(await change({ nickname: null })).toBe('nickname must not be null: leave it out.');
    expect(await change({ tags: [] })).toContain('"tags" is not a field here');
    expect(await reader(pipe, 'body', LooseDto)({ nickname: null })).toEqual({ nickname: null });
  });

  it.each<[string, PropertyDecorator[], object, unknown]>([
    ['another rule', [Length(3)], { name: 'ab' }, 'name must be longer than or equal to 3 characters.'],
    ['a transformation', [Transform(({ value }) => String(value).trim())], { name: ' ab ' }, { name: 'ab' }],
    ['a condition', [IsOptional()], { name: null }, { name: null }],
  ])('respect %s beside them', async (_, decorators, sent, outcome) => {
    class NamedDto {
      @TextField({ maxLength: 5 })
      name: string;
    }
    for (const decorate of decorators) decorate(NamedDto.prototype, 'name');
    expect(await reader(pipe, 'body', NamedDto)(sent)).toEqual(outcome);
  });

  it.each([
    ['whole', 0],
    ['whole', 2.5],
    ['places', 0],
    ['places', NaN],
  ])('refuse a decimal whose "%s" is %d', (name, digits) => {
    expect(() => DecimalField({ whole: 3, places: 2, [name]: digits })).toThrow(
      new RangeError(`The "${name}" of @DecimalField() must be a whole number of at least 1, not ${digits}.`),
    );
  });

  it('say the same in the document', async () => {
    const app = await NestFactory.create(VisitsModule, { logger: false });
    const document: OpenAPIObject = SwaggerModule.createDocument(
      app,
      new DocumentBuilder().setOpenAPIVersion('3.1.1').build(),
    );
    await app.close();
    const plain = JSON.parse(
      JSON.stringify(document.components!.schemas, (_, value: unknown) =>
        typeof value === 'bigint' ? `${value}` : value,
      ),
    ) as Record<string, { properties: object; required: string[] }>;

    const kind = { $ref: '#/components/schemas/Kind' };
    const int64 = { type: 'integer', format: 'int64' };
    const instant = { type: 'string', format: 'date-time', maxLength: 35 };
    expect(plain['Kind']).toEqual({ type: 'string', enum: ['cat', 'dog'] });
    expect(plain['VisitDto']!.required).toEqual(['nickname', 'petIds', 'endsAt']);
    expect(plain['VisitDto']!.properties).toEqual({
      nickname: {
        type: 'string',
        minLength: 2,
        maxLength: 5,
        pattern: '^[a-z]*$',
        description: 'A nickname.',
        example: 'rex',
      },
      tags: { type: 'array', items: { type: 'string', maxLength: 4 }, maxItems: 2 },
      petIds: { type: 'array', items: { ...int64, minimum: '1' }, minItems: 1, maxItems: 2, example: [7] },
      ownerId: int64,
      kind: { allOf: [kind] },
      wanted: { anyOf: [kind, { type: 'null' }] },
      kinds: { type: 'array', items: kind, maxItems: 2 },
      startsAt: instant,
      reminders: { type: 'array', items: instant, maxItems: 2 },
      day: { type: 'string', format: 'date', maxLength: 10, example: '2027-01-31' },
      price: {
        type: 'string',
        pattern: '^(0|[1-9]\\d{0,2})\\.\\d{2}$',
        maxLength: 6,
        example: '1.00',
        description: 'What it cost.',
      },
      marks: {
        type: 'array',
        items: { type: 'string', pattern: '^(0|[1-9]\\d{0,0})\\.\\d{1}$', maxLength: 3, example: '1.0' },
        maxItems: 2,
      },
      endsAt: { ...instant, type: ['string', 'null'] },
      guestIds: { type: ['array', 'null'], items: int64, maxItems: 2 },
    });
  });
});
