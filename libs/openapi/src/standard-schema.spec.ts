import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { jsonSchemaOf } from './standard-schema.js';

const int64 = { type: 'integer', format: 'int64', minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n };

describe('jsonSchemaOf', () => {
  it.each([
    ['zod', z.object({ id: z.bigint(), ids: z.array(z.bigint()), name: z.string() })],
    [
      'valibot',
      toStandardJsonSchema(v.object({ id: v.bigint(), ids: v.array(v.bigint()), name: v.string() })),
    ],
    ['arktype', type({ id: 'bigint', ids: 'bigint[]', name: 'string' })],
  ])('says that a bigint of %s is an int64', (_, schema) => {
    expect(jsonSchemaOf(schema, { schemaType: 'input' })).toMatchObject({
      schema: {
        type: 'object',
        properties: { id: int64, ids: { type: 'array', items: int64 }, name: { type: 'string' } },
        required: expect.arrayContaining(['id', 'ids', 'name']) as string[],
      },
      components: {},
    });
  });

  it('keeps the bounds that zod knows', () => {
    expect(jsonSchemaOf(z.bigint().min(1n), { schemaType: 'input' })?.schema).toMatchObject({
      ...int64,
      minimum: 1n,
    });
  });

  it.each([
    ['zod', z.object({ at: z.date(), name: z.string() })],
    ['valibot', toStandardJsonSchema(v.object({ at: v.date(), name: v.string() }))],
    ['arktype', type({ at: 'Date', name: 'string' })],
  ])('describes the rest of a schema of %s with a part that JSON Schema has no words for', (_, schema) => {
    expect(jsonSchemaOf(schema, { schemaType: 'input' })?.schema).toMatchObject({
      properties: { name: { type: 'string' } },
    });
  });

  it('says nothing of a schema without a JSON Schema', () => {
    expect(jsonSchemaOf(v.string(), { schemaType: 'input' })).toBeUndefined();
  });
});
