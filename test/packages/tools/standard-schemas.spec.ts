import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { jsonSchemaOf } from '../../../libs/openapi/src/standard-schema.js';

const int64 = { type: 'integer', format: 'int64' };

describe('jsonSchemaOf', () => {
  it.each([
    ['valibot', toStandardJsonSchema(v.object({ id: v.bigint(), ids: v.array(v.bigint()), at: v.date() }))],
    ['arktype', type({ id: 'bigint', ids: 'bigint[]', at: 'Date' })],
  ])('says that a bigint of %s is an int64, beside what JSON Schema has no words for', (_, schema) => {
    expect(jsonSchemaOf(schema, { schemaType: 'input' })).toMatchObject({
      schema: {
        type: 'object',
        properties: { id: int64, ids: { type: 'array', items: int64 } },
        required: expect.arrayContaining(['id', 'ids']) as string[],
      },
      components: {},
    });
  });

  it('says nothing of a schema without a JSON Schema', () => {
    expect(jsonSchemaOf(v.string(), { schemaType: 'input' })).toBeUndefined();
  });
});
