import {
  IsIn,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateNested,
  validateSync,
} from 'class-validator';
import fc from 'fast-check';
import { keepsRules } from './kept-rules.js';
import { IsInt64, Keeps, OptionalField } from './validation.js';

class Base {
  @IsInt64()
  id: unknown;
}

class Visit extends Base {
  @Keeps((value) => (typeof value === 'string' && value !== '' ? null : 'must be a text'))
  @IsString()
  name: unknown;

  @OptionalField()
  @IsIn(['cat', 'dog'])
  kind: unknown;

  @IsOptional()
  @Min(1)
  @Max(9)
  age: unknown;
}

class Household {
  @ValidateNested()
  visit = new Visit();
}

class Tags {
  @IsNotEmpty({ each: true })
  tags = ['small'];
}

class Anything {
  name = 'Rex';
}

describe('keepsRules', () => {
  const options = { forbidUnknownValues: false };

  it('agrees with class-validator about every object', () => {
    const value = fc.constantFrom<unknown>(
      undefined,
      null,
      '',
      'Rex',
      'cat',
      0,
      1,
      9,
      10,
      NaN,
      7n,
      1n << 70n,
      {},
    );
    fc.assert(
      fc.property(fc.record({ id: value, name: value, kind: value, age: value }), (fields) => {
        const visit = Object.assign(new Visit(), fields);
        expect(keepsRules(visit)).toBe(validateSync(visit, options).length === 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is certain of a class without rules', () => {
    expect(keepsRules(new Anything())).toBe(true);
  });

  it('leaves rules about what is inside a field to class-validator', () => {
    expect(keepsRules(new Household())).toBe(false);
    expect(keepsRules(new Tags())).toBe(false);
    expect(validateSync(new Tags(), options)).toEqual([]);
  });
});
