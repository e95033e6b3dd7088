import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Follows, IsInt64, IsList, TEXT } from './rules.js';

class OneDto {
  @IsInt64({ minimum: 1n })
  id: bigint;
}

class ManyDto {
  @IsInt64({ each: true })
  @IsList({ minItems: 1, maxItems: 2 })
  ids: bigint[];
}

class WordsDto {
  @Follows('isQuiet', (word) => (word === 'soft' ? null : `must not be ${String(word)}`), { each: true })
  words: unknown;
}

/** What class-transformer makes of the input, and what class-validator says of it. */
function read(type: new () => object, sent: object, groups: string[] = []) {
  const made = plainToInstance(type, sent, { groups });
  const problems = validateSync(made).flatMap(({ constraints }) => Object.values(constraints!));
  return problems.length > 0 ? problems : { ...made };
}

describe('With class-transformer and class-validator', () => {
  it.each<[unknown, unknown]>([
    [{ id: 1 }, { id: 1n }],
    [{ id: 2n ** 63n - 1n }, { id: 2n ** 63n - 1n }],
    [{ id: 0 }, ['id must be a whole number from 1 to 9223372036854775807']],
    [{ id: 2n ** 63n }, ['id must be a whole number from 1 to 9223372036854775807']],
    [{ id: 1.5 }, ['id must be a whole number from 1 to 9223372036854775807']],
    [{ id: [5] }, ['id must be a whole number from 1 to 9223372036854775807']],
    [{ id: '5' }, ['id must be a JSON number, without quotes']],
    [{}, ['id is required']],
  ])('@IsInt64() makes of the JSON %O: %O', (sent, result) => {
    expect(read(OneDto, sent as object)).toEqual(result);
  });

  it.each<[unknown, unknown]>([
    [{ id: '5' }, { id: 5n }],
    [{ id: 'x' }, ['id must be a whole number from 1 to 9223372036854775807']],
    [{ id: {} }, ['id must be a whole number from 1 to 9223372036854775807']],
    [{}, ['id is required']],
  ])('@IsInt64() makes of the query %O: %O', (sent, result) => {
    expect(read(OneDto, sent as object, [TEXT])).toEqual(result);
  });

  it.each<[unknown, string[], unknown]>([
    [{ ids: [1] }, [], { ids: [1n] }],
    [{ ids: [1, 2] }, [], { ids: [1n, 2n] }],
    [{ ids: [] }, [], ['ids must contain at least 1 elements']],
    [{ ids: [1, 2, 3] }, [], ['ids must contain no more than 2 elements']],
    [{ ids: 'all' }, [], ['ids must be an array']],
    [{ ids: '7' }, [TEXT], { ids: [7n] }],
    [{ ids: ['7', '8'] }, [TEXT], { ids: [7n, 8n] }],
    [
      { ids: [['7']] },
      [TEXT],
      ['each value in ids must be a whole number from -9223372036854775808 to 9223372036854775807'],
    ],
  ])('@IsList() of @IsInt64() makes of %O in the groups %O: %O', (sent, groups, result) => {
    expect(read(ManyDto, sent as object, groups)).toEqual(result);
  });

  it('@Follows() says what is wrong with the first value that is wrong', () => {
    expect(read(WordsDto, { words: ['soft', 'loud', 'shrill'] })).toEqual([
      'each value in words must not be loud',
    ]);
    expect(read(WordsDto, { words: ['soft'] })).toEqual({ words: ['soft'] });
  });

  it('@Follows() of each value leaves what is no list to the rule of the list', () => {
    expect(read(WordsDto, { words: 'loud' })).toEqual({ words: 'loud' });
  });
});
