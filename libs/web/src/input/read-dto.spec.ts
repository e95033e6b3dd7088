import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsDefined,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import fc from 'fast-check';
import { type DtoType, dtoOf } from './dto-fields.js';
import { RequestValidationPipe } from './request-validation.pipe.js';
import { FollowsRule, IsInt64, OptionalField } from './validation.js';

interface FieldKind {
  readonly declared: unknown;
  readonly decorators: readonly PropertyDecorator[];
  readonly initial?: unknown;
}

const isShort = (value: unknown) => (typeof value === 'string' && value.length < 4 ? null : 'must be short');

const FIELDS: readonly FieldKind[] = [
  { declared: String, decorators: [IsString(), MinLength(2)] },
  { declared: String, decorators: [OptionalField(), IsIn(['cat', 'dog'])] },
  { declared: String, decorators: [IsNotEmpty(), Matches(/c|5/)] },
  { declared: String, decorators: [IsString()], initial: 'cat' },
  { declared: String, decorators: [FollowsRule(isShort)] },
  { declared: Number, decorators: [IsInt(), Min(1), Max(9)], initial: 5 },
  { declared: Number, decorators: [IsOptional(), IsPositive()] },
  { declared: Number, decorators: [IsNumber()] },
  { declared: Object, decorators: [IsOptional(), IsInt()] },
  { declared: Boolean, decorators: [IsBoolean()] },
  { declared: Boolean, decorators: [IsOptional(), IsBoolean()] },
  { declared: Array, decorators: [IsArray(), ArrayMaxSize(1), IsString({ each: true })] },
  { declared: Array, decorators: [IsOptional(), IsArray(), IsInt({ each: true })] },
  { declared: Object, decorators: [Allow()] },
  { declared: Object, decorators: [IsDefined(), ValidateIf((_, value) => value !== 'cat'), IsInt()] },
  { declared: String, decorators: [OptionalField(), ValidateIf((_, value) => value !== null), IsString()] },
];
function classOf(fields: readonly FieldKind[]): DtoType {
  class GeneratedDto {
    constructor() {
      fields.forEach(({ initial }, index) => Object.assign(this, { [`field${index}`]: initial }));
    }
  }
  fields.forEach(({ declared, decorators }, index) => {
    Reflect.defineMetadata('design:type', declared, GeneratedDto.prototype, `field${index}`);
    for (const decorate of decorators) decorate(GeneratedDto.prototype, `field${index}`);
  });
  return GeneratedDto;
}

/** The DTO with its class, or the message of the error. */
async function outcome(pipe: ValidationPipe, sent: object, metadata: ArgumentMetadata): Promise<unknown> {
  try {
    const dto = (await pipe.transform(sent, metadata)) as object;
    return [dto.constructor, { ...dto }];
  } catch (error) {
    return (error as Error).message;
  }
}

const kinds = (of: readonly FieldKind[]) => fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 4 });
const texts = fc.constantFrom(
  '',
  'c',
  'cat',
  'dog',
  'true',
  'false',
  '0',
  '5',
  '05',
  '5.5',
  '1e1',
  '-7',
  '9007199254740993',
);
const numbers = fc.constantFrom(0, -0, 1, 5, 5.5, 9, 10, -7, 2 ** 53);
const values = fc.oneof(
  texts,
  numbers,
  fc.constantFrom<unknown>(null, true, false, {}, [], ['cat'], [5], [5, 'cat']),
);

const FORBIDDEN = ['__proto__', 'constructor'];
/** class-validator searches all classes on each call, so each run makes one class and sends it many requests. */
const RUNS = { numRuns: 30 };

function severalWith(value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>[]> {
  const names = fc.constantFrom('field0', 'field1', 'field2', 'field3');
  const anyName = fc.oneof({ weight: 19, arbitrary: names }, fc.constantFrom('field4', ...FORBIDDEN));
  const sent = fc
    .array(fc.tuple(anyName, value), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries) as Record<string, unknown>);
  return fc.array(sent, { minLength: 20, maxLength: 40 });
}

describe('The reader of flat DTOs', () => {
  const short = new RequestValidationPipe();

  it('accepts the same bodies as the ValidationPipe of Nest, with the same result', async () => {
    const nests = new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true });
    await fc.assert(
      fc.asyncProperty(kinds(FIELDS), severalWith(values), async (fields, requests) => {
        const metadata: ArgumentMetadata = { type: 'body', metatype: classOf(fields) };
        const found: unknown[] = [];
        const expected: unknown[] = [];
        // Nest silently drops these names. This service refuses them.
        const asked = requests.filter((sent) => !FORBIDDEN.some((name) => Object.hasOwn(sent, name)));
        for (const sent of asked) {
          const nest = await outcome(nests, structuredClone(sent), metadata);
          expected.push(typeof nest === 'string' ? expect.any(String) : nest);
          found.push(await outcome(short, sent, metadata));
        }
        expect(found).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('names the field with the first message of class-validator', async () => {
    const metatype = classOf([FIELDS[0]!, FIELDS[5]!, FIELDS[11]!]);
    const message = (sent: object) => outcome(short, sent, { type: 'body', metatype });

    expect(await message({ field0: 'R', field1: 12, field2: ['a', 'b'] })).toBe(
      'field0 must be longer than or equal to 2 characters; field1 must not be greater than 9; ' +
        'field2 must contain no more than 1 elements.',
    );
    expect(await message({ field0: 'Rex', field1: '5', field2: [7] })).toBe(
      'field1 must be a JSON number, without quotes; each value in field2 must be a string.',
    );
    expect(await message({ field1: 5, field2: 'a', x: 1 })).toBe(
      'field0 is required; field2 must be an array; "x" is not a field here (known: field0, field1, field2).',
    );
  });

  it.each([
    [{ field0: 'Re\0x' }, 'field0 must not contain the character U+0000.'],
    [{ field0: 'c\ud83e' }, 'field0 must not contain lone surrogates.'],
    [{ field0: 'Rex', field1: { a: ['\0'] } }, 'field1.a[0] must not contain the character U+0000.'],
    [
      { field0: 'Rex', field1: JSON.parse('{"__proto__":{}}') as object },
      '"__proto__" is not a field of field1.',
    ],
  ])('refuses what no rule sees: %j', async (sent, message) => {
    const metatype = classOf([FIELDS[0]!, { declared: Object, decorators: [Allow()] }]);
    expect(await outcome(short, sent, { type: 'body', metatype })).toBe(message);
  });

  class Owner {
    @IsString()
    name: string;
  }

  it.each<[FieldKind, unknown, string]>([
    [{ declared: BigInt, decorators: [IsInt64()] }, '1', 'field0 must be a JSON number, without quotes.'],
    [FIELDS[9]!, 'true', 'field0 must be true or false, without quotes.'],
    [FIELDS[12]!, [5, '6'], 'field0[1] must be a JSON number, without quotes.'],
    [FIELDS[5]!, 12, 'field0 must not be greater than 9.'],
  ])(
    'says the same as the ValidationPipe of a DTO with a nested object: %#',
    async (field, sent, message) => {
      const nested = { declared: Owner, decorators: [IsOptional(), ValidateNested(), Type(() => Owner)] };
      for (const fields of [[field], [field, nested]]) {
        const metatype = classOf(fields);
        expect(dtoOf(metatype).isFlat).toBe(fields.length === 1);
        expect(await outcome(short, { field0: sent }, { type: 'body', metatype })).toBe(message);
      }
    },
  );

  it.each<[string, unknown, PropertyDecorator[]]>([
    ['a nested object', Owner, [ValidateNested(), Type(() => Owner)]],
    ['a date', Date, [Type(() => Date), IsDate()]],
    ['a value that is transformed', String, [Transform(({ value }) => value as string), IsString()]],
    ['another name', String, [Expose({ name: 'other' }), IsString()]],
    ['a field that is left out', String, [Exclude(), IsString()]],
    ['a rule that has a condition of its own', String, [IsString({ validateIf: () => false })]],
  ])('is not used for %s', (_, declared, decorators) => {
    expect(dtoOf(classOf([{ declared, decorators }])).isFlat).toBe(false);
  });
});
