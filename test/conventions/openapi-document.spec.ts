import type { Test } from 'supertest';
import { problemsOf, readSchema } from '../fuzz/schemas.js';
import { TestApp } from '../support/test-app.js';

interface Documented {
  content?: { 'application/json': { example?: unknown; examples?: Record<string, { value: unknown }> } };
}

interface Document {
  paths: Record<
    string,
    Record<string, { operationId: string; requestBody?: Documented; responses: Record<string, Documented> }>
  >;
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

  it('has no bound that a generator would round: those of an int64 are in its format', () => {
    expect(text).not.toMatch(/"(minimum|maximum)":-?\d{16,}/);
    expect(text).toContain('"categoryId":{"type":"integer","format":"int64"');
  });

  describe('as a schema', () => {
    it('has an example of each JSON body, which those who import it send as it is', () => {
      const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
      const json = operations
        .flatMap(({ requestBody, responses = {} }) => [requestBody, ...Object.values(responses)])
        .flatMap((body) => body?.content?.['application/json'] ?? []);

      expect(json.length).toBeGreaterThan(100);
      expect(json.filter(({ example, examples }) => example === undefined && !examples)).toEqual([]);
    });

    it.each([
      ['post /store/orders', { status: 'placed' }],
      ['post /store/orders/{orderId}/complete', { status: 'completed' }],
      ['post /store/orders/{orderId}/cancel', { status: 'cancelled' }],
      ['post /webhooks', { status: 'pending' }],
      ['post /webhooks/{webhookId}/test', { event: 'webhook.test', status: 'pending', attempts: 0 }],
      ['post /webhooks/{webhookId}/deliveries/{deliveryId}/retry', { status: 'pending', endedAt: null }],
      ['post /keys', { expiresAt: expect.any(String) as string }],
      ['delete /keys/{keyId}', { revokedAt: expect.any(String) as string }],
    ])('has an example of what comes back from %s', (line, expected) => {
      const [method, path] = line.split(' ') as [string, string];
      const { responses } = document.paths[path]![method]!;
      const [success] = Object.keys(responses).filter((status) => status.startsWith('2'));
      expect(responses[success!]!.content!['application/json'].example).toMatchObject(expected);
    });

    it('accepts all its examples', () => {
      const examples = examplesIn(document);
      expect(examples.length).toBeGreaterThan(100);
      for (const { at, schema, value } of examples) {
        const problems = problemsOf(readSchema(document, schema, at), value);
        expect({ at, problems }).toEqual({ at, problems: [] });
      }
    });

    describe('of errors', () => {
      let key: string;
      let stranger: string;

      const once = { 'Idempotency-Key': 'once' };
      const animal = '{"name":"Rex","categoryId":7}';
      const send = (request: string, headers: Record<string, string> = {}, withKey: string | null = key) => {
        const [, method, path, body] = /^(\S+) (\S+)(?: (.+))?$/.exec(request)!;
        const sent = store.send(method!, `/v1${path}`, withKey).set('Content-Type', 'application/json');
        return sent.set(headers).send(method === 'GET' ? undefined : (body ?? ''));
      };

      beforeAll(async () => {
        key = await store.key();
        stranger = await store.key();
        await send(`POST /pets ${animal}`, once).expect(201);
        await send('POST /store/orders {"petId":1}').expect(201);
        await send('POST /store/orders/1/complete').expect(200);
      });

      const example = (path: string, method: string, status: number, code: string) =>
        document.paths[path]![method]!.responses[status]!.content!['application/json'].examples![code]!.value;

      it.each<[code: string, operation: string, send: () => Test]>([
        ['invalid_parameter', 'get /pets', () => send('GET /pets?limit=0')],
        ['invalid_cursor', 'get /pets', () => send('GET /pets?cursor=x')],
        ['missing_api_key', 'get /pets', () => send('GET /pets', {}, null)],
        ['invalid_api_key', 'get /pets', () => send('GET /pets', {}, 'x')],
        ['validation_failed', 'post /pets', () => send('POST /pets {"name":" ","categoryId":7}')],
        ['invalid_json', 'post /pets', () => send('POST /pets')],
        [
          'unsupported_media_type',
          'post /pets',
          () => send('POST /pets {}', { 'Content-Type': 'text/plain' }),
        ],
        ['payload_too_large', 'post /pets', () => send(`POST /pets ${'x'.repeat(16_385)}`)],
        ['invalid_parameter', 'post /pets', () => send(`POST /pets ${animal}`, { 'Idempotency-Key': '"' })],
        [
          'idempotency_key_reused',
          'post /pets',
          () => send('POST /pets {"name":"Tom","categoryId":7}', once),
        ],
        ['bad_request', 'get /pets/{petId}', () => send('GET /pets/%zz')],
        ['pet_not_found', 'get /pets/{petId}', () => send('GET /pets/7')],
        ['missing_api_key', 'get /pets/{petId}', () => send('GET /pets/1', {}, null)],
        ['unknown_pet', 'post /store/orders', () => send('POST /store/orders {"petId":7}')],
        ['order_not_found', 'get /store/orders/{orderId}', () => send('GET /store/orders/1', {}, stranger)],
        ['order_not_open', 'post /store/orders/{orderId}/cancel', () => send('POST /store/orders/1/cancel')],
      ])('%s of %s is exactly the example', async (code, operation, sent) => {
        const [method, path] = operation.split(' ') as [string, string];
        const { status, body } = await sent();
        expect(body).toEqual(example(path, method, status, code));
      });

      it('operation_removed of get /pets/{petId} is exactly the example', async () => {
        store.clock.set('2030-12-05T00:00:00.000Z');
        const { body } = await send('GET /pets/1').expect(410);
        expect(body).toEqual(example('/pets/{petId}', 'get', 410, 'operation_removed'));
      });
    });
  });
});

interface Example {
  at: string;
  schema: unknown;
  value: unknown;
}

/** Every example in the document: of schemas, parameters and headers, and the named examples of bodies. */
function examplesIn(node: unknown, path: string[] = []): Example[] {
  if (typeof node !== 'object' || node === null) return [];
  const found: Example[] = [];
  const add = (name: string, ofValue: unknown, value: unknown) =>
    found.push({ at: [...path, name].join(' '), schema: ofValue, value });
  const { schema, example, examples, type, allOf, anyOf } = node as Record<string, unknown>;
  const isSchema = typeof type === 'string' || [type, allOf, anyOf].some(Array.isArray);
  if (example !== undefined) add('example', isSchema ? node : schema, example);
  if (schema !== undefined && typeof examples === 'object' && examples !== null) {
    for (const [name, { value }] of Object.entries(examples as Record<string, { value: unknown }>)) {
      add(name, schema, value);
    }
  }
  return [...found, ...Object.entries(node).flatMap(([name, child]) => examplesIn(child, [...path, name]))];
}
