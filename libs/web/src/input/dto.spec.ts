import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsOptional,
  IsString,
  MaxLength,
  Validate,
  ValidateIf,
  ValidateNested,
  ValidatePromise,
  ValidatorConstraint,
} from 'class-validator';
import { accepts, dtoOf, isDtoType, longNumber } from './dto.js';
import { Follows, IsInt64, IsList, TEXT } from './rules.js';

@ValidatorConstraint({ async: true })
class IsKnown {
  validate(): boolean {
    return true;
  }
}

class AddressDto {
  @IsString()
  city: string;
}

const trim = ({ value }: { value: unknown }) => value;
const split = ({ value }: { value: unknown }) => value;
const other = ({ value }: { value: unknown }) => value;

class PetDto {
  @IsString()
  @MaxLength(5)
  @Transform(trim)
  @Transform(split, { groups: [TEXT] })
  @Transform(other, { groups: ['other'] })
  name: string;

  @IsOptional()
  @IsInt64()
  id?: bigint;

  @IsOptional()
  @Type(() => Number)
  @Allow()
  age?: number;

  @IsArray()
  @ArrayMaxSize(3)
  toys: string[];

  @IsOptional()
  @ArrayMinSize(1)
  parts?: string[];

  @IsString({ each: true })
  @IsOptional()
  notes?: string[];

  @IsList({ maxItems: 2 })
  tags: string[];

  @Follows('isUnarrayed', () => null)
  row: string;

  @ValidateIf(({ kind }: PetDto) => kind !== null)
  @ValidateIf((_, value) => value !== undefined)
  @IsString()
  kind?: string | null;
}

class ShelfDto {
  @IsOptional()
  @ValidateNested()
  @Type(() => AddressDto)
  nested?: AddressDto;

  @IsOptional()
  @Type(() => AddressDto)
  typed?: AddressDto;

  @ValidateNested()
  untyped: object;

  @ValidateNested()
  @Type((read) => (read!.object['isFar'] ? AddressDto : PetDto))
  decided: object;

  @ValidateNested()
  @Type(() => Date)
  at: Date;
}

describe('What is read of a class', () => {
  const field = (name: string, type: new () => object = PetDto) => dtoOf(type).fields.get(name)!;

  it('are its fields, in the order of their declaration', () => {
    const { fields, inOrder } = dtoOf(PetDto);
    const names = ['name', 'id', 'age', 'toys', 'parts', 'notes', 'tags', 'row', 'kind'];
    expect([...fields.keys()]).toEqual(names);
    expect(inOrder).toEqual([...fields.values()]);
  });

  it('are its transformations: those of no group for JSON, and those of text for a query', () => {
    expect(field('name').transform).toEqual({ json: [trim], text: [trim, split] });
  });

  it('is which fields are lists', () => {
    const names = dtoOf(PetDto)
      .inOrder.filter(({ isList }) => isList)
      .map(({ name }) => name);
    expect(names).toEqual(['toys', 'parts', 'notes', 'tags']);
  });

  it('is how many items a list may have', () => {
    const most = dtoOf(PetDto).inOrder.map(({ maxItems }) => maxItems);
    expect(most).toEqual([undefined, undefined, undefined, 3, undefined, undefined, 2, undefined, undefined]);
  });

  it('is which field is an int64', () => {
    expect(['id', 'name', 'age'].map((name) => field(name).isInt64)).toEqual([true, false, false]);
  });

  it('is what a field may be without a check', () => {
    expect([accepts(undefined, field('kind')), accepts(null, field('kind'))]).toEqual([true, true]);
    expect([accepts(undefined, field('name')), accepts(null, field('name'))]).toEqual([false, false]);
    expect([accepts(undefined, field('id')), accepts(null, field('id'))]).toEqual([true, true]);
  });

  it('is what @Type() makes of a value, of each in a list', () => {
    const { convert } = field('age');
    expect(['5', null, undefined, ['5', null]].map((value) => convert!(value))).toEqual([
      5,
      null,
      undefined,
      [5, null],
    ]);
  });

  it('is the class in a field that @Type() names for all objects, and whose rules are checked', () => {
    expect(field('nested', ShelfDto).nested).toBe(AddressDto);
  });

  it.each(['typed', 'untyped', 'decided', 'at'])('is no class in the field %s', (name) => {
    expect(field(name, ShelfDto).nested).toBeNull();
  });
});

describe('A class', () => {
  class EmptyDto {}

  class ExposedDto {
    @Expose({ name: 'nick_name' })
    @IsString()
    name: string;
  }

  class ExcludedDto {
    @Exclude()
    @IsString()
    name: string;
  }

  @Exclude()
  class HiddenDto {
    @IsString()
    name: string;
  }

  class NestedDto {
    @ValidateNested()
    @IsOptional()
    address?: AddressDto;
  }

  class PromisedDto {
    @ValidatePromise()
    @IsString()
    name: Promise<string>;
  }

  class TypedDto {
    @Type(() => AddressDto)
    @Allow()
    address: object;
  }

  class ConvertedDto {
    @Type(() => Number)
    @Allow()
    age: number;
  }

  class ComputedDto {
    @IsString()
    get name(): string {
      return 'Rex';
    }
  }

  class AsynchronousDto {
    @IsString()
    @Validate(IsKnown)
    name: string;
  }

  it.each<[string, boolean, new () => object]>([
    ['of texts', true, AddressDto],
    ['of a number that @Type() makes', true, ConvertedDto],
    ['without rules', false, EmptyDto],
    ['with @Expose()', false, ExposedDto],
    ['with @Exclude() of a field', false, ExcludedDto],
    ['with @Exclude() of all', false, HiddenDto],
    ['with @ValidateNested()', false, NestedDto],
    ['with a promise', false, PromisedDto],
    ['with a class that @Type() makes', false, TypedDto],
    ['with a getter', false, ComputedDto],
    ['with an asynchronous constraint', false, AsynchronousDto],
  ])('%s is flat: %s', (_, isFlat, type) => {
    expect(dtoOf(type).isFlat).toBe(isFlat);
  });

  it('with rules is one of the application: none of JavaScript, no arrow function, none of nestjs-zod', () => {
    class SchemaDto {
      static readonly isZodDto = true;
    }

    expect([AddressDto, EmptyDto].map(isDtoType)).toEqual([true, true]);
    for (const type of [Object, String, Number, Date, Array, Buffer, SchemaDto, () => null, undefined, {}])
      expect(isDtoType(type)).toBe(false);
  });
});

describe('The path of a number that would lose digits', () => {
  class FarDto {
    @IsInt64()
    id: bigint;

    @Expose({ name: 'owner_id' })
    @IsInt64()
    ownerId: bigint;
  }

  class NearDto {
    @Allow()
    id: number;
  }

  abstract class PlaceDto {
    @IsString()
    kind: string;
  }

  class PlacesDto {
    @ValidateNested()
    @Type((read) => (read!.object['isFar'] ? FarDto : NearDto))
    decided: object;

    @ValidateNested({ each: true })
    @Type(() => PlaceDto, {
      discriminator: {
        property: 'kind',
        subTypes: [
          { value: FarDto, name: 'far' },
          { value: NearDto, name: 'near' },
        ],
      },
    })
    named: object[];

    @ValidateNested()
    @Type(() => FarDto)
    far: object;
  }

  it.each<[unknown, string | null]>([
    [5n, 'all'],
    [5, null],
    [null, null],
    [{ far: { id: 5n } }, null],
    [{ far: { owner_id: 5n } }, null],
    [{ far: { other: 5n } }, 'all.far.other'],
    [{ decided: { id: 5n }, isFar: true }, null],
    [{ decided: { id: 5n }, isFar: false }, 'all.decided.id'],
    [{ named: [{ kind: 'far', id: 5n }] }, null],
    [
      {
        named: [
          { kind: 'far', id: 5n },
          { kind: 'near', id: 5n },
        ],
      },
      'all.named[1].id',
    ],
    [{ named: [{ kind: 'no', id: 5n }] }, 'all.named[0].id'],
    [{ unknown: [[1, 5n]] }, 'all.unknown[0][1]'],
  ])('in %O is %s', (value, path) => {
    expect(longNumber(value, 'all', () => PlacesDto)).toBe(path);
  });

  it('is the name of a field when the whole has none', () => {
    expect(longNumber({ far: { other: 5n } }, '', () => PlacesDto)).toBe('far.other');
    expect(longNumber({ any: 5n }, '')).toBe('any');
  });
});
