import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  DocumentBuilder,
  getSchemaPath,
  SwaggerModule,
} from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc, { type Arbitrary } from 'fast-check';
import { type Operation, readApi } from './api-document.js';
import { fuzzRequest } from './fuzz-request.js';
import type { Schema } from './known-schema.js';
import { problemsOf } from './schema-check.js';
import { offJson, validJson } from './schema-values.js';
import { exactJson } from './exact-json.js';

type Raw = Readonly<Record<string, unknown>>;

const INT64 = { type: 'integer', format: 'int64' };
const NAME = { type: 'string', minLength: 1, maxLength: 20 };

/** JSON text of a document whose only operation, `moveHerd`, takes `body` and `parameters`. */
function documentOf(body: Raw, parts: { schemas?: Raw; parameters?: readonly Raw[] } = {}): string {
  const { schemas = {}, parameters = [] } = parts;
  const operation = {
    operationId: 'moveHerd',
    parameters,
    requestBody: { content: { 'application/json': { schema: body } } },
    responses: { 200: { description: 'Moved.' } },
  };
  return JSON.stringify({
    servers: [{ url: '/v1' }],
    paths: { '/herds': { post: operation } },
    components: { schemas },
  });
}

function bodyOf(body: Raw, schemas?: Raw): Schema {
  return readApi(documentOf(body, { schemas }))[0]!.requestBody!;
}

const samplesOf = (values: Arbitrary<string>, numRuns = 300): string[] =>
  fc.sample(values, { numRuns, seed: 7 });

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);

/** Whether another validator accepts a JSON text for the original schema. */
function isValid(body: Raw, json: string): boolean {
  try {
    return ajv.validate(body, JSON.parse(json));
  } catch {
    return false;
  }
}

const objectOf = (properties: Raw, required: readonly string[] = []): Raw => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe('Values of a schema', () => {
  it.each<[string, Raw]>([
    ['text', NAME],
    ['text by a pattern', { type: 'string', pattern: '^[a-z]{2,5}-\\d+$' }],
    ['a date and time', { type: 'string', format: 'date-time' }],
    ['a day', { type: 'string', format: 'date' }],
    ['a UUID', { type: 'string', format: 'uuid' }],
    ['an email address', { type: 'string', format: 'email' }],
    ['a URI', { type: 'string', format: 'uri' }],
    ['a URI reference', { type: 'string', format: 'uri-reference' }],
    ['a whole number', { type: 'integer', minimum: 3, maximum: 9 }],
    ['a whole number with exclusive bounds', { type: 'integer', exclusiveMinimum: -5, exclusiveMaximum: 5 }],
    ['a multiple', { type: 'integer', minimum: -20, maximum: 100, multipleOf: 7 }],
    ['a number', { type: 'number', minimum: 0.5, maximum: 1.5 }],
    ['a number with exclusive bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ['a boolean', { type: 'boolean' }],
    ['a choice in upper case', { type: 'string', enum: ['SOLD', 'Pending', 'open'] }],
    ['a choice that differs only in case', { type: 'string', enum: ['sold', 'SOLD'] }],
    ['a choice among numbers', { type: 'integer', enum: [1, 2, 40] }],
    ['a choice of one', { const: 'herd' }],
    ['text or null', { type: ['string', 'null'], maxLength: 5 }],
    ['a choice or null', { type: ['string', 'null'], enum: ['a', null] }],
    ['one of two types', { oneOf: [{ type: 'boolean' }, { type: 'integer', minimum: 1, maximum: 4 }] }],
    [
      'one of two types that overlap',
      {
        oneOf: [
          { type: 'integer', minimum: 1, maximum: 6 },
          { type: 'integer', minimum: 4, maximum: 9 },
        ],
      },
    ],
    [
      'any of two objects',
      { anyOf: [objectOf({ pasture: NAME }, ['pasture']), objectOf({ stall: NAME }, ['stall'])] },
    ],
    ['a list', { type: 'array', items: NAME }],
    [
      'a list with a minimum and maximum length',
      { type: 'array', items: { type: 'boolean' }, minItems: 2, maxItems: 3 },
    ],
    [
      'a list of unique items',
      { type: 'array', items: { type: 'integer', minimum: 1, maximum: 99 }, uniqueItems: true, maxItems: 4 },
    ],
    ['lists in a list', { type: 'array', items: { type: 'array', items: { type: 'boolean' } } }],
    [
      'objects in an object',
      objectOf({ leader: objectOf({ name: NAME }, ['name']), size: { type: 'number' } }, ['leader']),
    ],
    ['objects in a list', { type: 'array', items: objectOf({ name: NAME }) }],
    ['a map', { type: 'object', additionalProperties: { type: 'boolean' } }],
    ['an object with other fields', { ...objectOf({ name: NAME }, ['name']), additionalProperties: true }],
  ])('are valid, and each invalid one is invalid: %s', (_, body) => {
    const schema = bodyOf(body);
    const valid = samplesOf(validJson(schema));
    // The service also refuses values that a schema cannot exclude: duplicate names, blank text, lone surrogates, and
    // whole numbers with a fraction or an exponent.
    const isBeyondSchemas = (json: string) =>
      /"  "|\\u[dD]|\d\.0\b|\de0|1e400/.test(json) || isNameTwice(json);

    expect(valid.filter((json) => !isValid(body, json))).toEqual([]);
    expect(new Set(valid).size).toBeGreaterThan(0);
    expect(
      samplesOf(offJson(schema)).filter((json) => isValid(body, json) && !isBeyondSchemas(json)),
    ).toEqual([]);
  });

  function isNameTwice(json: string): boolean {
    try {
      exactJson(json);
      return false;
    } catch {
      return true;
    }
  }

  it.each<[string, Raw, string[]]>([
    ['a choice', { type: 'string', enum: ['SOLD', 'open'] }, ['"SOLD"', '"open"']],
    ['a choice among numbers', { type: 'integer', enum: [1, 40] }, ['1', '40']],
    ['a boolean', { type: 'boolean' }, ['false', 'true']],
    ['a boolean or null', { type: 'boolean', nullable: true }, ['false', 'null', 'true']],
    ['one of two', { oneOf: [{ const: 'a' }, { type: 'null' }] }, ['"a"', 'null']],
    [
      'one of two that overlap',
      {
        oneOf: [
          { type: 'integer', enum: [1, 2] },
          { type: 'integer', enum: [2, 3] },
        ],
      },
      ['1', '3'],
    ],
  ])('are all generated: %s', (_, body, texts) => {
    expect([...new Set(samplesOf(validJson(bodyOf(body))))].sort()).toEqual(texts);
  });

  it('are invalid in every way and at every depth', () => {
    const herd = objectOf(
      {
        ids: { type: 'array', items: INT64 },
        leader: objectOf({ name: NAME, since: { type: 'string', format: 'date' } }, ['name']),
      },
      ['ids'],
    );
    const off = samplesOf(offJson(bodyOf(herd)), 2_000);

    const ways: readonly RegExp[] = [
      /^\{"leader": \{[^}]*\}\}$/, // a required field left out
      /^\{"ids": \[[^\]]*"7"/, // an item of another type
      /^\{"ids": \[[^\]]*9223372036854775808/, // an item beyond int64
      /"leader": \{"since": "[^"]*"\}/, // a required field left out below
      /"since": "2026-02-30"/, // no such day
      /"leader": \{.*"constructor": /, // an unknown field below
      /, *"constructor": [^}]*\}$/, // an unknown field
      /^\[\]$/, // no object at all
    ];
    expect(ways.filter((way) => !off.some((json) => way.test(json)))).toEqual([]);
  });

  it('are exact int64s up to their bounds, also in lists and nested objects', () => {
    const schema = bodyOf(
      objectOf({ rows: { type: 'array', items: objectOf({ id: INT64 }, ['id']), minItems: 1 } }, ['rows']),
    );
    const ids = samplesOf(validJson(schema)).flatMap((json) =>
      [...json.matchAll(/"id": (-?\d+)/g)].map(([, id]) => BigInt(id!)),
    );

    expect(ids.every((id) => id >= -(2n ** 63n) && id < 2n ** 63n)).toBe(true);
    expect(ids).toEqual(expect.arrayContaining([2n ** 63n - 1n, -(2n ** 63n)]));
    expect(problemsOf(schema, exactJson('{"rows":[{"id":9223372036854775808}]}'))).toEqual([
      '/rows/0/id: must pass "exactNumber" keyword validation',
    ]);
    expect(problemsOf(schema, exactJson('{"rows":[{"id":9223372036854775807}]}'))).toEqual([]);
  });

  it('follow a reference and allOf together', () => {
    const Named = objectOf({ name: NAME }, ['name']);
    const schema = bodyOf(
      {
        allOf: [
          { $ref: '#/components/schemas/Named' },
          objectOf({ age: { type: 'integer', minimum: 1, maximum: 2 } }, ['age']),
        ],
      },
      { Named },
    );

    for (const json of samplesOf(validJson(schema))) {
      expect(exactJson(json)).toEqual({
        name: expect.any(String) as string,
        age: expect.any(BigInt) as bigint,
      });
    }
  });
});

describe('A construct that the fuzz suites do not know', () => {
  it.each<[string, Raw, string]>([
    [
      'a keyword',
      objectOf({ tags: { type: 'array', prefixItems: [INT64] } }),
      'moveHerd body.tags: the fuzz suites do not know "prefixItems" yet.',
    ],
    [
      'a keyword deep down',
      objectOf({
        cows: { type: 'array', items: objectOf({ by: { type: 'object', patternProperties: {} } }) },
      }),
      'moveHerd body.cows[].by: the fuzz suites do not know "patternProperties" yet.',
    ],
    [
      'a keyword of another type',
      objectOf({ name: { type: 'string', maximum: 7 } }),
      'moveHerd body.name: the fuzz suites do not know "maximum" of type string yet.',
    ],
    [
      'a format',
      objectOf({ at: { type: 'string', format: 'duration' } }),
      'moveHerd body.at: the fuzz suites do not know the format "duration" yet.',
    ],
    [
      'no type',
      objectOf({ any: {} }),
      'moveHerd body.any: the fuzz suites do not know a schema without a type yet.',
    ],
    [
      'a type',
      objectOf({ at: { type: 'date' } }),
      'moveHerd body.at: the fuzz suites do not know the type "date" yet.',
    ],
    [
      'a list of anything',
      { type: 'array' },
      'moveHerd body: the fuzz suites do not know a list of anything yet.',
    ],
    [
      'a map with it',
      { type: 'object', additionalProperties: { not: {} } },
      'moveHerd body.*: the fuzz suites do not know "not" yet.',
    ],
    [
      'one alternative',
      objectOf({ at: { oneOf: [{ type: 'null' }, { if: {} }] } }),
      'moveHerd body.at: the fuzz suites do not know "if" yet.',
    ],
    [
      'contradicting parts',
      { allOf: [objectOf({ id: INT64 }), objectOf({ id: NAME })] },
      'moveHerd body.id: the fuzz suites do not know how to combine two of a field yet.',
    ],
  ])('fails with the name of operation and field: %s', (_, body, message) => {
    expect(() => readApi(documentOf(body))).toThrow(new Error(message));
  });

  it('fails with the name: a schema that refers to itself', () => {
    const Cow = objectOf({ calves: { type: 'array', items: { $ref: '#/components/schemas/Cow' } } });
    const body = objectOf({ cow: { $ref: '#/components/schemas/Cow' } });

    expect(() => bodyOf(body, { Cow })).toThrow(
      'moveHerd body.cow.calves[]: the fuzz suites do not know a schema that refers to itself, #/components/schemas/Cow, yet.',
    );
  });

  it('fails with the name: alternatives without any valid value', () => {
    const schema = bodyOf(objectOf({ at: { oneOf: [{ type: 'boolean' }, { type: 'boolean' }] } }));

    expect(() => validJson(schema)).toThrow(
      'moveHerd body.at: the fuzz suites do not know a value that is right',
    );
  });

  it('fails with the name: a parameter that is a list', () => {
    const tags = { name: 'tags', in: 'query', schema: { type: 'array', items: NAME } };

    expect(() => readApi(documentOf(objectOf({}), { parameters: [tags] }))).toThrow(
      'moveHerd query tags: the fuzz suites do not know a parameter of kind "list" yet.',
    );
  });
});

enum Mood {
  Calm = 'CALM',
  Wild = 'wild',
}

class Leader {
  @ApiProperty({ maxLength: 20 }) name!: string;
  @ApiProperty({ type: 'integer', format: 'int64' }) id!: bigint;
}

class Pasture {
  @ApiProperty() acres!: number;
}

@ApiExtraModels(Leader, Pasture)
class Herd {
  @ApiProperty({ type: Leader }) leader!: Leader;
  @ApiProperty({ type: [Leader], maxItems: 3 }) others!: Leader[];
  @ApiProperty({ type: 'array', items: { type: 'integer', format: 'int64' } }) petIds!: bigint[];
  @ApiProperty() isTame!: boolean;
  @ApiProperty() since!: Date;
  @ApiProperty({ type: 'string', format: 'date', nullable: true }) until!: string | null;
  @ApiProperty({ enum: Mood }) mood!: Mood;
  @ApiProperty({ enum: Mood, enumName: 'Mood', isArray: true }) moods!: Mood[];
  @ApiPropertyOptional({ enum: Mood, enumName: 'Mood', default: Mood.Calm }) next?: Mood;
  @ApiProperty({ type: () => Pasture, nullable: true }) pasture!: Pasture | null;
  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(Leader) }, { $ref: getSchemaPath(Pasture) }] }) vet!:
    Leader | Pasture;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'boolean' } }) fed!: Record<string, boolean>;
  @ApiProperty({ type: 'array', items: { type: 'array', items: { type: 'number' } } }) grid!: number[][];
}

@Controller('herds')
class HerdsController {
  @Get()
  @ApiOperation({ operationId: 'listHerds' })
  @ApiOkResponse({ type: [Herd] })
  list(): Herd[] {
    return [];
  }

  @Post()
  @ApiOperation({ operationId: 'moveHerd' })
  @ApiBody({ type: Herd })
  @ApiOkResponse({ type: Herd })
  move(): void {}
}

@Module({ controllers: [HerdsController] })
class HerdsModule {}

describe('Every construct of a DTO with @nestjs/swagger', () => {
  let operations: Operation[];

  beforeAll(async () => {
    const app = await NestFactory.create(HerdsModule, { logger: false });
    const settings = new DocumentBuilder().setOpenAPIVersion('3.1.1').addServer('/v1').build();
    operations = readApi(JSON.stringify(SwaggerModule.createDocument(app, settings)));
    await app.close();
  });

  it('is known and can be generated', () => {
    const moveHerd = operations.find(({ id }) => id === 'moveHerd')!;
    const requests = fc.sample(fuzzRequest(moveHerd, { unlimited: 'a', exhausted: 'b' }), {
      numRuns: 300,
      seed: 7,
    });
    const accepted = requests.filter(({ expectation }) => expectation === 'accepted');
    const values = accepted.map(({ body }) => problemsOf(moveHerd.requestBody!, exactJson(body!.toString())));

    expect(values.length).toBeGreaterThan(5);
    expect(values.flat()).toEqual([]);
    expect(requests.map(({ expectation }) => expectation)).toContain('refused');
  });

  it('is checked in responses, field by field', () => {
    const herd = {
      leader: { name: 'Rex', id: 9007199254740993n },
      others: [],
      petIds: [1n],
      isTame: true,
      since: '2026-03-14T12:00:00Z',
      until: null,
      mood: 'CALM',
      moods: ['wild'],
      pasture: null,
      vet: { acres: 7n },
      fed: { Rex: true },
      grid: [[1.5]],
    };
    const list = operations.find(({ id }) => id === 'listHerds')!.responses.get(200)!.body!;

    expect(problemsOf(list, [herd])).toEqual([]);
    const wrong = { ...herd, petIds: [1.5], since: 'today', mood: 'calm', fed: { Rex: 1n }, extra: true };
    expect(
      problemsOf(list, [wrong])
        .map((problem) => problem.replace(/:.*/, ''))
        .sort(),
    ).toEqual(['/0', '/0/fed/Rex', '/0/mood', '/0/petIds/0', '/0/since']);
  });
});
