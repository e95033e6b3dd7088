import type { HttpException } from '@nestjs/common';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { SchemaPipe } from './schema.pipe.js';

const LARGEST = 2n ** 63n - 1n;

describe.each([
  ['zod', z.object({ id: z.bigint(), age: z.number().max(30).optional() })],
  ['valibot', v.object({ id: v.bigint(), age: v.optional(v.pipe(v.number(), v.maxValue(30))) })],
  ['arktype', type({ id: 'bigint', 'age?': 'number <= 30' })],
])('SchemaPipe with %s', (_, schema) => {
  const read = async (pipe: SchemaPipe, value: unknown): Promise<unknown> => {
    try {
      return await pipe.transform(value, { type: 'body', schema } as never);
    } catch (error) {
      return ((error as HttpException).getResponse() as { message: string[] }).message.join();
    }
  };

  it.each([
    ['a small int64', { id: 7 }, { id: 7n }],
    ['a large int64', { id: LARGEST, age: 5 }, { id: LARGEST, age: 5 }],
    [
      'a number with too many digits',
      { id: 7, age: 9_007_199_254_740_993n },
      expect.stringMatching(/^age: /),
    ],
    ['a text in place of a number', { id: '7' }, expect.stringMatching(/^id: .*bigint/)],
    ['a fraction', { id: 7.5 }, expect.stringMatching(/^id: .*bigint/)],
    ['nothing', {}, expect.stringMatching(/^id: /)],
  ])('reads %s from JSON', async (__, sent, expected) => {
    expect(await read(new SchemaPipe(false), sent)).toEqual(expected);
  });

  it('reads an int64 from text, and leaves the text as it is', async () => {
    const sent = Object.freeze({ id: `${LARGEST}` });

    expect(await read(new SchemaPipe(true), sent)).toEqual({ id: LARGEST });
    expect(sent).toEqual({ id: `${LARGEST}` });
  });
});
