import { z } from 'zod';
import { jsonSchemaOf } from './standard-schema.js';

const int64 = { type: 'integer', format: 'int64' };

describe('jsonSchemaOf', () => {
  it('says that a bigint is an int64', () => {
    const schema = z.object({ id: z.bigint(), ids: z.array(z.bigint()), name: z.string() });
    expect(jsonSchemaOf(schema, { schemaType: 'input' })).toMatchObject({
      schema: {
        type: 'object',
        properties: { id: int64, ids: { type: 'array', items: int64 }, name: { type: 'string' } },
        required: expect.arrayContaining(['id', 'ids', 'name']) as string[],
      },
      components: {},
    });
  });

  it('has the bounds that the schema knows', () => {
    expect(jsonSchemaOf(z.bigint().min(1n), { schemaType: 'input' })?.schema).toMatchObject({
      ...int64,
      minimum: 1n,
    });
  });

  it('describes the rest of a schema with a part that JSON Schema has no words for', () => {
    const schema = z.object({ at: z.date(), name: z.string() });
    expect(jsonSchemaOf(schema, { schemaType: 'input' })?.schema).toMatchObject({
      properties: { name: { type: 'string' } },
    });
  });

  it('says nothing of a schema without a JSON Schema', () => {
    const validate = (value: unknown) => ({ value });
    const schema = { '~standard': { version: 1 as const, vendor: 'none', validate } };
    expect(jsonSchemaOf(schema, { schemaType: 'input' })).toBeUndefined();
  });
});
