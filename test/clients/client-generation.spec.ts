import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AnimalStoreOptions } from '../../clients/typescript/src/index.js';

const ROOT = resolve(__dirname, '../..');
const INT64 = { type: 'integer', format: 'int64' };

type Schema = Readonly<Record<string, unknown>>;
type Call = (input?: object) => Promise<unknown>;

/** A document with one operation, `moveHerd`, which has a herd in its request and in its response. */
function documentOf(herd: Schema, schemas: Readonly<Record<string, Schema>> = {}): object {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Herd' } } };
  return {
    openapi: '3.1.1',
    info: { title: 'Made up', version: '1' },
    paths: {
      '/herds': {
        post: {
          operationId: 'moveHerd',
          summary: 'Move a herd',
          description: 'Anywhere',
          requestBody: { required: true, content },
          responses: { 200: { description: 'Moved.', content } },
        },
      },
    },
    components: { schemas: { Herd: herd, ...schemas } },
  };
}

const objectOf = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties });
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

describe('The generator of the TypeScript client', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-client-'));
    cpSync(join(ROOT, 'clients/typescript/src'), folder, { recursive: true });
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function generate(document: object): { status: number | null; stderr: string } {
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
    const options = ['--document', join(folder, 'openapi.json'), '--out', folder];
    const words = [join(ROOT, 'scripts/generate-client.mjs'), ...options];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
    return { status, stderr };
  }

  /** Calls `moveHerd` of the generated client. Returns what it sent and what it returned. */
  async function moveHerd(
    input: object,
    responseText: string | null,
    status = 200,
  ): Promise<{ sent: unknown; returned: unknown }> {
    let sent: unknown;
    const options: AnimalStoreOptions = {
      baseUrl: 'http://store.example/v1',
      apiKey: 'key',
      fetch: async (_, { body }) => {
        sent = body;
        return new Response(responseText, { status });
      },
    };
    const { animalStore } = jest.requireActual<{ animalStore: (given: object) => { moveHerd: Call } }>(
      join(folder, 'index.ts'),
    );
    return { returned: await animalStore(options).moveHerd(input), sent };
  }

  it('generates exact int64s in arrays, nested objects, maps, alternatives and trees', async () => {
    const herd = objectOf({
      petIds: { type: 'array', items: INT64 },
      grid: { type: 'array', items: { type: 'array', items: INT64 } },
      leader: { allOf: [ref('Leader')], description: 'Who goes first.' },
      vet: { anyOf: [ref('Leader'), { type: 'null' }] },
      next: { type: ['integer', 'null'], format: 'int64' },
      byName: { type: 'object', additionalProperties: INT64 },
      place: { oneOf: [objectOf({ pasture: INT64 }), objectOf({ stall: { type: 'string' } })] },
      calves: { type: 'array', items: ref('Herd') },
      weight: { type: 'number' },
    });
    const document = documentOf(herd, {
      Leader: objectOf({ id: INT64, age: { type: 'integer', format: 'int32' } }),
    });
    expect(generate(document)).toEqual({ status: 0, stderr: '' });

    const big = 9007199254740993n;
    const value = {
      petIds: [1n, big],
      grid: [[big], []],
      leader: { id: big, age: 7 },
      vet: { id: 2n, age: 9 },
      next: null,
      byName: { Rex: big },
      place: { pasture: big },
      calves: [{ petIds: [big], calves: [{ next: big }] }],
      weight: 9007199254740992,
    };
    const text =
      '{"petIds":[1,9007199254740993],"grid":[[9007199254740993],[]],"leader":{"id":9007199254740993,"age":7},' +
      '"vet":{"id":2,"age":9},"next":null,"byName":{"Rex":9007199254740993},"place":{"pasture":9007199254740993},' +
      '"calves":[{"petIds":[9007199254740993],"calves":[{"next":9007199254740993}]}],"weight":9007199254740992}';
    const { sent, returned } = await moveHerd({ ...value, petIds: [1, big] }, text);

    expect(returned).toEqual(value);
    expect(sent).toBe(text);
    const types = readFileSync(join(folder, 'schema.ts'), 'utf8');
    for (const type of [
      'petIds?: bigint[]',
      'grid?: bigint[][]',
      'next?: bigint | null',
      '[key: string]: bigint',
    ]) {
      expect(types).toContain(type);
    }
  });

  it.each([202, 204])(
    'generates a method that returns undefined for an operation that responds with %s',
    async (status) => {
      const document = JSON.stringify(documentOf(objectOf({ id: INT64 })));
      const silent = JSON.parse(document) as { paths: { '/herds': { post: { responses: object } } } };
      silent.paths['/herds'].post.responses = { [status]: { description: 'Done.' } };
      expect(generate(silent)).toEqual({ status: 0, stderr: '' });

      expect((await moveHerd({ id: 1n }, null, status)).returned).toBeUndefined();
    },
  );

  it('finds an int64 by its place, even when another schema has a field with the same name', async () => {
    const herd = objectOf({
      id: INT64,
      barn: objectOf({ id: { type: 'string' } }),
      size: objectOf({ id: { type: 'number' } }),
    });
    expect(generate(documentOf(herd))).toEqual({ status: 0, stderr: '' });

    const { returned } = await moveHerd({ id: 1 }, '{"id":1,"barn":{"id":"1"},"size":{"id":1}}');
    expect(returned).toEqual({ id: 1n, barn: { id: '1' }, size: { id: 1 } });
  });

  it.each<[string, Schema, string]>([
    [
      'a keyword it does not know',
      objectOf({ tags: { prefixItems: [INT64] } }),
      'Herd.tags: the client does not know "prefixItems".',
    ],
    [
      'a keyword it does not know in an array of objects',
      objectOf({ cows: { type: 'array', items: objectOf({ by: { patternProperties: {} } }) } }),
      'Herd.cows[].by: the client does not know "patternProperties".',
    ],
    [
      'an int64 or another number',
      objectOf({ size: { oneOf: [INT64, { type: 'number' }] } }),
      'Herd.size: an int64 here cannot be told from what else may be here.',
    ],
    [
      'a field that is an int64 in only one alternative',
      objectOf({ place: { anyOf: [objectOf({ at: INT64 }), objectOf({ at: { type: 'number' } })] } }),
      'Herd.place.at: an int64 here cannot be told from what else may be here.',
    ],
    [
      'an int64 or a list of int64s',
      objectOf({ ids: { anyOf: [INT64, { type: 'array', items: INT64 }] } }),
      'Herd.ids: an int64 here cannot be told from what else may be here.',
    ],
    [
      'an alternative that refers to the schema around it',
      objectOf({ id: INT64, of: { oneOf: [ref('Herd'), objectOf({ id: INT64 })] } }),
      'Herd.of: the client cannot combine Herd, which refers to itself.',
    ],
    [
      'a body that is not an object',
      { type: 'array', items: INT64 },
      'moveHerd body: the client takes one flat object',
    ],
    [
      'a reference to nothing',
      objectOf({ cow: ref('Cow') }),
      'Herd.cow: #/components/schemas/Cow is not a schema of the document.',
    ],
  ])('fails with the place of %s', (_, herd, message) => {
    const { status, stderr } = generate(documentOf(herd));

    expect(stderr).toContain(message);
    expect(status).toBe(1);
  });

  it('fails with the name of an operation that reads or writes something other than JSON', () => {
    const document = JSON.stringify(documentOf(objectOf({ id: INT64 })));

    expect(generate(JSON.parse(document.replaceAll('application/json', 'text/csv')) as object)).toMatchObject(
      {
        status: 1,
        stderr: expect.stringContaining(
          'moveHerd body: the client reads and writes application/json only.',
        ) as string,
      },
    );
  });

  it('generates every code in docs/errors.md, and those in the document that are not on that page yet', () => {
    const document = JSON.stringify(documentOf(objectOf({ id: INT64 })));
    const refusal =
      '"409":{"description":"No.","content":{"application/json":{"schema":{"type":"object"},"examples":{"a":{"value":{"code":"herd_asleep"}}}}}}';
    expect(
      generate(JSON.parse(document.replace('"responses":{', `"responses":{${refusal},`)) as object).stderr,
    ).toBe('');

    const operations = readFileSync(join(folder, 'operations.ts'), 'utf8');
    for (const code of ['herd_asleep', 'pet_not_found', 'route_not_found', 'unknown']) {
      expect(operations).toContain(`| '${code}'`);
    }
  });
});
