import { type ArgumentMetadata, HttpException, type Type as ClassType, ValidationPipe } from '@nestjs/common';
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
  ValidateNested,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import fc from 'fast-check';
import { z } from 'zod';
import { InvalidParameter, ValidationFailed } from '../responses/request.errors.js';
import { dtoOf } from './dto.js';
import { losesDigits, namesOf, unknownProblem } from './read-dto.js';
import { AsSent, RequestValidationPipe } from './request-validation.pipe.js';
import { IsInt64 } from './rules.js';

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

const IS_LONG =
  'must be a number from -9007199254740991 to 9007199254740991, as a larger one would lose digits.';
const HAS_NUL = 'must not contain the character U+0000.';
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
    [{ x: 1 }, '"x" is not a field here (known: name, age, isTame, toys, bornAt, owner, note).'],
    [{ age: 2n ** 60n }, `age ${IS_LONG}`],
    [{ toys: [1n] }, `toys[0] ${IS_LONG}`],
    [{ note: 'a\0' }, `note ${HAS_NUL}`],
    [{ age: 31.5 }, 'age must be at most 30, not 31.5; age must be an integer number.'],
  ])('with %O says what to do: %s', async (fields, outcome) => {
    expect(await read(own, { ...REX, ...fields }, CatDto)).toEqual(outcome);
  });

  it('names five of its unknown fields, each by its first 64 characters', async () => {
    const sent = { ...REX, ['x'.repeat(100)]: 1 };
    expect(await read(own, sent, CatDto)).toMatch(/^"x{64}" is not a field here/);

    const unknown = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, 1]));
    const problems = ((await read(own, { ...REX, ...unknown }, CatDto)) as string).split('; ');
    expect(problems.map((problem) => problem.slice(0, 3))).toEqual(['"a"', '"b"', '"c"', '"d"', '"e"']);
  });

  it('may have an int64', () => {
    class IdDto {
      @IsInt64()
      id: bigint;
    }

    const body: ArgumentMetadata = { type: 'body', metatype: IdDto };
    expect(own.transform({ id: 2n ** 60n }, body)).toEqual({ id: 2n ** 60n });
  });

  it('says of a parameter that it must be given once, unless it is a list', async () => {
    const query = { ...REX, age: ['1', '2'] };
    expect(await read(own, query, CatDto, 'query')).toBe('age must be given once.');
    expect(await read(own, { ...REX, toys: ['ball', 'bone'] }, CatDto, 'query')).toContain(
      'each value in toys',
    );
  });
});

describe('A value that is no object with fields', () => {
  const body: ArgumentMetadata = { type: 'body', metatype: CatDto };
  const field: ArgumentMetadata = { ...body, data: 'cat' };

  it.each<[string, ArgumentMetadata, unknown, string]>([
    ['no body', body, undefined, 'the body must be a JSON object.'],
    ['null', body, null, 'the body must be a JSON object.'],
    ['a text', body, 'Rex', 'the body must be a JSON object.'],
    ['a list', body, [REX], 'the body must be a JSON object.'],
    ['no field of a body', field, undefined, 'cat is required.'],
    ['a field that is null', field, null, 'cat must be a JSON object.'],
  ])('is refused: %s', (_, metadata, value, message) => {
    expect(() => own.transform(value, metadata) as unknown).toThrow(expect.objectContaining({ message }));
  });
});

describe('A parameter without a class', () => {
  /** As `createZodDto` of nestjs-zod makes it. */
  class SchemaDto {
    static readonly isZodDto = true;
  }

  const zod: ArgumentMetadata = { type: 'body', metatype: SchemaDto };
  const name: ArgumentMetadata = { type: 'query', data: 'name', metatype: String };
  const page: ArgumentMetadata = { type: 'query', data: 'page', metatype: Number };
  const pageId: ArgumentMetadata = { ...page, type: 'param' };
  const age: ArgumentMetadata = { type: 'body', data: 'age', metatype: Number };
  const isTame: ArgumentMetadata = { type: 'query', data: 'isTame', metatype: Boolean };

  it.each<[string, ArgumentMetadata, unknown, unknown]>([
    ['a query of no type', { type: 'query', data: 'name' }, 'Rex', 'Rex'],
    ['long digits of no type', { type: 'query', data: 'name' }, '9007199254740993', '9007199254740993'],
    [
      'a whole query of a type without fields',
      { type: 'query', metatype: Number },
      { page: 'x' },
      { page: 'x' },
    ],
    ['a number', page, '7', 7],
    ['a number in a path', pageId, '007', 7],
    ['a number that is not there', page, undefined, undefined],
    ['a boolean', isTame, 'true', true],
    ['a boolean that is false', isTame, 'false', false],
    ['a text in a body for a number', age, 'seven', 'seven'],
    ['an int64', { type: 'body', data: 'count', metatype: Object }, 5n, 5n],
    ["an application's decorator", { type: 'custom', metatype: CatDto }, { x: 1 }, { x: 1 }],
    ['the same with a schema', { type: 'custom', schema: z.string() }, { x: 1 }, { x: 1 }],
  ])('is what Nest makes of it: %s', async (_, metadata, value, result) => {
    expect(own.transform(value, metadata)).toEqual(result);
    expect(await nests.transform(value, metadata)).toEqual(result);
  });

  it('of nestjs-zod is left to the pipe of that package', () => {
    const sent = { name: 'Rex' };
    expect(own.transform(sent, zod)).toBe(sent);
  });

  const HAS_LONE = 'must not contain lone surrogates or malformed UTF-8.';

  it.each<[string, ArgumentMetadata, unknown, string]>([
    ['an empty number', page, '', 'page must be a number.'],
    ['a word as a number in a path', pageId, 'seven', 'page must be a number.'],
    ['a long number in a path', pageId, '9007199254740993', `page ${IS_LONG}`],
    ['a long number in a body', age, 5n, `age ${IS_LONG}`],
    ['a long number as a body', { type: 'body', metatype: Number }, 5n, `the body ${IS_LONG}`],
    ['a word as a boolean', isTame, 'yes', 'isTame must be true or false.'],
    ['U+0000', name, 'a\0', `name ${HAS_NUL}`],
    ['a lone surrogate', name, '\ud800', `name ${HAS_LONE}`],
    ['U+0000 in a field', zod, { name: 'a\0' }, `name ${HAS_NUL}`],
    ['U+0000 in a field in a list', zod, { cats: [{ name: 'a\0' }] }, `cats[0].name ${HAS_NUL}`],
    ['U+0000 in a name', zod, { 'a\0': 1 }, `a name ${HAS_NUL}`],
    ['a lone surrogate in a name', zod, { '\ud800': 1 }, `a name ${HAS_LONE}`],
    ['a name of JavaScript', zod, { constructor: 1 }, '"constructor" is not a field here.'],
    ['the prototype', zod, JSON.parse('{"__proto__": 1}'), '"__proto__" is not a field here.'],
    ['U+0000 behind another field', zod, { age: 'a', name: 'a\0' }, `name ${HAS_NUL}`],
    ['one in a field', zod, { cat: { constructor: 1 } }, '"constructor" is not a field of cat.'],
  ])('is refused with %s', (_, metadata, value, message) => {
    expect(() => own.transform(value, metadata) as unknown).toThrow(expect.objectContaining({ message }));
  });
});

describe('A whole query without a class', () => {
  const query: ArgumentMetadata = { type: 'query', metatype: Object };
  /** Changes what it gets. */
  const schema = z
    .any()
    .transform((sent: object) => Object.assign(sent, { isRead: true }))
    .pipe(z.object({ page: z.coerce.number(), isRead: z.boolean() }));

  it('is a copy, as what was parsed is shared', () => {
    const sent = { page: '1' };
    const given = own.transform(sent, query) as unknown;
    expect(given).toEqual(sent);
    expect(given).not.toBe(sent);
  });

  it('is what its schema makes of a copy', async () => {
    const sent = { page: '1' };
    expect(await own.transform(sent, { ...query, schema })).toEqual({ page: 1, isRead: true });
    expect(sent).toEqual({ page: '1' });
  });

  it('is refused by its schema, and with U+0000', async () => {
    const refused = (page: string) => own.transform({ page }, { ...query, schema }) as Promise<unknown>;
    await expect(refused('x')).rejects.toThrow(InvalidParameter);
    await expect(refused('1\0')).rejects.toThrow(`page ${HAS_NUL}`);
  });
});

class ShelfDto {
  @IsOptional()
  @ValidateNested()
  @Type(() => CatDto)
  cat?: CatDto;

  @IsInt64()
  id: bigint;
}

describe('A class with another inside', () => {
  it.each<[string, Sent, unknown]>([
    ['body', { id: 2n ** 60n }, { id: 2n ** 60n }],
    ['body', { id: '5' }, 'id must be a JSON number, without quotes.'],
    ['query', { id: '5' }, { id: 5n }],
    ['body', { id: 5, x: 1 }, 'property x should not exist.'],
    ['body', { id: 5, cat: { ...REX, age: 5n } }, `cat.age ${IS_LONG}`],
    ['body', { id: 5, cat: { ...REX, name: 'a\0' } }, `cat.name ${HAS_NUL}`],
  ])('reads of a %s with %O: %O', async (type, sent, outcome) => {
    expect(await read(own, sent, ShelfDto, type)).toEqual(outcome);
  });

  it('gives the handler an instance of each', async () => {
    const shelf = (await read(own, { id: 5, cat: REX }, ShelfDto)) as ShelfDto;
    expect(shelf).toBeInstanceOf(ShelfDto);
    expect(shelf.cat).toBeInstanceOf(CatDto);
  });
});

describe('A refusal', () => {
  it('is validation_failed for a body, and invalid_parameter for a query and a path', () => {
    const reading = (type: ArgumentMetadata['type']) => () =>
      own.transform({}, { type, metatype: CatDto }) as unknown;
    expect(reading('body')).toThrow(ValidationFailed);
    expect(reading('query')).toThrow(InvalidParameter);
    expect(reading('param')).toThrow(InvalidParameter);
  });

  it('of unknown names has five, and what is known', () => {
    expect(namesOf(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('"a", "b", "c", "d", "e"');
    expect(unknownProblem('a', 'parameter', [])).toBe('"a" is not a parameter here (known: none)');
    expect(unknownProblem('a', 'field', ['b', 'c'])).toBe('"a" is not a field here (known: b, c)');
  });

  it('of a number is for one that has other digits than its text', () => {
    const loses = (text: string) => losesDigits(text, Number(text));
    const LONG = '9007199254740993';
    expect([LONG, `-${LONG}`, `+${LONG}`, ` ${LONG}\t`].map(loses)).toEqual([true, true, true, true]);
    expect(['9007199254740991', '1e30', `${LONG}e0`, `${LONG}.0`, 'x', ''].map(loses)).toEqual(
      Array(6).fill(false),
    );
  });
});

describe('A long refusal', () => {
  it('has at most 20 problems', async () => {
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`field${index}`, 1]));
    const message = (await read(own, many, ShelfDto)) as string;
    expect(message.split('; ')).toHaveLength(20);
    expect(message).toMatch(/[^.]\.$/);
  });

  it('has at most 4,000 characters and a full stop', async () => {
    expect(await read(own, { ['x'.repeat(5_000)]: 1 }, ShelfDto)).toHaveLength(4_001);
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

    @IsOptional()
    @IsIn([true], { message: ({ property, value }) => `${property} is not ${String(value)}.` })
    isNew?: boolean;

    @IsOptional()
    @IsIn([true], { message: 'not $value' })
    isOld?: boolean;

    @IsOptional()
    @IsNotEmpty({ message: 'name an author' })
    @IsString()
    author?: string;
  }

  class AuthorDto {
    @IsNotEmpty({ message: 'name an author' })
    @IsString()
    author: string;
  }

  it.each([
    [{}, 'body', 'Please give a title.'],
    [{ title: null }, 'body', 'Please give a title.'],
    [{ title: 'Rex', year: ['1', '2'] }, 'query', 'year is a year.'],
    [{ title: 'Rex', isNew: false }, 'body', 'isNew is not false.'],
    [{ title: 'Rex', isOld: false }, 'body', 'not false.'],
    [{ title: 'Rex', author: '' }, 'body', 'name an author.'],
  ])('is the same for %O in a %s', async (sent, type, message) => {
    expect(await read(own, sent, TitledDto, type)).toBe(message);
  });

  it('stays beside one of a rule, also for what is not there', async () => {
    expect(await read(own, {}, AuthorDto)).toBe('author must be a string; name an author.');
  });
});

describe('What a rule does not say itself', () => {
  @ValidatorConstraint()
  class IsNothing implements ValidatorConstraintInterface {
    validate(): boolean {
      return undefined as never;
    }
  }

  class NightDto {
    @IsOptional()
    @Validate(IsNothing)
    mood?: string;

    @IsOptional()
    @Min(1)
    hours?: number;

    @ValidateIf((_, value) => value !== undefined)
    @IsString()
    dream?: string;

    @IsOptional()
    @Type(() => Number)
    @IsInt()
    sheep?: number;
  }

  it.each([
    [{ mood: 'any' }, 'body', 'mood is not valid.'],
    [{ hours: 'many' }, 'body', 'hours must not be less than 1.'],
    [{ dream: null }, 'body', 'dream must not be null: leave it out.'],
    [{ dream: 7 }, 'body', 'dream must be a string.'],
    [{ sheep: '9007199254740993' }, 'query', expect.stringMatching(/^sheep must be a number from -9007/)],
    [{ wolf: '1' }, 'query', expect.stringMatching(/^"wolf" is not a parameter here/)],
  ])('of %O in a %s is said', async (sent, type, message) => {
    expect(await read(own, sent, NightDto, type)).toEqual(message);
  });
});

describe('A parameter with AsSent', () => {
  it('is what was sent', () => {
    const sent = { any: 'thing' };
    expect(new AsSent().transform(sent)).toBe(sent);
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

  class EachKnownDto {
    @ValidateBy({ name: 'isKnown', validator: isKnown }, { each: true })
    names: string[];
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
    expect(dtoOf(KnownDto).isFlat).toBe(false);
    expect(await read(own, { name: 'Max' }, BrokenDto)).toBe('no register');
    expect(await read(own, { names: ['Rex'] }, EachKnownDto)).toEqual({ names: ['Rex'] });
    expect(await read(own, { names: ['Rex', 'Max'] }, EachKnownDto)).toBe('nobody knows $value.');
    expect(await read(own, { name: 'Rex' }, ThenableDto)).toEqual({ name: 'Rex' });
    expect(await read(own, { name: 'Max' }, ThenableDto)).toBe('nobody knows Max.');
  });
});
