import type { Response, Test } from 'supertest';
import { generateApiKey } from '#libs/api-keys';
import { Idempotency } from '../../src/platform/idempotency/idempotency.js';
import { StorageUnavailable } from '../../src/shared/storage-unavailable.js';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const NOON = '2026-03-14T12:00:00Z';
const REMOVED = '2030-12-05T00:00:00Z';
const SHOP = 'https://shop.example';

/** The headers that say how much is left, as clients read them; `undefined` where there is none. */
type Limits = Readonly<Record<string, string | undefined>>;

const FREE = '"minute";q=60;w=60, "day";q=1000;w=86400';
/** After the first request of a Free key, at noon. */
const FIRST: Limits = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '59',
  'x-ratelimit-reset': '1773489660',
  'ratelimit-policy': FREE,
  ratelimit: '"minute";r=59;t=60, "day";r=999;t=43200',
  'retry-after': undefined,
};
const SECOND: Limits = {
  ...FIRST,
  'x-ratelimit-remaining': '58',
  ratelimit: '"minute";r=58;t=60, "day";r=998;t=43200',
};
const UNAVAILABLE: Limits = { ...SECOND, 'retry-after': '5' };
/** After the first request from an address, whose day has no limit. */
const ADDRESS: Limits = {
  ...FIRST,
  'ratelimit-policy': '"minute";q=60;w=60',
  ratelimit: '"minute";r=59;t=60',
};
/** A request that counts against nobody. */
const UNCOUNTED: Limits = {
  ...ADDRESS,
  'x-ratelimit-remaining': '60',
  ratelimit: '"minute";r=60;t=60',
};
/** After the first preflight from an address. */
const PREFLIGHT: Limits = {
  ...FIRST,
  'x-ratelimit-limit': '60000',
  'x-ratelimit-remaining': '59999',
  'ratelimit-policy': '"minute";q=60000;w=60',
  ratelimit: '"minute";r=59999;t=60',
};
const AT_REMOVAL: Limits = {
  ...FIRST,
  'x-ratelimit-reset': '1922659260',
  ratelimit: '"minute";r=59;t=60, "day";r=999;t=86400',
};
const MINUTE_EXHAUSTED: Limits = {
  'x-ratelimit-limit': '1',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '1773489660',
  'ratelimit-policy': '"minute";q=1;w=60, "day";q=1000;w=86400',
  ratelimit: '"minute";r=0;t=60, "day";r=999;t=43200',
  'retry-after': '60',
};
const DAY_EXHAUSTED: Limits = {
  'x-ratelimit-limit': '1',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '1773532800',
  'ratelimit-policy': '"minute";q=60;w=60, "day";q=1;w=86400',
  ratelimit: '"minute";r=59;t=60, "day";r=0;t=43200',
  'retry-after': '43200',
};

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const ANIMAL = '{"name":"Rex","categoryId":7}';
const UNKNOWN_ANIMAL = '{"petId":999}';

/** These take their time: test/e2e/time-limits.e2e-spec.ts. */
const PROVED_ELSEWHERE = ['createPet 408 request_timeout', 'placeOrder 408 request_timeout'];

/** A good request of each operation. */
const OPERATIONS: Readonly<Record<string, Request>> = {
  listPets: { path: '/v1/pets' },
  createPet: { method: 'POST', path: '/v1/pets', body: ANIMAL },
  getPet: { path: '/v1/pets/1' },
  listOrders: { path: '/v1/store/orders' },
  placeOrder: { method: 'POST', path: '/v1/store/orders', body: '{"petId":1}' },
  getOrder: { path: '/v1/store/orders/1' },
  completeOrder: { method: 'POST', path: '/v1/store/orders/1/complete' },
  cancelOrder: { method: 'POST', path: '/v1/store/orders/1/cancel' },
};

describe('Every answer under /v1', () => {
  let store: TestApp;
  /** One for each test, as its limits are what is looked at. */
  let key: string;
  let addresses = 0;

  beforeAll(async () => {
    // Every request comes from an address of its own.
    store = await TestApp.start({ TRUST_PROXY: '1', CORS_ORIGINS: SHOP });
    const zoo = await store.key('business', 'zoo');
    const send = (path: string, body: string) =>
      store.send('POST', path, zoo).set('Content-Type', 'application/json').send(body);
    for (let animals = 0; animals < 3; animals++) await send('/v1/pets', ANIMAL).expect(201);
    // Animal 1 stays available. Order 1 is over; order 2 has animal 3 for good.
    await send('/v1/store/orders', '{"petId":2}').expect(201);
    await send('/v1/store/orders/1/complete', '').expect(200);
    await send('/v1/store/orders', '{"petId":3}').expect(201);
  });

  afterAll(() => store.stop());

  beforeEach(async () => {
    key = await store.key('free', 'zoo');
  });

  afterEach(() => {
    jest.restoreAllMocks();
    store.clock.set(NOON);
  });

  function send({ method = 'GET', path, headers = {}, body }: Request, withKey: string | null = key): Test {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const address = `10.0.${Math.floor(++addresses / 256)}.${addresses % 256}`;
    const sent = store.send(method, path, withKey).set({ 'X-Forwarded-For': address, ...type, ...headers });
    return body === undefined ? sent : sent.send(body);
  }

  function expectLimits({ headers }: Response, limits: Limits): void {
    const names = Object.keys(limits);
    expect(Object.fromEntries(names.map((name) => [name, headers[name]]))).toEqual(limits);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/);
  }

  function expectError(response: Response, status: number, code: string): void {
    const { message } = response.body as { message: string };
    expect(response.text).toBe(JSON.stringify({ code, message, status }));
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  }

  describe('that is no error', () => {
    it.each<[string, number, Request]>([
      ['200', 200, { path: '/v1/pets' }],
      ['201', 201, { method: 'POST', path: '/v1/pets', body: ANIMAL }],
      ['200 of HEAD', 200, { method: 'HEAD', path: '/v1/pets' }],
      ['304', 304, { path: '/v1/pets', headers: { 'If-None-Match': '*' } }],
      ['204 of OPTIONS', 204, { method: 'OPTIONS', path: '/v1/pets' }],
      ['200 for another origin', 200, { path: '/v1/pets', headers: { Origin: SHOP } }],
    ])('%s has the limits of the key', async (_, status, request) => {
      const response = await send(request);

      expect(response.status).toBe(status);
      expectLimits(response, FIRST);
    });

    it('204 to a preflight has the limits of preflights', async () => {
      const headers = { Origin: SHOP, 'Access-Control-Request-Method': 'POST' };
      const response = await send({ method: 'OPTIONS', path: '/v1/pets', headers }, null);

      expect(response.status).toBe(204);
      expectLimits(response, PREFLIGHT);
    });
  });

  describe('that no operation gives', () => {
    it.each<[number, string, Request]>([
      [404, 'route_not_found', { path: '/v1/unknown' }],
      [404, 'route_not_found', { path: '/v1' }],
      [405, 'method_not_allowed', { method: 'DELETE', path: '/v1/pets' }],
      [400, 'bad_request', { path: '/v1/pets/%zz' }],
      [400, 'bad_request', { method: 'POST', path: '/v1/%', body: ANIMAL }],
    ])('%i %s has the limits of the key: %j', async (status, code, request) => {
      const response = await send(request);

      expectError(response, status, code);
      expectLimits(response, FIRST);
    });

    it('401 to a preflight of an origin that is not listed has the limits of the address', async () => {
      const headers = { Origin: 'https://other.example', 'Access-Control-Request-Method': 'POST' };
      const response = await send({ method: 'OPTIONS', path: '/v1/pets', headers }, null);

      expectError(response, 401, 'missing_api_key');
      expectLimits(response, ADDRESS);
    });

    it('503 while the key cannot be looked up has the limits of the address', async () => {
      jest.spyOn(store.database, 'query').mockRejectedValue(new StorageUnavailable(new Error('planted')));
      const response = await send({ path: '/v1/pets' });

      expectError(response, 503, 'service_unavailable');
      expectLimits(response, { ...UNCOUNTED, 'retry-after': '5' });
    });
  });

  /** What was provoked, as `operation status code`. */
  const provoked: string[] = [];

  /** A test of one answer that the document promises. */
  function answers(
    operation: string,
    status: number,
    code: string,
    provoke: (operation: Request) => Promise<Response>,
    limits = FIRST,
  ): void {
    provoked.push(`${operation} ${status} ${code}`);
    it(`${status} ${code} of ${operation}`, async () => {
      const response = await provoke(OPERATIONS[operation]!);

      expectError(response, status, code);
      expectLimits(response, limits);
    });
  }

  describe.each(Object.keys(OPERATIONS))('that every operation may give, given by %s:', (operation) => {
    answers(operation, 401, 'missing_api_key', async (request) => send(request, null), ADDRESS);
    answers(
      operation,
      401,
      'invalid_api_key',
      async (request) => send(request, generateApiKey('ask_live_')),
      ADDRESS,
    );

    async function refused(request: Request, limited: string, requests: number): Promise<Response> {
      for (let sent = 1; sent < requests; sent++) await send({ path: '/v1/unknown' }, limited);
      return send(request, limited);
    }

    answers(
      operation,
      429,
      'rate_limit_exceeded',
      async (request) => refused(request, await store.limitedKey(1, 1_000), 2),
      MINUTE_EXHAUSTED,
    );
    answers(
      operation,
      429,
      'daily_quota_exceeded',
      async (request) => refused(request, await store.limitedKey(60, 1), 2),
      DAY_EXHAUSTED,
    );
    answers(
      operation,
      429,
      'api_key_banned',
      async (request) => refused(request, await store.limitedKey(1, 1_000), 22),
      MINUTE_EXHAUSTED,
    );

    async function failing(request: Request, failure: Error): Promise<Response> {
      // Whose key it is has been found out before the database fails.
      await send({ path: '/v1/unknown' });
      for (const method of ['query', 'run'] as const) {
        jest.spyOn(store.database, method).mockRejectedValue(failure);
      }
      // Another page than those that are kept in memory.
      const isList = request.method === undefined && !/\d$/.test(request.path);
      return send({ ...request, path: isList ? `${request.path}?limit=77` : request.path });
    }

    answers(operation, 500, 'internal_error', (request) => failing(request, new Error('planted')), SECOND);
    answers(
      operation,
      503,
      'service_unavailable',
      (request) => failing(request, new StorageUnavailable(new Error('planted'))),
      UNAVAILABLE,
    );
  });

  describe.each(['listPets', 'listOrders'])('to what a list is asked:', (operation) => {
    answers(operation, 400, 'invalid_parameter', async ({ path }) => send({ path: `${path}?limit=0` }));
    answers(operation, 400, 'invalid_cursor', async ({ path }) => send({ path: `${path}?cursor=x` }));
  });

  describe.each(['createPet', 'placeOrder'])('to what is sent:', (operation) => {
    answers(operation, 400, 'invalid_json', async (request) => send({ ...request, body: '{' }));
    answers(operation, 400, 'validation_failed', async (request) => send({ ...request, body: '{}' }));
    answers(operation, 400, 'invalid_parameter', async (request) =>
      send({ ...request, headers: { 'Idempotency-Key': 'two words' } }),
    );
    answers(operation, 413, 'payload_too_large', async (request) =>
      send({ ...request, body: `{${' '.repeat(20_000)}` }),
    );
    answers(operation, 415, 'unsupported_media_type', async (request) =>
      send({ ...request, headers: { 'Content-Type': 'text/plain' } }),
    );

    const headers = { 'Idempotency-Key': 'once' };

    answers(
      operation,
      409,
      'idempotency_in_progress',
      async (request) => {
        const once = jest.spyOn(store.app.get(Idempotency), 'once');
        let finish = (): void => undefined;
        // Writers take turns: the first request waits until this one is done.
        const inFront = store.database.run(() => new Promise<void>((resolve) => (finish = resolve)));
        const first = send({ ...request, headers }).then();
        const second = within(5_000, () => once.mock.calls.length > 0)
          .then(() => send({ ...request, headers }))
          .finally(() => finish());
        await Promise.all([inFront, first, second]);
        return second;
      },
      SECOND,
    );
    answers(
      operation,
      422,
      'idempotency_key_reused',
      async (request) => {
        const other = operation === 'createPet' ? OPERATIONS['placeOrder']! : OPERATIONS['createPet']!;
        await send({ ...other, body: ANIMAL, path: '/v1/pets', headers });
        return send({ ...request, body: request.body!.replace('7', '8'), headers });
      },
      SECOND,
    );
  });

  describe.each(['getPet', 'getOrder', 'completeOrder', 'cancelOrder'])(
    'to how its path and its query are spelled:',
    (operation) => {
      answers(operation, 400, 'bad_request', async (request) =>
        send({ ...request, path: request.path.replace('s/1', 's/%zz') }),
      );
      answers(operation, 400, 'invalid_parameter', async (request) =>
        send({ ...request, path: `${request.path}?x=1` }),
      );
    },
  );

  describe('to what only it may be asked:', () => {
    answers('getPet', 404, 'pet_not_found', async () => send({ path: '/v1/pets/999' }));
    answers('placeOrder', 400, 'unknown_pet', async (request) => send({ ...request, body: UNKNOWN_ANIMAL }));
    answers('placeOrder', 409, 'pet_not_available', async (request) =>
      send({ ...request, body: '{"petId":2}' }),
    );
    answers('getOrder', 404, 'order_not_found', async () => send({ path: '/v1/store/orders/999' }));
    answers('completeOrder', 404, 'order_not_found', async ({ method }) =>
      send({ method, path: '/v1/store/orders/999/complete' }),
    );
    answers('completeOrder', 409, 'order_not_open', async (request) => send(request));
    answers('cancelOrder', 404, 'order_not_found', async ({ method }) =>
      send({ method, path: '/v1/store/orders/999/cancel' }),
    );
    answers('cancelOrder', 409, 'order_not_open', async (request) => send(request));
  });

  // Last, as the time of the limits does not go back with the clock.
  describe('to what is removed:', () => {
    answers(
      'getPet',
      410,
      'operation_removed',
      async (request) => {
        store.clock.set(REMOVED);
        return send(request, await store.key('free'));
      },
      AT_REMOVAL,
    );
  });

  it('that the document promises is proved here, and no other error is given', async () => {
    const { body } = await store.send('GET', '/openapi.json', null).expect(200);
    const { paths } = body as { paths: Record<string, Record<string, DocumentedOperation>> };
    const promised = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId, responses }) =>
        Object.entries(responses).flatMap(([status, { content }]) =>
          Object.keys(content?.['application/json'].examples ?? {}).map(
            (code) => `${operationId} ${status} ${code}`,
          ),
        ),
      );
    expect(promised.sort()).toEqual([...provoked, ...PROVED_ELSEWHERE].sort());
  });
});

interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Record<
    string,
    { readonly content?: { readonly 'application/json': { readonly examples?: Record<string, unknown> } } }
  >;
}
