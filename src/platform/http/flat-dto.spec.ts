import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
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
import type { DtoType } from './dto-shape.js';
import { flatReader } from './flat-dto.js';
import { RequestValidationPipe } from './request-validation.pipe.js';
import { IsInt64, FollowsRule, OptionalField } from './validation.js';

/** Always validates with class-validator. */
class LongWayPipe extends RequestValidationPipe {
  protected override readFlat(): null {
    return null;
  }
}

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
  { declared: String, decorators: [Type(() => String), IsString()], initial: 'cat' },
  { declared: String, decorators: [FollowsRule(isShort)] },
  { declared: Number, decorators: [IsInt(), Min(1), Max(9)], initial: 5 },
  { declared: Number, decorators: [IsOptional(), IsPositive()] },
  { declared: Number, decorators: [Type(() => Number), IsNumber()] },
  { declared: Object, decorators: [IsOptional(), IsInt()] },
  { declared: Boolean, decorators: [IsBoolean()] },
  { declared: Boolean, decorators: [IsOptional(), Type(() => Boolean), IsBoolean()] },
  { declared: Object, decorators: [Allow()] },
  { declared: Object, decorators: [IsDefined(), ValidateIf((_, value) => value !== 'cat'), IsInt()] },
];
const INT64_FIELDS: readonly FieldKind[] = [
  { declared: BigInt, decorators: [IsInt64()] },
  { declared: BigInt, decorators: [OptionalField(), IsInt64()], initial: 7n },
  { declared: Object, decorators: [IsInt64()] },
];

function dtoOf(fields: readonly FieldKind[]): DtoType {
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
/** Refused, but accepted by the ValidationPipe of Nest. */
const unstorable = fc.constantFrom('c\0', 'c\ud83e');
const numbers = fc.constantFrom(0, -0, 1, 5, 5.5, 9, 10, -7, 2 ** 53);
const values = fc.oneof(
  texts,
  numbers,
  fc.constantFrom<unknown>(null, true, false, {}, [], ['cat'], [5], 1n << 60n),
);

const FORBIDDEN = ['__proto__', 'constructor'];
/** class-validator searches all classes on each call, so each run makes one class and sends it many requests. */
const RUNS = { numRuns: 60 };

function severalWith(value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>[]> {
  const names = fc.constantFrom('field0', 'field1', 'field2', 'field3');
  const anyName = fc.oneof({ weight: 19, arbitrary: names }, fc.constantFrom('field4', ...FORBIDDEN));
  const sent = fc
    .array(fc.tuple(anyName, value), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries) as Record<string, unknown>);
  return fc.array(sent, { minLength: 20, maxLength: 40 });
}

describe('The fast path to a DTO', () => {
  const short = new RequestValidationPipe();
  const long = new LongWayPipe();

  it.each([
    ['a body', 'body', fc.oneof({ weight: 9, arbitrary: values }, unstorable)],
    ['a query', 'query', fc.oneof(texts, fc.array(texts, { minLength: 2, maxLength: 2 }), unstorable)],
  ] as const)('has the same result as the slow path for %s', async (_, type, value) => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(kinds([...FIELDS, ...INT64_FIELDS]), severalWith(value), async (fields, requests) => {
        const metatype = dtoOf(fields);
        const metadata: ArgumentMetadata = { type, metatype };
        const read = flatReader(metatype, type === 'body' ? 'json' : 'text')!;
        const found: unknown[] = [];
        const expected: unknown[] = [];
        for (const sent of requests) {
          if (read(sent)) taken++;
          found.push(await outcome(short, sent, metadata));
          expected.push(await outcome(long, sent, metadata));
        }
        expect(found).toEqual(expected);
      }),
      RUNS,
    );
    expect(taken).toBeGreaterThan(20);
  });

  it('accepts the same bodies as the ValidationPipe of Nest, with the same result', async () => {
    const nests = new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true });
    const plain = values.filter((value) => typeof value !== 'bigint');
    await fc.assert(
      fc.asyncProperty(kinds(FIELDS), severalWith(plain), async (fields, requests) => {
        const metadata: ArgumentMetadata = { type: 'body', metatype: dtoOf(fields) };
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

  it('is used for a valid value of every kind of field', () => {
    const dto = dtoOf([FIELDS[0]!, FIELDS[5]!, FIELDS[9]!, INT64_FIELDS[0]!]);

    expect(flatReader(dto, 'json')!({ field0: 'Rex', field1: 9, field2: false, field3: 7 })).toEqual({
      field0: 'Rex',
      field1: 9,
      field2: false,
      field3: 7n,
    });
  });

  class Owner {
    @IsString()
    name: string;
  }

  it.each<[string, unknown, PropertyDecorator[]]>([
    ['a nested object', Owner, [ValidateNested(), Type(() => Owner)]],
    ['a list', Array, [IsString({ each: true })]],
    ['a rule of each item', Object, [IsNotEmpty({ each: true })]],
    ['a date', Date, [Type(() => Date), IsDate()]],
    ['a value that is transformed', String, [Transform(({ value }) => value as string), IsString()]],
    ['another name', String, [Expose({ name: 'other' }), IsString()]],
    ['a field that is left out', String, [Exclude(), IsString()]],
    ['a rule that has a condition of its own', String, [IsString({ validateIf: () => false })]],
  ])('is not used for %s', (_, declared, decorators) => {
    expect(flatReader(dtoOf([{ declared, decorators }]), 'json')).toBeNull();
  });
});
