import { HttpException, type Type as ClassType, ValidationPipe } from '@nestjs/common';
import { Exclude, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  useContainer,
  Validate,
  ValidateBy,
  ValidateIf,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import fc from 'fast-check';
import { dtoOf } from './dto.js';
import { RequestValidationPipe } from './request-validation.pipe.js';

@ValidatorConstraint({ name: 'isCalm' })
class IsCalm implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return value !== 'Rex!';
  }

  defaultMessage(): string {
    return '$target.$property must not shout, as $value does';
  }
}

/** As the documentation of class-validator and class-transformer writes it. */
class CatDto {
  @Validate(IsCalm)
  @IsString()
  @Length(1, 5)
  name: string;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(30, { message: '$property must be at most $constraint1, not $value' })
  age: number = 7;

  @IsOptional()
  @IsBoolean()
  isTame?: boolean;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(2)
  @IsIn(['mouse', 'ball'], { each: true })
  toys?: string[];

  @IsOptional()
  @Type(() => Date)
  @IsDate()
  bornAt?: Date;

  @ValidateIf(({ isTame }: CatDto) => isTame !== false)
  @Transform(({ value }) => (typeof value === 'string' ? value.trim() : (value as unknown)))
  @Matches(/^[a-z]+$/)
  owner: string;

  @IsString({ groups: ['any'], validateIf: ({ age }: CatDto) => age > 5 })
  note: string;
}

type Sent = Readonly<Record<string, unknown>>;

const own = new RequestValidationPipe();
const nests = new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true });

async function read(pipe: ValidationPipe, sent: Sent, metatype: ClassType, type = 'body'): Promise<unknown> {
  try {
    return await pipe.transform(structuredClone(sent), { type: type as 'body', metatype });
  } catch (error) {
    if (!(error instanceof HttpException)) return (error as Error).message;
    const { message } = error.getResponse() as { message: string | string[] };
    return Array.isArray(message) ? `${message.join('; ')}.` : message;
  }
}

const REX: Sent = { name: 'Rex', owner: 'ann', note: 'a' };

describe('A flat class of stock decorators', () => {
  it('is read at once, by what class-transformer and class-validator have stored', () => {
    expect(dtoOf(CatDto).isFlat).toBe(true);
    expect(own.transform(REX, { type: 'body', metatype: CatDto })).toEqual({ ...REX, age: 7 });
  });

  it('is what the pipe of Nest makes of it, with the same messages but for the bounds of what is no number', async () => {
    const bounds =
      /age must be at most 30, not [^;]*; age must not be less than 1; (?=age must be an integer)/;
    const value = fc.oneof(
      fc.constantFrom<unknown>('Rex', 'Rex!', 'Maximus', '', ' ann ', '7', '31', 0, 7, 5.5, true, false),
      fc.constantFrom<unknown>('2020-02-29', 'soon', [], {}, ['ball'], ['ball', 'bone'], [7, 7, 7]),
    );
    const names = [...dtoOf(CatDto).fields.keys()];
    const sent = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(sent, async (fields) => {
        const all = { ...REX, ...fields };
        const expected = await read(nests, all, CatDto);
        expect(await read(own, all, CatDto)).toEqual(
          typeof expected === 'string' ? expected.replace(bounds, '') : expected,
        );
      }),
    );
  });

  it.each([
    [{ name: undefined }, 'name is required.'],
    [
      { toys: undefined, isTame: null },
      { ...REX, age: 7, isTame: null },
    ],
    [{ x: 1 }, /^"x" is not a field here \(known: name, age, /],
    [{ age: 2n ** 60n }, /^age must be a number from -9007199254740991 to 9007199254740991/],
    [{ toys: [1n] }, /^toys\[0\] must be a number from/],
    [{ note: 'a\0' }, 'note must not contain the character U+0000.'],
  ])('with %o says what to do in words of its own', async (fields, outcome) => {
    const expected = outcome instanceof RegExp ? (expect.stringMatching(outcome) as unknown) : outcome;
    expect(await read(own, { ...REX, ...fields }, CatDto)).toEqual(expected);
  });

  it('says of a parameter that it must be given once, unless it is a list', async () => {
    const query = { ...REX, age: ['1', '2'] };
    expect(await read(own, query, CatDto, 'query')).toBe('age must be given once.');
    expect(await read(own, { ...REX, toys: ['ball', 'bone'] }, CatDto, 'query')).toContain(
      'each value in toys',
    );
  });
});

describe('What decorators leave to be decided later', () => {
  class Names {
    readonly known = ['Rex'];
  }

  @ValidatorConstraint({ name: 'isKnownName' })
  class IsKnownName implements ValidatorConstraintInterface {
    constructor(private readonly names?: Names) {}

    validate(value: string): boolean {
      return this.names!.known.includes(value);
    }

    defaultMessage(): string {
      return 'nobody knows $value';
    }
  }

  class NamedDto {
    @Validate(IsKnownName)
    name: string;
  }

  class PriceDto {
    @IsBoolean()
    isExact: boolean;

    @Type((read) => (read!.object['isExact'] ? Number : String))
    @Allow()
    price: unknown;
  }

  @Exclude()
  class HiddenDto {
    @IsOptional()
    @IsString()
    note?: string;
  }

  it('a constraint comes from the container that a module sets when it starts', async () => {
    dtoOf(NamedDto);
    const known = new IsKnownName(new Names());
    useContainer(
      { get: (type: unknown) => (type === IsKnownName ? known : null) },
      {
        fallback: true,
      },
    );
    expect(await read(own, { name: 'Rex' }, NamedDto)).toEqual({ name: 'Rex' });
    expect(await read(own, { name: 'Max' }, NamedDto)).toBe('nobody knows Max.');
  });

  it('@Type() may decide by the object', async () => {
    expect(await read(own, { price: '5', isExact: true }, PriceDto)).toEqual({ price: 5, isExact: true });
    expect(await read(own, { price: 5, isExact: false }, PriceDto)).toEqual({ price: '5', isExact: false });
  });

  it('@Exclude() of a class leaves out its fields', async () => {
    expect(await read(own, { note: 'a' }, HiddenDto)).toEqual({});
  });
});

describe('A message of the application', () => {
  class TitledDto {
    @IsNotEmpty({ message: 'Please give a title' })
    title: string;

    @IsOptional()
    @IsInt({ message: '$property is a year' })
    year?: number;
  }

  it.each([
    [{}, 'body', 'Please give a title.'],
    [{ title: null }, 'body', 'Please give a title.'],
    [{ title: 'Rex', year: ['1', '2'] }, 'query', 'year is a year.'],
  ])('is the same for %o in a %s', async (sent, type, message) => {
    expect(await read(own, sent, TitledDto, type)).toBe(message);
  });
});

describe('A constraint that is asynchronous', () => {
  const isKnown = {
    validate: (value: unknown) => Promise.resolve(value === 'Rex'),
    defaultMessage: () => 'nobody knows $value',
  };
  const isBroken = { validate: () => Promise.reject(new Error('no register')) };

  const isThenable = {
    validate: (value: unknown) => ({ then: (done: (is: boolean) => void) => done(value === 'Rex') }) as never,
    defaultMessage: () => 'nobody knows $value',
  };

  class KnownDto {
    @ValidateBy({ name: 'isKnown', validator: isKnown })
    name: string;
  }

  class ThenableDto {
    @ValidateBy({ name: 'isThenable', validator: isThenable })
    name: string;
  }

  class BrokenDto {
    @ValidateBy({ name: 'isBroken', validator: isBroken })
    name: string;
  }

  it.each([1, 2])('is waited for, time %d', async () => {
    expect(await read(own, { name: 'Rex' }, KnownDto)).toEqual({ name: 'Rex' });
    expect(await read(own, { name: 'Max' }, KnownDto)).toBe('nobody knows Max.');
    expect(await read(own, { name: 'Max' }, BrokenDto)).toBe('no register');
    expect(await read(own, { name: 'Rex' }, ThenableDto)).toEqual({ name: 'Rex' });
    expect(await read(own, { name: 'Max' }, ThenableDto)).toBe('nobody knows Max.');
  });
});
