import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { dtoOf, RequestValidationPipe } from '@animal-store/web';
import { DayField, DecimalField, EnumField, InstantField, Int64Field, TextField } from './fields.js';

const evenLength = (value: unknown) =>
  typeof value === 'string' && value.length % 2 === 0 ? null : 'must have an even length';

class VisitDto {
  @TextField({ minLength: 2, maxLength: 5, pattern: '^[a-z]*$', description: 'A nickname.', example: 'rex' })
  nickname: string;

  @TextField({ rule: evenLength, maxLength: 4, optional: true, each: { maxItems: 2 } })
  tags?: string[];

  @Int64Field({ minimum: 1n, each: { minItems: 1, maxItems: 2 }, example: [7] })
  petIds: bigint[];

  @EnumField(['cat', 'dog'], { name: 'Kind', optional: true })
  kind?: 'cat' | 'dog';

  @EnumField(['cat', 'dog'], { name: 'Kind', optional: true, nullable: true })
  wanted?: 'cat' | 'dog' | null;

  @EnumField(['cat', 'dog'], { name: 'Kind', optional: true, each: { maxItems: 2 } })
  kinds?: ('cat' | 'dog')[];

  @InstantField({ optional: true })
  startsAt?: string;

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

describe('The decorators of fields', () => {
  const pipe = new RequestValidationPipe();

  function read(sent: object): unknown {
    try {
      return { ...(pipe.transform(sent, { type: 'body', metatype: VisitDto }) as object) };
    } catch (error) {
      return (error as Error).message;
    }
  }

  it('accept what they say', () => {
    expect(dtoOf(VisitDto).isFlat).toBe(true);
    expect(read(REX)).toEqual({ nickname: 'rex', petIds: [7n], endsAt: null });
    const all = {
      ...REX,
      tags: ['ab', 'abcd'],
      kind: 'dog',
      kinds: ['cat', 'dog'],
      startsAt: '2027-01-31T12:00:00Z',
      day: '2028-02-29',
      price: '147.50',
      marks: ['0.0', '9.5'],
    };
    expect(read(all)).toEqual({ ...all, petIds: [7n] });
    const removed = { ...REX, wanted: null, guestIds: null };
    expect(read(removed)).toEqual({ ...removed, petIds: [7n] });
  });

  it.each(['0001-01-01', '0050-02-28', '0096-02-29', '9999-12-31'])('accept the day %s', (day) => {
    expect(read({ ...REX, day })).toEqual({ ...REX, petIds: [7n], day });
  });

  it.each([
    [{ whole: 0, places: 2 }, 'The "whole" of @DecimalField() must be a whole number of at least 1, not 0.'],
    [
      { whole: 2.5, places: 2 },
      'The "whole" of @DecimalField() must be a whole number of at least 1, not 2.5.',
    ],
    [{ whole: 3, places: 0 }, 'The "places" of @DecimalField() must be a whole number of at least 1, not 0.'],
    [
      { whole: 3, places: NaN },
      'The "places" of @DecimalField() must be a whole number of at least 1, not NaN.',
    ],
  ])('refuse a decimal of %j', (facts, message) => {
    expect(() => DecimalField(facts)).toThrow(new RangeError(message));
  });

  it.each<[object, string]>([
    [{ nickname: 'r' }, 'nickname must be longer than or equal to 2 characters.'],
    [{ nickname: 'Rex' }, 'nickname must match /^[a-z]*$/u regular expression.'],
    [{ tags: ['a', 'ab'] }, 'each value in tags must have an even length.'],
    [{ tags: 'ab' }, 'tags must be an array.'],
    [{ tags: ['ab', 'ab', 'ab'] }, 'tags must contain no more than 2 elements.'],
    [{ petIds: [] }, 'petIds must contain at least 1 elements.'],
    [{ petIds: [0] }, 'each value in petIds must be a whole number from 1 to 9223372036854775807.'],
    [{ kind: 'cow' }, 'kind must be one of cat, dog.'],
    [{ kind: null }, 'kind must not be null: leave it out.'],
    [{ endsAt: undefined }, 'endsAt is required.'],
    [{ wanted: 'cow' }, 'wanted must be one of cat, dog.'],
    [
      { guestIds: [null] },
      'each value in guestIds must be a whole number from -9223372036854775808 to 9223372036854775807.',
    ],
    [{ tags: null }, 'tags must not be null: leave it out.'],
    [{ kinds: ['cow'] }, 'each value in kinds must be one of cat, dog.'],
    [
      { startsAt: '2027-01-31' },
      'startsAt must be a date and time with a zone (RFC 3339), such as 2027-01-31T12:00:00Z.',
    ],
    ...[
      '2027-02-29',
      '2027-02-30',
      '2027-13-01',
      '2027-1-31',
      '2027-W04-6',
      '2027-01-31T12:00:00Z',
      '',
      20270131,
    ].map((day): [object, string] => [{ day }, 'day must be a day that exists, such as 2027-01-31.']),
    ...['147.5', '147.500', '147', '0147.50', '-1.00', '1000.00', '1e2', '', 147.5].map(
      (price): [object, string] => [
        { price },
        'price must be a decimal in text with 1 to 3 digits before the point and 2 after it, such as "1.00".',
      ],
    ),
    [
      { marks: ['5.0', '5'] },
      'each value in marks must be a decimal in text with 1 digit before the point and 1 after it, such as "1.0".',
    ],
  ])('refuse %j', (sent, message) => {
    expect(read({ ...REX, ...sent })).toBe(message);
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
      petIds: {
        type: 'array',
        items: { type: 'integer', format: 'int64', minimum: '1', maximum: '9223372036854775807' },
        minItems: 1,
        maxItems: 2,
        example: [7],
      },
      kind: { allOf: [kind] },
      wanted: { anyOf: [kind, { type: 'null' }] },
      kinds: { type: 'array', items: kind, maxItems: 2 },
      startsAt: { type: 'string', format: 'date-time', maxLength: 35 },
      day: { type: 'string', format: 'date', maxLength: 10, example: '2027-01-31' },
      price: {
        type: 'string',
        pattern: '^(0|[1-9]\\d{0,2})\\.\\d{2}$',
        maxLength: 6,
        description: 'What it cost.',
      },
      marks: {
        type: 'array',
        items: { type: 'string', pattern: '^(0|[1-9]\\d{0,0})\\.\\d{1}$', maxLength: 3 },
        maxItems: 2,
      },
      endsAt: { type: ['string', 'null'], format: 'date-time', maxLength: 35 },
      guestIds: {
        type: ['array', 'null'],
        items: {
          type: 'integer',
          format: 'int64',
          minimum: '-9223372036854775808',
          maximum: '9223372036854775807',
        },
        maxItems: 2,
      },
    });
  });
});
