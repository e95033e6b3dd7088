import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AnimalStoreOptions } from '../../clients/typescript/src/index.js';

const ROOT = resolve(__dirname, '../..');
const INT64 = { type: 'integer', format: 'int64' };

type Schema = Readonly<Record<string, unknown>>;
type Call = (input?: object, options?: object) => Promise<unknown>;
/** What the client gives to `fetch`. */
type Sent = readonly [url: URL, request: RequestInit & { readonly headers: Headers }];

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
    const options = ['--document', join(folder, 'openapi.json'), '--out', join(folder, 'generated')];
    const words = [join(ROOT, 'scripts/generate-client.mjs'), ...options];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
    return { status, stderr };
  }

  /** A generated client, whose requests are added to `sent`. */
  function client(
    sent: Sent[],
    responseText: string | null,
    status = 200,
  ): { moveHerd: Call; listHerds: Call } {
    const options: AnimalStoreOptions = {
      baseUrl: 'http://store.example/v1',
      apiKey: 'key',
      fetch: async (...request) => {
        sent.push(request as unknown as Sent);
        return new Response(responseText, { status });
      },
    };
    const { animalStore } = jest.requireActual<{ animalStore: (given: object) => ReturnType<typeof client> }>(
      join(folder, 'index.ts'),
    );
    return animalStore(options);
  }

  /** Calls `moveHerd` of the generated client. Returns the body it sent and what it returned. */
  async function moveHerd(
    input: object,
    responseText: string | null,
    status = 200,
  ): Promise<{ sent: unknown; returned: unknown }> {
    const sent: Sent[] = [];
    const returned = await client(sent, responseText, status).moveHerd(input);
    return { returned, sent: sent[0]![1].body };
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
      owner: ref('AccountId'),
    });
    const document = documentOf(herd, {
      AccountId: INT64,
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
      owner: big,
    };
    const text =
      '{"petIds":[1,9007199254740993],"grid":[[9007199254740993],[]],"leader":{"id":9007199254740993,"age":7},' +
      '"vet":{"id":2,"age":9},"next":null,"byName":{"Rex":9007199254740993},"place":{"pasture":9007199254740993},' +
      '"calves":[{"petIds":[9007199254740993],"calves":[{"next":9007199254740993}]}],"weight":9007199254740992,"owner":9007199254740993}';
    const { sent, returned } = await moveHerd({ ...value, petIds: [1, big] }, text);

    expect(returned).toEqual(value);
    expect(sent).toBe(text);
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

  describe('for parameters', () => {
    const parameters = [
      { name: 'colour', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      { name: 'If-Match', in: 'header', schema: { type: 'string' } },
      { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } },
    ];
    const sent: Sent[] = [];

    function herds(changes: object = {}): object {
      const { paths, ...document } = documentOf(objectOf({ id: INT64 })) as {
        paths: { '/herds': { post: object } };
      };
      const { post } = paths['/herds'];
      const list = { ...post, operationId: 'listHerds', requestBody: undefined };
      const [colour, ...headers] = parameters;
      const get = { ...list, parameters: [{ ...colour, ...changes }] };
      return { ...document, paths: { '/herds': { post: { ...post, parameters: headers }, get } } };
    }

    beforeEach(() => {
      sent.length = 0;
      expect(generate(herds())).toEqual({ status: 0, stderr: '' });
    });

    it('sends a list as one query parameter for each value, and one value alike', async () => {
      const { listHerds } = client(sent, '{}');
      await listHerds({ colour: ['light brown', 'red'] });
      await listHerds({ colour: 'red' });
      await listHerds();

      expect(sent.map(([{ search }]) => search)).toEqual([
        '?colour=light+brown&colour=red',
        '?colour=red',
        '',
      ]);
    });

    it('refuses an empty list, which would ask for everything', async () => {
      await expect(client(sent, '{}').listHerds({ colour: [] })).rejects.toThrow(
        'colour must have a value, or be left out.',
      );
      expect(sent).toEqual([]);
    });

    it('sends a header for the option with its name', async () => {
      const { moveHerd, listHerds } = client(sent, '{}');
      await moveHerd({ id: 1 }, { ifMatch: '"7"', idempotencyKey: 'one' });
      await moveHerd({ id: 1 });
      await listHerds({}, { ifMatch: '"7"' });

      expect(
        sent.map(([, { headers }]) => [headers.get('If-Match'), headers.get('Idempotency-Key')]),
      ).toEqual([
        ['"7"', 'one'],
        [null, expect.stringMatching(/^[\da-f-]{36}$/) as string],
        [null, null],
      ]);
    });

    it('compiles, with options and lists only where the operation takes them', () => {
      const uses = `
        import { animalStore } from './index.js';
        const store = animalStore({ baseUrl: 'http://store.example/v1', apiKey: 'key' });
        void store.listHerds({ colour: ['brown', 'red'] });
        void store.listHerds({ colour: 'red' });
        void store.moveHerd({ id: 1 }, { ifMatch: '"7"', idempotencyKey: 'one' });
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

    it('fails for a list that is sent in another way', () => {
      expect(generate(herds({ explode: false }))).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(
          'listHerds colour: the client sends a list as one parameter for each value.',
        ) as string,
      });
    });
  });

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

  it('generates every code in docs/errors.md and in the document, and a class for each error of an operation', () => {
    const document = JSON.stringify(documentOf(objectOf({ id: INT64 })));
    const refusal =
      '"409":{"description":"No.","content":{"application/json":{"schema":{"type":"object"},"examples":{"a":{"summary":"The herd is asleep.","value":{"code":"herd_asleep","status":409}}}}}}';
    expect(
      generate(JSON.parse(document.replace('"responses":{', `"responses":{${refusal},`)) as object).stderr,
    ).toBe('');

    const errors = readFileSync(join(folder, 'generated/errors.ts'), 'utf8');
    for (const code of ['herd_asleep', 'pet_not_found', 'route_not_found', 'unknown']) {
      expect(errors).toContain(`| '${code}'`);
    }
    expect(errors).toContain(
      "/** 409: The herd is asleep. */\nexport const HerdAsleep = errorWith('herd_asleep');\n",
    );
    expect(errors).not.toContain("errorWith('route_not_found')");
  });
});
