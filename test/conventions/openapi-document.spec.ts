import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Response } from 'supertest';
import { parseJson } from '@animal-store/kernel';
import { TestApp } from '../support/test-app.js';

const SNAPSHOT = resolve(__dirname, '../../docs/openapi.json');

/** Headers of every response that the document leaves out: OpenAPI excludes Content-Type, and HTTP defines the rest. */
const TRANSPORT_HEADERS = ['connection', 'content-length', 'content-type', 'date', 'keep-alive'];

interface Documented {
  headers: Record<string, { $ref: string }>;
  content?: { 'application/json': { examples?: Record<string, { value: unknown }> } };
}

interface Document {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Documented> }>>;
  components: { headers: Record<string, { schema: { type: string } }> };
}

/** The parts of a document by name: each operation, each component, and what else it has. */
function partsOf(document: unknown): Map<string, unknown> {
  const { paths, components, ...rest } = document as Record<string, Record<string, object>>;
  const groups = Object.entries({ ...paths, ...components });
  const parts = groups.flatMap(([group, members]) =>
    Object.entries(members).map(([name, part]): [string, unknown] => [`${group} ${name}`, part]),
  );
  return new Map([...Object.entries(rest), ...parts]);
}

describe('The OpenAPI document', () => {
  let store: TestApp;
  let text: string;
  let document: Document;

  beforeAll(async () => {
    store = await TestApp.start();
    text = (await store.send('GET', '/openapi.json', null).expect(200)).text;
    document = JSON.parse(text) as Document;
  });

  afterAll(() => store.stop());

  it('matches docs/openapi.json; accept an intended change with "npm run openapi:accept"', () => {
    const accepted = partsOf(parseJson(readFileSync(SNAPSHOT, 'utf8')));
    const served = partsOf(parseJson(text));
    const names = [...new Set([...served.keys(), ...accepted.keys()])];

    // Only the names of the parts: all the differences would be thousands of lines, and git shows them afterwards.
    expect(names.filter((name) => !isDeepStrictEqual(served.get(name), accepted.get(name)))).toEqual([]);
  });

  it('has the exact bounds of an int64', () => {
    const bounds = text.match(/-?922337203685477\d{4}/g);
    expect(new Set(bounds)).toEqual(new Set(['-9223372036854775808', '9223372036854775807']));
  });

  it('names every operation of the contract, and getPet as deprecated', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
    );
    expect(operations).toEqual(
      expect.arrayContaining([
        'listPets: get /pets',
        'createPet: post /pets',
        'getPet: get /pets/{petId}',
        'listOrders: get /store/orders',
      ]),
    );
    expect(document.paths['/pets/{petId}']!['get']).toMatchObject({
      deprecated: true,
      'x-sunset': '2030-12-05',
      description: expect.stringContaining('Will be removed on 2030-12-05') as string,
    });
  });

  describe('as a schema', () => {
    let ajv: Ajv2020;

    beforeAll(() => {
      ajv = new Ajv2020({ strict: false, allErrors: true });
      (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
      ajv.addSchema(document, 'openapi');
    });

    /** The validation errors of a value against the schema at this place of the document. */
    const problems = (path: readonly string[], value: unknown): unknown => {
      const pointer = path
        .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
        .join('/');
      const validate = ajv.getSchema(`openapi#/${pointer}`) as ValidateFunction;
      validate(value);
      return validate.errors ?? [];
    };

    it('accepts all its examples', () => {
      const examples = examplesIn(document);
      expect(examples.length).toBeGreaterThan(100);
      for (const { at, schema, value } of examples) {
        expect({ at, problems: problems(schema, value) }).toEqual({ at, problems: [] });
      }
    });

    describe('of responses', () => {
      let key: string;
      let otherAccount: string;

      const animal = '{"name":"Rex","categoryId":9223372036854775807}';
      const get = (path: string, headers = {}) => store.send('GET', path, key).set(headers);
      const post = (path: string, body: string, headers = {}) =>
        store.send('POST', path, key).set('Content-Type', 'application/json').set(headers).send(body);

      /** Fails unless the document describes the status, each header and the body. Returns the response object. */
      const expectDocumented = (path: string, method: string, response: Response): Documented => {
        const place = ['paths', path, method, 'responses', String(response.status)];
        const documented = document.paths[path]![method]!.responses[response.status];
        if (!documented) throw new Error(`${place.join(' ')} is not documented: ${response.text}`);

        const names = new Map(Object.keys(documented.headers).map((name) => [name.toLowerCase(), name]));
        for (const [header, value] of Object.entries(response.headers as Record<string, string>)) {
          if (TRANSPORT_HEADERS.includes(header)) continue;
          expect([...names.keys()]).toContain(header);
          const schema = ['components', 'headers', names.get(header)!, 'schema'];
          const typed = document.components.headers[names.get(header)!]!.schema.type === 'integer';
          expect({ header, problems: problems(schema, typed ? Number(value) : value) }).toEqual({
            header,
            problems: [],
          });
        }
        if (response.status !== 304) {
          const schema = [...place, 'content', 'application/json', 'schema'];
          expect(problems(schema, response.body)).toEqual([]);
        }
        return documented;
      };

      beforeAll(async () => {
        key = await store.key();
        otherAccount = await store.key();
        await post('/v1/pets', animal);
        await post('/v1/pets', animal);
        await post('/v1/store/orders', '{"petId":2}');
      });

      it.each<[string, string, number, () => Promise<Response>]>([
        ['get', '/pets', 200, () => get('/v1/pets?limit=1').then()],
        ['post', '/pets', 201, () => post('/v1/pets', animal, { 'Idempotency-Key': 'once' }).then()],
        ['post', '/pets', 201, () => post('/v1/pets', animal, { 'Idempotency-Key': 'once' }).then()],
        ['get', '/pets/{petId}', 200, () => get('/v1/pets/1').then()],
        ['get', '/store/orders', 200, () => get('/v1/store/orders').then()],
        ['post', '/store/orders', 201, () => post('/v1/store/orders', '{"petId":1}').then()],
        ['get', '/store/orders/{orderId}', 200, () => get('/v1/store/orders/1').then()],
        [
          'post',
          '/store/orders/{orderId}/complete',
          200,
          () => post('/v1/store/orders/1/complete', '').then(),
        ],
        ['post', '/store/orders/{orderId}/cancel', 200, () => post('/v1/store/orders/2/cancel', '').then()],
      ])('%s %s: %i', async (method, path, status, send) => {
        const response = await send();
        expect(response.status).toBe(status);
        expectDocumented(path, method, response);
      });

      it.each(['/pets', '/pets/{petId}', '/store/orders', '/store/orders/{orderId}'])(
        'get %s: 304',
        async (path) => {
          const url = `/v1${path.replace(/\{\w+\}/, '1')}`;
          const kept = await get(url).expect(200);
          const response = await get(url, { 'If-None-Match': kept.headers['etag'] }).expect(304);
          expectDocumented(path, 'get', response);
        },
      );

      it.each<[string, string, string, () => Promise<Response>]>([
        ['get', '/pets', 'invalid_parameter', () => get('/v1/pets?limit=0').then()],
        ['get', '/pets', 'invalid_cursor', () => get('/v1/pets?cursor=x').then()],
        ['get', '/pets', 'missing_api_key', () => store.send('GET', '/v1/pets', null).then()],
        ['get', '/pets', 'invalid_api_key', () => store.send('GET', '/v1/pets', 'x').then()],
        ['post', '/pets', 'validation_failed', () => post('/v1/pets', '{"name":" ","categoryId":7}').then()],
        ['post', '/pets', 'invalid_json', () => post('/v1/pets', '').then()],
        [
          'post',
          '/pets',
          'unsupported_media_type',
          () => post('/v1/pets', animal, { 'Content-Type': 'text/plain' }).then(),
        ],
        ['post', '/pets', 'payload_too_large', () => post('/v1/pets', ' '.repeat(16_385)).then()],
        [
          'post',
          '/pets',
          'invalid_parameter',
          () => post('/v1/pets', animal, { 'Idempotency-Key': '"' }).then(),
        ],
        [
          'post',
          '/pets',
          'idempotency_key_reused',
          () => post('/v1/pets', '{"name":"Tom","categoryId":7}', { 'Idempotency-Key': 'once' }).then(),
        ],
        ['get', '/pets/{petId}', 'bad_request', () => get('/v1/pets/%zz').then()],
        ['get', '/pets/{petId}', 'pet_not_found', () => get('/v1/pets/7').then()],
        ['get', '/pets/{petId}', 'missing_api_key', () => store.send('GET', '/v1/pets/1', null).then()],
        ['post', '/store/orders', 'unknown_pet', () => post('/v1/store/orders', '{"petId":7}').then()],
        [
          'get',
          '/store/orders/{orderId}',
          'order_not_found',
          () => store.send('GET', '/v1/store/orders/1', otherAccount).then(),
        ],
        [
          'post',
          '/store/orders/{orderId}/cancel',
          'order_not_open',
          () => post('/v1/store/orders/1/cancel', '').then(),
        ],
      ])('%s %s: exactly its example of %s', async (method, path, code, send) => {
        const response = await send();
        const { content } = expectDocumented(path, method, response);
        expect(response.body).toEqual(content!['application/json'].examples![code]?.value);
      });

      it('get /pets: every error for exceeding a limit', async () => {
        const free = await store.key('free');
        const codes = new Set<string>();
        for (let sent = 0; sent < 95; sent++) {
          const response = await store.send('GET', '/v1/pets', free);
          if (response.status === 200) continue;
          const { content } = expectDocumented('/pets', 'get', response);
          expect(Object.keys(content!['application/json'].examples!)).toContain(response.body.code);
          codes.add(response.body.code);
        }
        expect([...codes]).toEqual(['rate_limit_exceeded', 'api_key_banned']);
      });

      it('get /pets/{petId}: 410 after its removal', async () => {
        store.clock.set('2030-12-05T00:00:00.000Z');
        const response = await get('/v1/pets/1').expect(410);
        const { content } = expectDocumented('/pets/{petId}', 'get', response);
        expect(response.body).toEqual(content!['application/json'].examples!['operation_removed']!.value);
      });
    });
  });
});

interface Example {
  at: string;
  /** The path of its schema in the document. */
  schema: string[];
  value: unknown;
}

/** Every example in the document: of schemas, parameters and headers, and the named examples of bodies. */
function examplesIn(node: unknown, path: string[] = []): Example[] {
  if (typeof node !== 'object' || node === null) return [];
  const found: Example[] = [];
  const add = (name: string, schema: string[], value: unknown) =>
    found.push({ at: [...path, name].join(' '), schema, value });
  const { schema, example, examples, type, allOf } = node as Record<string, unknown>;
  const isSchema = typeof type === 'string' || Array.isArray(type) || Array.isArray(allOf);
  if (example !== undefined) add('example', isSchema ? path : [...path, 'schema'], example);
  if (schema !== undefined && typeof examples === 'object' && examples !== null) {
    for (const [name, { value }] of Object.entries(examples as Record<string, { value: unknown }>)) {
      add(name, [...path, 'schema'], value);
    }
  }
  return [...found, ...Object.entries(node).flatMap(([name, child]) => examplesIn(child, [...path, name]))];
}
