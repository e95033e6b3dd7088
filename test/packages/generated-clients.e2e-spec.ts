import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TestApp } from '../support/test-app.js';
import { toolFile } from '../support/tools.js';
import { INSTALL_WITHIN_MS, run } from './packed-client.js';

const ROOT = resolve(__dirname, '../..');
const ROLLDOWN = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
/** Installed once for all runs, as the service and its checks need none of them. */
const PACKAGES = [
  'openapi-fetch@0.17.0',
  'openapi-typescript-fetch@2.2.1',
  'oazapfts@7.5.0',
  '@oazapfts/runtime@1.2.0',
  'swagger-typescript-api@13.13.0',
  'openapi-to-postmanv2@6.3.3',
  'lossless-json@4.3.3',
];
const INSTALLED = join(
  ROOT,
  'node_modules/.cache',
  `generators-${PACKAGES.join('-').replace(/[^\w.-]/g, '')}`,
);
const PER_MINUTE = 12;
/** Beyond 2^53, as the text of a JSON number. */
const LARGE = '9007199254740993';
const ROUNDED = '9007199254740992';

interface Generated {
  readonly generate: readonly string[];
  /** The program that makes `add`, `list` and `order` of it. */
  readonly uses: string;
  /** What the generator reads beside the document, by the name of the file. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly isExact?: true;
}

const CLIENTS: Readonly<Record<string, Generated>> = {
  'openapi-typescript and openapi-fetch': {
    generate: [toolFile('openapi-typescript/bin/cli.js'), 'openapi.json', '--output', 'store.ts'],
    uses: `
      import createClient from 'openapi-fetch';
      import type { paths } from './store';
      const headers = { Authorization: \`Bearer \${process.env.API_KEY}\` };
      const store = createClient<paths>({ baseUrl: process.env.BASE_URL, headers });
      export const add = (name: string) => store.POST('/pets', { body: { name, categoryId: 7 } });
      export const list = (query: Query) => store.GET('/pets', { params: { query } });
      export const order = (petId: number) => store.POST('/store/orders', { body: { petId } });`,
  },
  'openapi-typescript and openapi-typescript-fetch': {
    generate: [toolFile('openapi-typescript/bin/cli.js'), 'openapi.json', '--output', 'store.ts'],
    uses: `
      import { Fetcher } from 'openapi-typescript-fetch';
      import type { paths } from './store';
      const store = Fetcher.for<paths>();
      const headers = { Authorization: \`Bearer \${process.env.API_KEY}\` };
      store.configure({ baseUrl: process.env.BASE_URL, init: { headers } });
      const settled = (sent: Promise<any>) =>
        sent.then((response) => ({ ...response, response }), (error) => ({ error: error.data, response: error }));
      const [createPet, listPets] = (['post', 'get'] as const).map((method) => store.path('/pets').method(method).create());
      const placeOrder = store.path('/store/orders').method('post').create();
      export const add = (name: string) => settled(createPet({ name, categoryId: 7 }));
      export const list = (query: Query) => settled(listPets(query));
      export const order = (petId: number) => settled(placeOrder({ petId }));`,
  },
  oazapfts: {
    generate: [join(INSTALLED, 'node_modules/oazapfts/dist/cli.js'), 'openapi.json', 'store.ts'],
    uses: `
      import { createPet, defaults, listPets, placeOrder } from './store';
      defaults.baseUrl = process.env.BASE_URL;
      defaults.headers = { Authorization: \`Bearer \${process.env.API_KEY}\` };
      const settled = async (sent: Promise<any>) => {
        const response = await sent;
        return { data: response.data, error: response.data, response };
      };
      export const add = (name: string) => settled(createPet({ name, categoryId: 7 }));
      export const list = (query: Query) => settled(listPets(query));
      export const order = (petId: number) => settled(placeOrder({ petId }));`,
  },
  '@hey-api/openapi-ts': {
    generate: [toolFile('@hey-api/openapi-ts/bin/run.js'), '--input', 'openapi.json', '--output', 'store'],
    uses: `
      import { createPet, listPets, placeOrder } from './store';
      import { client } from './store/client.gen';
      client.setConfig({ baseUrl: process.env.BASE_URL, auth: () => process.env.API_KEY });
      export const add = (name: string) => createPet({ body: { name, categoryId: 7 } });
      export const list = (query: Query) => listPets({ query });
      export const order = (petId: number) => placeOrder({ body: { petId } });`,
  },
  'swagger-typescript-api': {
    generate: [
      join(INSTALLED, 'node_modules/swagger-typescript-api/dist/cli.mjs'),
      'generate',
      '--path=openapi.json',
      '--output=.',
      '--name=store.ts',
    ],
    uses: `
      import { Api } from './store';
      const headers = { Authorization: \`Bearer \${process.env.API_KEY}\` };
      const store = new Api({ baseUrl: process.env.BASE_URL, securityWorker: () => ({ headers }) });
      const settled = async (sent: Promise<Response>) => {
        const response = await sent.catch((refused: Response) => refused);
        const { data, error } = response as Response & { data: unknown; error: unknown };
        return { data, error, response };
      };
      export const add = (name: string) => settled(store.pets.createPet({ name, categoryId: 7 }));
      export const list = (query: Query) => settled(store.pets.listPets(query));
      export const order = (petId: number) => settled(store.store.placeOrder({ petId }));`,
  },
  orval: {
    isExact: true,
    settings: {
      'orval.config.cjs': `
        const override = { useBigInt: true, mutator: { path: './exact.ts', name: 'exact' } };
        module.exports = { store: { input: 'openapi.json', output: { target: 'store.ts', override } } };`,
      'exact.ts': `
        import { isLosslessNumber, parse, stringify } from 'lossless-json';
        interface Sent { url: string; method: string; params?: object; data?: unknown; headers?: object }
        const readNumber = (key: string, value: unknown) =>
          isLosslessNumber(value) ? (/^id$|Id$/.test(key) ? BigInt : Number)(value.value) : value;
        export async function exact<T>({ url, method, params, data, headers }: Sent) {
          const response = await fetch(\`\${process.env.BASE_URL}\${url}?\${new URLSearchParams({ ...params })}\`, {
            method,
            headers: { ...headers, Authorization: \`Bearer \${process.env.API_KEY}\` },
            body: stringify(data),
          });
          const read = parse(await response.text(), readNumber);
          return response.ok ? { data: read as T, response } : { error: read, response };
        }`,
    },
    generate: [toolFile('orval/dist/bin/orval.js'), '--config', 'orval.config.cjs'],
    uses: `
      import { createPet, listPets, placeOrder } from './store';
      export const add = (name: string) => createPet({ name, categoryId: ${LARGE}n });
      export const list = (query: Query) => listPets(query);
      export const order = (petId: bigint) => placeOrder({ petId });`,
  },
};

const TYPES = `
  declare const process: { readonly env: Record<string, string> };
  interface Query { readonly limit: number; readonly cursor?: string }`;

/** What a program does with a client, as text: it prints what it has seen. */
const WALK = `
  import { add, list, order } from './uses';
  const codeOf = ({ error, response }) => \`\${response.status} \${error?.code}\`;
  const added = [];
  for (const name of ['Rex', 'Tom', 'Ida']) added.push((await add(name)).data.id);
  const first = await list({ limit: 2 });
  const cursor = new URL(/<(.*)>/.exec(first.response.headers.get('Link'))[1], 'http://store').searchParams.get('cursor');
  const second = await list({ limit: 2, cursor });
  const placed = await order(added[0]);
  const seen = {
    categories: [first, second].map(({ data }) => String(data[0].categoryId)),
    names: [first, second].map(({ data }) => data.map(({ name }) => name)),
    order: [placed.response.status, placed.data.status],
    errors: [codeOf(await order(added[0])), codeOf(await order(999_999))],
  };
  for (let request = 9; request <= ${PER_MINUTE}; request++) await list({ limit: 1 });
  const refused = await list({ limit: 1 });
  seen.limit = [codeOf(refused), Number(refused.response.headers.get('Retry-After')) > 0];
  console.log(JSON.stringify(seen));`;

/** Imports the document as Postman does with the settings of the guide, and prints what it would send. */
const IMPORT = `
  import { convertV2 } from 'openapi-to-postmanv2';
  import { readFileSync } from 'node:fs';
  const settings = { parametersResolution: 'Example', enableOptionalParameters: false };
  convertV2({ type: 'string', data: readFileSync('openapi.json', 'utf8') }, settings, (error, { output }) => {
    if (error) throw error;
    const requestsOf = ({ item, request }) => item?.flatMap(requestsOf) ?? [request];
    const sent = requestsOf(output[0].data).map(({ method, url, body, header }) => ({
      method,
      path: url.path.map((part) => url.variable?.find(({ key }) => \`:\${key}\` === part)?.value ?? part).join('/'),
      query: (url.query ?? []).filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]),
      headers: Object.fromEntries(header.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value])),
      body: body?.raw,
    }));
    console.log(JSON.stringify(sent));
  });`;

interface ImportedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: [string, string][];
  readonly headers: Record<string, string>;
  readonly body?: string;
}

let store: TestApp;
let folder: string;

beforeAll(async () => {
  if (existsSync(INSTALLED)) return;
  const place = `${INSTALLED}.${process.pid}`;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  await run(place, ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES]);
  cpSync(place, INSTALLED, { recursive: true });
  rmSync(place, { recursive: true });
}, INSTALL_WITHIN_MS);

beforeEach(async () => {
  store = await TestApp.start();
  folder = mkdtempSync(join(tmpdir(), 'animal-store-generated-'));
  cpSync(join(ROOT, 'docs/openapi.json'), join(folder, 'openapi.json'));
  symlinkSync(join(INSTALLED, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await store.stop();
});

describe('A client that others generate', () => {
  it.each(Object.keys(CLIENTS))(
    'adds, lists page by page, orders, and sees errors and limits: %s',
    async (name) => {
      const { generate, uses, settings = {}, isExact } = CLIENTS[name]!;
      await store
        .send('POST', '/v1/pets', await store.key())
        .type('json')
        .send(`{"name":"Max","categoryId":${LARGE}}`)
        .expect(201);
      for (const [file, text] of Object.entries(settings)) writeFileSync(join(folder, file), text);
      await run(folder, [process.execPath, ...generate]);
      writeFileSync(join(folder, 'uses.ts'), TYPES + uses);
      writeFileSync(join(folder, 'walk.js'), WALK);
      await run(folder, [
        process.execPath,
        ROLLDOWN,
        'walk.js',
        '--file',
        'bundle.mjs',
        '--platform',
        'node',
      ]);
      const environment = {
        BASE_URL: `http://127.0.0.1:${store.port}/v1`,
        API_KEY: await store.limitedKey(PER_MINUTE, 1_000),
      };
      const { stdout } = await run(folder, [process.execPath, 'bundle.mjs'], environment);

      expect(JSON.parse(stdout)).toEqual({
        categories: isExact ? [LARGE, LARGE] : [ROUNDED, '7'],
        names: [
          ['Max', 'Rex'],
          ['Tom', 'Ida'],
        ],
        order: [201, 'placed'],
        errors: ['409 pet_not_available', '400 unknown_pet'],
        limit: ['429 rate_limit_exceeded', true],
      });
    },
    INSTALL_WITHIN_MS,
  );
});

describe('What Postman imports', () => {
  it(
    'runs as it is: no request is refused for what it says',
    async () => {
      writeFileSync(join(folder, 'import.mjs'), IMPORT);
      const { stdout } = await run(folder, [process.execPath, 'import.mjs']);
      const requests = JSON.parse(stdout) as ImportedRequest[];
      const key = await store.key();
      const refused: string[] = [];
      for (const { method, path, query, headers, body } of requests) {
        const target = `/v1/${path}?${new URLSearchParams(query).toString()}`.replace(/\?$/, '');
        const response = await fetch(`http://127.0.0.1:${store.port}${target}`, {
          method,
          headers: { ...headers, Authorization: `Bearer ${key}` },
          ...(body !== undefined && { body }),
        });
        const text = await response.text();
        // The examples name an animal, an order and a webhook that this store may not have.
        if ([400, 413, 415, 422].includes(response.status) && !text.includes('unknown_pet'))
          refused.push(`${method} ${target}: ${text}`);
      }

      const operations = Object.values(
        (JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')) as { paths: object }).paths,
      ).flatMap((item) => Object.keys(item as object));
      expect(requests).toHaveLength(operations.length);
      expect(refused).toEqual([]);
    },
    INSTALL_WITHIN_MS,
  );
});
