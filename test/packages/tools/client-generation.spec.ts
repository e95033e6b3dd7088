import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AnimalStoreOptions } from '../../../clients/typescript/src/index.js';

const ROOT = resolve(__dirname, '../../..');
const INT64 = { type: 'integer', format: 'int64' };

type Schema = Readonly<Record<string, unknown>>;
type Call = (input?: object, options?: object) => Promise<unknown>;
/** What the client gives to `fetch`. */
type Sent = readonly [url: URL, request: RequestInit & { readonly headers: Headers }];

const CONTENT = { 'application/json': { schema: { $ref: '#/components/schemas/Herd' } } };

/** A document with one operation, `moveHerd`, with a herd in its request and response, and with more `paths`. */
function documentOf(
  herd: Schema,
  schemas: Readonly<Record<string, Schema>> = {},
  paths: Readonly<Record<string, object>> = {},
): object {
  return {
    openapi: '3.1.1',
    info: { title: 'Made up', version: '1' },
    paths: { '/herds': { post: moving('moveHerd') }, ...paths },
    components: { schemas: { Herd: herd, ...schemas } },
  };
}

function moving(operationId: string, more: object = {}): object {
  return {
    operationId,
    summary: 'Move a herd',
    description: 'Anywhere',
    requestBody: { required: true, content: CONTENT },
    responses: { 200: { description: 'Moved.', content: CONTENT } },
    ...more,
  };
}

const objectOf = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties });
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An int64 in every place where one can be, and other fields with the name `id`. */
const HERD = objectOf({
  id: INT64,
  barn: objectOf({ id: { type: 'string' } }),
  size: objectOf({ id: { type: 'number' } }),
  petIds: { type: 'array', items: INT64 },
  grid: { type: 'array', items: { type: 'array', items: INT64 } },
  leader: { allOf: [ref('Leader')], description: 'Who goes first.' },
  vet: { anyOf: [ref('Leader'), { type: 'null' }] },
  next: { type: ['integer', 'null'], format: 'int64' },
  byName: { type: 'object', additionalProperties: INT64 },
  place: { oneOf: [objectOf({ pasture: INT64 }), objectOf({ stall: { type: 'string' } })] },
  calves: { type: 'array', items: ref('Herd') },
  weight: { type: 'number' },
  owner: ref('AccountId'),
});
const SCHEMAS = {
  AccountId: INT64,
  Leader: objectOf({ id: INT64, age: { type: 'integer', format: 'int32' } }),
};
const COLOUR = { name: 'colour', in: 'query', schema: { type: 'array', items: { type: 'string' } } };
const HEADERS = ['If-Match', 'Idempotency-Key'].map((name) => ({
  name,
  in: 'header',
  schema: { type: 'string' },
}));
const ASLEEP = { summary: 'The herd is asleep.', value: { code: 'herd_asleep', status: 409 } };
const ASLEEP_RESPONSE = {
  description: 'No.',
  content: { 'application/json': { schema: { type: 'object' }, examples: { ASLEEP } } },
};

const BINARY = { schema: { type: 'string', format: 'binary', maxLength: 10 } };
const PICTURES = { 'image/png': BINARY, 'image/jpeg': BINARY };

/** Everything that the generated client is tested with. */
const DOCUMENT = documentOf(HERD, SCHEMAS, {
  '/herds/changed': {
    post: moving('changeHerd', { parameters: HEADERS }),
    get: moving('listHerds', { requestBody: undefined, parameters: [COLOUR] }),
  },
  '/v2/herds': {
    servers: [{ url: '/' }],
    post: moving('moveHerdV2', { deprecated: true }),
  },
  '/herds/accepted': { post: moving('move202', { responses: { 202: { description: 'Done.' } } }) },
  '/herds/{herdId}/picture': {
    put: moving('setPicture', {
      parameters: [{ name: 'herdId', in: 'path', required: true, schema: INT64 }],
      requestBody: { required: true, content: PICTURES },
      responses: { 204: { description: 'Done.' } },
    }),
    get: moving('getPicture', {
      parameters: [{ name: 'herdId', in: 'path', required: true, schema: INT64 }],
      requestBody: undefined,
      responses: { 200: { description: 'The picture.', content: PICTURES }, 409: ASLEEP_RESPONSE },
    }),
  },
  '/herds/moves': {
    get: moving('watchHerds', {
      parameters: [{ name: 'Last-Event-ID', in: 'header', schema: INT64 }],
      requestBody: undefined,
      responses: {
        200: {
          description: 'Events.',
          content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/Leader' } } },
        },
      },
    }),
  },
  '/herds/gone': {
    post: moving('move204', { responses: { 204: { description: 'Done.' }, 409: ASLEEP_RESPONSE } }),
  },
});

describe('The TypeScript client', () => {
  it('is up to date with docs/openapi.json; run "npm run dev -- client:generate" to update it', () => {
    const { stderr, status } = spawnSync(process.execPath, ['scripts/generate-client.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });
});

describe('The generator of the TypeScript client', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'animal-store-client-'));
    cpSync(join(ROOT, 'clients/typescript/src'), folder, { recursive: true });
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  function generate(document: object, out = 'refused'): { status: number | null; stderr: string } {
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
    const options = ['--document', join(folder, 'openapi.json'), '--out', join(folder, out)];
    const words = [join(ROOT, 'scripts/generate-client.mjs'), ...options];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
    return { status, stderr };
  }

  describe('generates a client', () => {
    const sent: Sent[] = [];

    beforeAll(() => expect(generate(DOCUMENT, 'generated')).toEqual({ status: 0, stderr: '' }));

    beforeEach(() => (sent.length = 0));

    /** The generated client, whose requests are added to `sent`. */
    function client(
      responseText: string | Uint8Array<ArrayBuffer> | null = '{}',
      status = 200,
    ): Record<string, Call> {
      const options: AnimalStoreOptions = {
        baseUrl: 'http://store.example/v1',
        apiKey: 'key',
        fetch: async (...request) => {
          sent.push(request as unknown as Sent);
          return new Response(responseText, { status });
        },
      };
      const { animalStore } = jest.requireActual<{ animalStore: (given: object) => Record<string, Call> }>(
        join(folder, 'index.ts'),
      );
      return animalStore(options);
    }

    it('with exact int64s in arrays, nested objects, maps, alternatives and trees', async () => {
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
        owner: big,
      };
      const text =
        '{"petIds":[1,9007199254740993],"grid":[[9007199254740993],[]],"leader":{"id":9007199254740993,"age":7},' +
        '"vet":{"id":2,"age":9},"next":null,"byName":{"Rex":9007199254740993},"place":{"pasture":9007199254740993},' +
        '"calves":[{"petIds":[9007199254740993],"calves":[{"next":9007199254740993}]}],"weight":9007199254740992,"owner":9007199254740993}';

      expect(await client(text)['moveHerd']!({ ...value, petIds: [1, big] })).toEqual(value);
      expect(sent[0]![1].body).toBe(text);
      const types = readFileSync(join(folder, 'generated/schema.ts'), 'utf8');
      for (const type of [
        'petIds?: bigint[]',
        'grid?: bigint[][]',
        'next?: bigint | null',
        '[key: string]: bigint',
      ]) {
        expect(types).toContain(type);
      }
    });

    it('that finds an int64 by its place, even when another schema has a field with the same name', async () => {
      expect(await client('{"id":1,"barn":{"id":"1"},"size":{"id":1}}')['moveHerd']!({ id: 1 })).toEqual({
        id: 1n,
        barn: { id: '1' },
        size: { id: 1 },
      });
    });

    it.each([202, 204])(
      'with a method that returns undefined for an operation that responds with %s',
      async (status) => {
        expect(await client(null, status)[`move${status}`]!({ id: 1n })).toBeUndefined();
      },
    );

    it('that sends a list as one query parameter for each value, and one value alike', async () => {
      const { listHerds } = client();
      await listHerds!({ colour: ['light brown', 'red'] });
      await listHerds!({ colour: 'red' });
      await listHerds!();

      expect(sent.map(([{ search }]) => search)).toEqual([
        '?colour=light+brown&colour=red',
        '?colour=red',
        '',
      ]);
    });

    it('that has the operations of another version below its name, at their own path', async () => {
      const store = client('{"id":9007199254740993}') as unknown as Record<
        'v2' | 'withResponse',
        Record<string, Call>
      >;
      expect(await store.v2['moveHerd']!({ id: 1n })).toEqual({ id: 9007199254740993n });
      const { v2 } = store.withResponse as unknown as typeof store;
      expect(await v2['moveHerd']!({ id: 1n })).toMatchObject({ data: { id: 9007199254740993n } });

      expect(sent.map(([{ href }]) => href)).toEqual(Array(2).fill('http://store.example/v2/herds'));
      expect(readFileSync(join(folder, 'generated/operations.ts'), 'utf8')).toMatch(
        /readonly v2: \{\s+\/\*\*[^/]+@deprecated[^/]+\*\/\s+moveHerd: Method<'moveHerdV2'>;\s+\};/,
      );
    });

    it('that refuses an empty list, which would request everything', async () => {
      await expect(client()['listHerds']!({ colour: [] })).rejects.toThrow(
        'colour must have a value, or be left out.',
      );
      expect(sent).toEqual([]);
    });

    it('that sends a header for the option with its name', async () => {
      const { changeHerd, listHerds } = client();
      await changeHerd!({ id: 1 }, { ifMatch: '"7"', idempotencyKey: 'one' });
      await changeHerd!({ id: 1 });
      await listHerds!({}, { ifMatch: '"7"' });

      expect(
        sent.map(([, { headers }]) => [headers.get('If-Match'), headers.get('Idempotency-Key')]),
      ).toEqual([
        ['"7"', 'one'],
        [null, expect.stringMatching(/^\d+(-\d+){3}$/) as string],
        [null, null],
      ]);
    });

    it.each([
      ['bytes', Uint8Array.of(0x89, 0xff, 0)],
      ['a blob', new Blob([Uint8Array.of(0x89, 0xff, 0)])],
    ])('that sends %s as they are, with their media type', async (_, bytes) => {
      expect(
        await client(null, 204)['setPicture']!({ herdId: 7, bytes, mediaType: 'image/png' }),
      ).toBeUndefined();

      const [url, { method, headers, body }] = sent[0]!;
      expect([method, url.pathname, headers.get('Content-Type')]).toEqual([
        'PUT',
        '/v1/herds/7/picture',
        'image/png',
      ]);
      expect(body).toBe(bytes);
    });

    it('that returns the bytes of a response as a blob, and reads its errors as JSON', async () => {
      const bytes = Uint8Array.of(0x89, 0xff, 0);
      const blob = (await client(bytes)['getPicture']!({ herdId: 7 })) as Blob;

      expect(new Uint8Array(await blob.arrayBuffer())).toEqual(bytes);
      expect(sent[0]![1].headers.get('Accept')).toBe('*/*');
      await expect(
        client('{"code":"herd_asleep","message":"Asleep."}', 409)['getPicture']!({ herdId: 7 }),
      ).rejects.toMatchObject({ code: 'herd_asleep' });
    });

    it('that compiles, with options and lists only where the operation takes them', () => {
      const uses = `
        import { animalStore } from './index.js';
        const store = animalStore({ baseUrl: 'http://store.example/v1', apiKey: 'key' });
        void store.listHerds({ colour: ['brown', 'red'] });
        void store.listHerds({ colour: 'red' });
        void store.changeHerd({ id: 1 }, { ifMatch: '"7"', idempotencyKey: 'one' });
        void store.setPicture({ herdId: 1, bytes: new Uint8Array(3), mediaType: 'image/png' });
        void store.getPicture({ herdId: 1 }).then((blob) => blob.arrayBuffer());
        // @ts-expect-error The client reads no streams.
        void store.watchHerds();
        // @ts-expect-error The operation takes no GIF.
        void store.setPicture({ herdId: 1, bytes: new Blob([]), mediaType: 'image/gif' });
        // @ts-expect-error A colour is a text.
        void store.listHerds({ colour: [7] });
        // @ts-expect-error A list takes no If-Match.
        void store.listHerds({}, { ifMatch: '"7"' });
      `;
      writeFileSync(join(folder, 'uses.ts'), uses);
      const config = {
        extends: join(ROOT, 'clients/typescript/tsconfig.json'),
        files: ['uses.ts'],
        include: [],
      };
      const compilerOptions = { rootDir: '.', noEmit: true };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, compilerOptions }));
      const words = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder];
      const { stdout, status } = spawnSync(process.execPath, words, { encoding: 'utf8' });

      expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
    });

    it('with every code in docs/errors.md and in the document, and a class for each error of an operation', () => {
      const errors = readFileSync(join(folder, 'generated/errors.ts'), 'utf8');
      for (const code of ['herd_asleep', 'pet_not_found', 'route_not_found', 'unknown']) {
        expect(errors).toContain(`| '${code}'`);
      }
      expect(errors).toContain(
        "/** 409: The herd is asleep. */\nexport const HerdAsleep = /* @__PURE__ */ errorWith('herd_asleep');\n",
      );
      expect(errors).not.toContain("errorWith('route_not_found')");
    });
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
      'Herd.size: an int64 here cannot be distinguished from what else may be here.',
    ],
    [
      'a field that is an int64 in only one alternative',
      objectOf({ place: { anyOf: [objectOf({ at: INT64 }), objectOf({ at: { type: 'number' } })] } }),
      'Herd.place.at: an int64 here cannot be distinguished from what else may be here.',
    ],
    [
      'an int64 or a list of int64s',
      objectOf({ ids: { anyOf: [INT64, { type: 'array', items: INT64 }] } }),
      'Herd.ids: an int64 here cannot be distinguished from what else may be here.',
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

  it('fails with the name of an operation that reads or writes something else than JSON, bytes and events', () => {
    const document = JSON.stringify(documentOf(objectOf({ id: INT64 })));

    expect(generate(JSON.parse(document.replaceAll('application/json', 'text/csv')) as object)).toMatchObject(
      {
        status: 1,
        stderr: expect.stringContaining(
          'moveHerd body: the client and the tests know bodies of JSON, bytes or events, not text/csv.',
        ) as string,
      },
    );
  });

  it('fails for a list that is sent in another way', () => {
    const list = { get: moving('listHerds', { parameters: [{ ...COLOUR, explode: false }] }) };

    expect(generate(documentOf(HERD, SCHEMAS, { '/herds': list }))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        'listHerds colour: the client sends a list as one parameter for each value.',
      ) as string,
    });
  });
});
