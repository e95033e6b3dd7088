import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import {
  animalStore,
  type AnimalStore,
  type AnimalStoreOptions,
  DailyQuotaExceeded,
  type ErrorCode,
  type ErrorCodeOf,
  NotModified,
  OrderNotFound,
  PetNotFound,
  RateLimited,
  Redirected,
  StoreError,
  Unreachable,
} from '../../clients/typescript/src/index.js';
import { withBigints } from '../../clients/typescript/src/json/int64.js';
import { parseJson, toJson } from '../../clients/typescript/src/json/json.js';
import type { Shape } from '../../clients/typescript/src/json/shape.js';
import { retryAfterMs } from '../../clients/typescript/src/retry.js';

/** What the client gives to `fetch`. */
type Sent = RequestInit & { readonly headers: Headers };

const LIMITS = {
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '59',
  'X-RateLimit-Reset': '1784000000',
};

function client(options: Partial<AnimalStoreOptions>): AnimalStore {
  return animalStore({ baseUrl: 'https://store.example/v1', apiKey: 'ask_live_any', retries: 0, ...options });
}

const responding =
  (status: number, body: string | null, headers: Record<string, string> = {}) =>
  async (): Promise<Response> =>
    new Response(body, { status, headers });

const failing = (cause: unknown) => async (): Promise<Response> => {
  throw cause;
};

describe('withResponse', () => {
  const order = '{"id":7,"petId":9223372036854775807,"status":"placed"}';

  it('returns the response and the limits beside the result', async () => {
    const store = client({ fetch: responding(200, order, { ...LIMITS, ETag: '"seven"' }) });
    const { data, response, limits } = await store.withResponse.getOrder({ orderId: 7 });

    expect(data.petId).toBe(9223372036854775807n);
    expect([response.status, response.headers.get('ETag')]).toEqual([200, '"seven"']);
    expect(limits).toEqual({ limit: 60, remaining: 59, resetAt: new Date('2026-07-14T03:33:20.000Z') });
  });

  it('has no limits for a response without them, and throws like the method itself', async () => {
    expect(await client({ fetch: responding(200, '[]') }).withResponse.listPets()).toMatchObject({
      data: [],
      limits: null,
    });
    await expect(client({ fetch: responding(500, '') }).withResponse.listPets()).rejects.toThrow(StoreError);
  });
});

/** A server on this machine, and the requests that it got: `POST /v1/pets`. */
async function serverWith(handle: RequestListener) {
  const lines: string[] = [];
  const server = createServer((request, response) => {
    lines.push(`${request.method} ${request.url}`);
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { lines, baseUrl: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
}

describe('A redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    '%i is an error that says where to, and is not followed',
    async (status) => {
      const server = await serverWith((_, response) => {
        response.writeHead(status, { Location: '/v1/pets' }).end();
      });
      const store = client({ baseUrl: server.baseUrl, retries: 4 });

      for (const call of [
        () => store.listPets(),
        () => store.createPet({ name: 'Rex', categoryId: 7 }),
        () => store.deleteWebhook({ webhookId: 7 }),
      ]) {
        const error: unknown = await call().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(Redirected);
        expect(error).toMatchObject({ name: 'Redirected', status });
        expect((error as Error).message).toMatch(
          / was redirected to \/v1\/pets\. Set baseUrl to the address/,
        );
      }
      expect(server.lines).toEqual(['GET /v1/pets', 'POST /v1/pets', 'DELETE /v1/webhooks/7']);
      server.close();
    },
  );

  it('closes its connection, however long its body is', async () => {
    const closed = new Promise<void>((resolve) => {
      void serverWith((request, response) => {
        request.socket.once('close', resolve);
        response.writeHead(302, { Location: '/' }).write('x'.repeat(1_000_000));
      }).then(async ({ baseUrl, close }) => {
        await expect(client({ baseUrl }).listPets()).rejects.toBeInstanceOf(Redirected);
        close();
      });
    });
    await closed;
  });

  it('is one too when a fetch of the caller follows it, and in a browser, which hides it', async () => {
    const followed = Object.defineProperty(new Response('[]'), 'redirected', { value: true });
    // The URL of a hidden one is that of the request.
    const hidden = Object.defineProperties(Response.error(), {
      type: { value: 'opaqueredirect' },
      url: { value: 'https://store.example/v1/pets' },
    });

    for (const response of [followed, hidden])
      await expect(client({ fetch: async () => response }).listPets()).rejects.toBeInstanceOf(Redirected);
    await expect(client({ fetch: async () => hidden }).listPets()).rejects.toThrow(/ was redirected\. Set/);
  });
});

describe('A connection that was closed while it was idle', () => {
  it.each<[string, (store: AnimalStore) => Promise<unknown>]>([
    ['GET', (store) => store.listPets()],
    ['DELETE', (store) => store.deleteWebhook({ webhookId: 7 })],
  ])('costs a %s nothing: it is sent again', async (_, call) => {
    let tries = 0;
    const server = await serverWith((request, response) => {
      if (tries++ === 0) request.socket.destroy();
      else if (request.method === 'DELETE') response.writeHead(204).end();
      else response.end('[]');
    });
    await call(client({ baseUrl: server.baseUrl, retries: 1, sleep: () => Promise.resolve() }));

    expect(server.lines).toHaveLength(2);
    server.close();
  });
});

describe('The base URL', () => {
  it.each([
    'localhost:3000/v1',
    'store.example/v1',
    '/v1',
    'file:///v1',
    'https://user:secret@store.example/v1',
    'https://store.example/v1?key=secret',
  ])('is refused before any request: %s', (baseUrl) => {
    expect(() => client({ baseUrl })).toThrow(
      new TypeError(
        'baseUrl must be an http or https URL without a user, a query and a fragment, such as https://store.example/v1.',
      ),
    );
  });
});

describe('A base URL that can be written in several ways', () => {
  it.each([
    'https://store.example/v1/',
    'https://store.example/v1//',
    ' https://store.example/v1 \n',
    'https://store.example/v1?',
    'https://store.example/v1#',
    'HTTPS://STORE.EXAMPLE:443/v1',
    // The version of another interface.
    'https://store.example/v2',
  ])('leads to the same place: %j', async (baseUrl) => {
    const urls: string[] = [];
    const store = client({
      baseUrl,
      fetch: async ({ href }) => {
        urls.push(href);
        return new Response('[]');
      },
    });
    await store.listPets({ limit: 5 });
    await store.getOrder({ orderId: 7 });

    const root = `https://store.example/${baseUrl.includes('v2') ? 'v2' : 'v1'}`;
    expect(urls).toEqual([`${root}/pets?limit=5`, `${root}/store/orders/7`]);
  });
});

describe('A part of the path', () => {
  // The key `.` would be the list of keys.
  it.each(['.', '..'])('is refused when a URL drops it: %j', async (keyId) => {
    const fetch = jest.fn(responding(200, '[]'));
    await expect(client({ fetch }).getKey({ keyId })).rejects.toThrow(new TypeError('keyId is required.'));
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe('A credential that is a function', () => {
  it('is called before every attempt, so that a retry has the current key', async () => {
    const keys = ['old', 'new'];
    const sent: (string | null)[] = [];
    const store = client({
      apiKey: async () => keys.shift()!,
      retries: 1,
      sleep: () => Promise.resolve(),
      fetch: async (_, request) => {
        sent.push((request as Sent).headers.get('Authorization'));
        return new Response('[]', { status: sent.length === 1 ? 503 : 200 });
      },
    });
    await store.listPets();

    expect(sent).toEqual(['Bearer old', 'Bearer new']);
  });

  it.each(['', 'two words', undefined])('is refused without being shown when it returns %j', async (key) => {
    const fetch = jest.fn(responding(200, '[]'));
    await expect(client({ apiKey: () => key as string, fetch }).listPets()).rejects.toThrow(
      'apiKey must be an API key: visible ASCII characters, at least one.',
    );
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe('onRequest and onResponse', () => {
  it('see every try with its response, and no credential; what onRequest sets is sent', async () => {
    const seen: unknown[] = [];
    const traced: (string | null)[] = [];
    let nowMs = 0;
    const store = client({
      retries: 2,
      sleep: () => Promise.resolve(),
      now: () => (nowMs += 5),
      onRequest: ({ operation, method, url, headers, retry }) => {
        seen.push([operation, method, url, headers.get('Authorization'), retry]);
        headers.set('traceparent', `try-${retry}`);
      },
      onResponse: ({ status, retry, headers, durationMs }) =>
        seen.push([status, retry, headers.get('traceparent'), durationMs]),
      fetch: async (_, request) => {
        traced.push((request as Sent).headers.get('traceparent'));
        if (traced.length === 1) throw new TypeError('fetch failed');
        return new Response('{}', { status: traced.length === 2 ? 500 : 200 });
      },
    });
    await store.getPet({ petId: 7 });

    const request = ['getPet', 'GET', 'https://store.example/v1/pets/7', null];
    expect(seen).toEqual([
      [...request, 0],
      [0, 0, 'try-0', 5],
      [...request, 1],
      [500, 1, 'try-1', 5],
      [...request, 2],
      [200, 2, 'try-2', 5],
    ]);
    expect(traced).toEqual(['try-0', 'try-1', 'try-2']);
  });
});

describe('The headers of a request', () => {
  const { version } = JSON.parse(
    readFileSync(resolve(__dirname, '../../clients/typescript/package.json'), 'utf8'),
  ) as { version: string };

  async function sentBy(
    use: (store: AnimalStore) => Promise<unknown>,
    options: Partial<AnimalStoreOptions> = {},
  ): Promise<Record<string, string>> {
    const sent: Sent[] = [];
    const store = client({
      ...options,
      fetch: async (_, request) => {
        sent.push(request as Sent);
        return new Response('{}', { headers: { ETag: '"one"' } });
      },
    });
    await use(store);
    return Object.fromEntries(sent.at(-1)!.headers);
  }

  it('name the client and its version, and no response that it has had', async () => {
    const twice = (store: AnimalStore) => store.listPets().then(() => store.listPets());
    expect(await sentBy(twice)).toEqual({
      accept: 'application/json',
      authorization: 'Bearer ask_live_any',
      'user-agent': `animal-store-client/${version}`,
    });
  });

  it('leave the User-Agent to a browser', async () => {
    const { navigator } = globalThis as { navigator?: object };
    const as = (value: unknown) =>
      Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
    as({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' });
    try {
      expect(await sentBy((store) => store.listPets())).not.toHaveProperty('user-agent');
    } finally {
      as(navigator);
    }
  });

  it('can be more, for the client and for a call, whose headers win', async () => {
    const headers = await sentBy(
      (store) => store.listPets({}, { headers: { traceparent: '00-1-1-01', 'x-team': 'birds' } }),
      { headers: { 'User-Agent': 'shop/2.0', 'X-Team': 'cats' } },
    );

    expect(headers).toMatchObject({ 'user-agent': 'shop/2.0', 'x-team': 'birds', traceparent: '00-1-1-01' });
  });
});

describe('The classes of errors', () => {
  const thrownBy = (fetch: AnimalStoreOptions['fetch']): Promise<unknown> =>
    client({ fetch })
      .listPets()
      .catch((error: unknown) => error);
  const refusing = (status: number, code: string) =>
    responding(status, JSON.stringify({ code, message: 'No.', status }));

  it('distinguish errors by their code', async () => {
    const error = await thrownBy(refusing(404, 'pet_not_found'));

    expect(error).toBeInstanceOf(PetNotFound);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).not.toBeInstanceOf(OrderNotFound);
    expect(error).not.toBeInstanceOf(RateLimited);
    expect(error).not.toBeInstanceOf(class OtherError extends StoreError {});
    expect(new Error('pet_not_found')).not.toBeInstanceOf(PetNotFound);
    // @ts-expect-error Its code is pet_not_found.
    expect(error instanceof PetNotFound && error.code === 'order_not_found').toBe(false);
  });

  it.each(['rate_limit_exceeded', 'daily_quota_exceeded', 'api_key_banned'])(
    'have one for every 429, such as %s',
    async (code) => {
      const error = await thrownBy(refusing(429, code));

      expect(error).toBeInstanceOf(RateLimited);
      expect(error instanceof DailyQuotaExceeded).toBe(code === 'daily_quota_exceeded');
    },
  );

  it.each([
    [404, 'pet_not_found', 'PetNotFound'],
    [429, 'daily_quota_exceeded', 'DailyQuotaExceeded'],
    [418, 'brewed_by_a_newer_service', 'BrewedByANewerService'],
    [502, 'No code', 'StoreError'],
  ])('name errors: %i %s is %s', async (status, code, name) => {
    expect(await thrownBy(refusing(status, code))).toMatchObject({ name, status });
  });

  it('have codes that are typed by operation', async () => {
    const code: ErrorCodeOf<'placeOrder'> = 'pet_not_available';
    // @ts-expect-error A list knows no such code.
    const other: ErrorCodeOf<'listPets'> = 'pet_not_available';

    expect(other).toBe(code);
  });

  it('have one for what is still current', async () => {
    expect(await thrownBy(responding(304, null))).toBeInstanceOf(NotModified);
  });

  it.each<[unknown, string]>([
    [
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') }),
      'connect ECONNREFUSED 127.0.0.1:1',
    ],
    [new TypeError('fetch failed', { cause: { message: '', code: 'ECONNREFUSED' } }), 'ECONNREFUSED'],
    [new TypeError('Failed to fetch'), 'TypeError: Failed to fetch'],
    ['no route', 'no route'],
  ])('have one for no response at all: %p', async (cause, reason) => {
    const error = await thrownBy(failing(cause));

    expect(error).toBeInstanceOf(Unreachable);
    expect(error).toMatchObject({
      name: 'Unreachable',
      status: 0,
      code: 'unreachable' satisfies ErrorCode,
      message: `listPets of https://store.example got no response: ${reason}`,
      requestId: null,
      limits: null,
      cause,
    });
  });

  it.each([
    ['a page, as of a hotel or a website', '<html></html>'],
    ['nothing', ''],
    ['half of what was sent', '[{"id":1,'],
  ])('have unknown for a success that is no JSON: %s', async (_, body) => {
    const error = await thrownBy(responding(200, body, LIMITS));

    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ name: 'StoreError', status: 200, code: 'unknown', limits: { limit: 60 } });
    expect((error as Error).message).toMatch(/^200 SyntaxError: /);
  });
});

describe('A call that its caller ends', () => {
  const reason = new Error('Never mind.');
  const never = new Promise<never>(() => undefined);

  it.each<[string, Partial<AnimalStoreOptions>]>([
    ['a fetch that looks at no signal', { fetch: () => never }],
    ['a fetch with an error of its own', { fetch: failing(new DOMException('Stopped.', 'AbortError')) }],
    ['a function for the key that never returns', { apiKey: () => never }],
  ])('ends at once with the reason, also with %s', async (_, options) => {
    const controller = new AbortController();
    const onRequest = () => queueMicrotask(() => controller.abort(reason));
    const call = client({ onRequest, retries: 4, ...options }).listPets({}, { signal: controller.signal });

    await expect(call).rejects.toBe(reason);
  });
});

describe('What the platform lacks or gets later', () => {
  it('is a random UUID, in pages that came without TLS: a change has a key nevertheless', async () => {
    const keys: (string | null)[] = [];
    Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true });
    const store = client({
      fetch: async (_, { headers }) => {
        keys.push((headers as Headers).get('Idempotency-Key'));
        return new Response('{}');
      },
    });
    await store.createPet({ name: 'Rex', categoryId: 7 });
    await store.createPet({ name: 'Rex', categoryId: 7 });
    delete (crypto as { randomUUID?: unknown }).randomUUID;

    for (const key of keys) expect(key).toMatch(/^\d+(-\d+){3}$/);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('is a fetch that tests or tracing put in its place', async () => {
    const store = client({});
    const replaced = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('[]'));
    expect(await store.listPets()).toEqual([]);
    replaced.mockRestore();
  });
});

describe('Waits', () => {
  it('end when the number of retries is none, as of a variable that is not set', async () => {
    const fetch = jest.fn(responding(503, ''));
    const sleep = () =>
      fetch.mock.calls.length > 9 ? Promise.reject(new Error('Endless.')) : Promise.resolve();
    await expect(client({ fetch, sleep, retries: Number(undefined) }).listPets()).rejects.toThrow('503');
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it('of more than a timer can count do not end at once', async () => {
    jest.useFakeTimers();
    const fetch = jest.fn(responding(503, '', { 'Retry-After': '2592000' }));
    const controller = new AbortController();
    const call = client({ fetch, retries: 9, longestWaitMs: Infinity }).listPets(
      {},
      { signal: controller.signal },
    );
    await jest.advanceTimersByTimeAsync(86_400_000);
    expect(fetch).toHaveBeenCalledTimes(1);

    controller.abort(new Error('Never mind.'));
    await expect(call).rejects.toThrow('Never mind.');
    jest.useRealTimers();
  });
});

describe('A deprecation whose day cannot be read', () => {
  it('does not fail the call', async () => {
    const notices: unknown[] = [];
    const fetch = responding(200, '{"id":1}', { Deprecation: '@1795132800', Sunset: 'some day' });
    await client({ fetch, onDeprecated: (deprecation) => notices.push(deprecation) }).getPet({ petId: 1 });

    expect(notices).toMatchObject([{ operation: 'getPet', sunset: null }]);
  });
});

/** The shape of an object with ids at every depth. */
const SHAPE: Shape = {
  fields: {
    id: 'int64',
    ids: { items: 'int64' },
    rows: { items: { items: 'int64' } },
    owner: { fields: { id: 'int64' } },
    parts: { items: 'Order' },
    byName: { values: 'int64' },
  },
};

describe('parseJson', () => {
  it.each<[string, unknown]>([
    ['{"id":9223372036854775807}', { id: 9223372036854775807n }],
    ['{"id" : -9223372036854775808 }', { id: -9223372036854775808n }],
    ['{"\\u0069d":9007199254740993}', { id: 9007199254740993n }],
    ['{"id":7,"ids":[1,9007199254740993]}', { id: 7n, ids: [1n, 9007199254740993n] }],
    ['{"ids":[1,2],"rows":[[1],[]]}', { ids: [1n, 2n], rows: [[1n], []] }],
    [
      '{"owner":{"id":1,"age":2},"parts":[{"petId":3}]}',
      { owner: { id: 1n, age: 2 }, parts: [{ petId: 3n }] },
    ],
    ['{"byName":{"Rex":1,"__proto__":2}}', { byName: { Rex: 1n, ['__proto__']: 2n } }],
    ['{"status":404}', { status: 404 }],
    ['{"status":9007199254740993}', { status: 9007199254740992 }],
    ['{"status":[12345678901234567890]}', { status: [12345678901234567000] }],
    ['{"status":0.12345678901234567890}', { status: 0.12345678901234568 }],
    ['{"status":1.2e1234567890123456}', { status: Infinity }],
    ['{"id":12.5}', { id: 12.5 }],
    ['{"id":null,"ids":null,"owner":null}', { id: null, ids: null, owner: null }],
    [
      '{"name":"i9007199254740993","id":9007199254740993}',
      { name: 'i9007199254740993', id: 9007199254740993n },
    ],
    ['{"name":"\\"id\\": 9007199254740993, {\\"id\\":8}"}', { name: '"id": 9007199254740993, {"id":8}' }],
    ['{"name":"id\\\\","id":9007199254740993}', { name: 'id\\', id: 9007199254740993n }],
    [
      '{"9007199254740993":"sold","id":9007199254740993}',
      { '9007199254740993': 'sold', id: 9007199254740993n },
    ],
    ['"id"', 'id'],
    ['[]', []],
  ])('reads %s', (text, value) => {
    expect(parseJson(text, SHAPE)).toEqual(value);
  });

  it('reads whole numbers as numbers without a shape', () => {
    expect(parseJson('[{"id":7},9007199254740993]')).toEqual([{ id: 7 }, 9007199254740992]);
  });

  it.each([
    '',
    '{"id":}',
    '{"id":7',
    '{"id":01}',
    '{"id":09007199254740993}',
    '{"id":9007199254740993"a"}',
    '"',
  ])('refuses %j', (text) => {
    expect(() => parseJson(text, SHAPE)).toThrow(SyntaxError);
  });
});

describe('withBigints', () => {
  it('converts the numbers in the places of int64s to bigints, and changes nothing else', () => {
    const given = {
      id: 1,
      ids: [2, 3n],
      owner: { id: 4, age: 5 },
      parts: [{ petId: 6 }],
      at: new Date(0),
      name: null,
    };

    expect(withBigints(given, SHAPE)).toEqual({
      id: 1n,
      ids: [2n, 3n],
      owner: { id: 4n, age: 5 },
      parts: [{ petId: 6n }],
      at: new Date(0),
      name: null,
    });
  });

  it.each<[unknown, string]>([
    [{ ids: [1, 2 ** 53] }, 'ids[1]'],
    [{ owner: { id: 2 ** 60 } }, 'owner.id'],
    [{ parts: [{ petId: NaN }] }, 'parts[0].petId'],
    [{ byName: { Rex: 2n ** 63n } }, 'byName.Rex'],
    [{ rows: [[1], [-(2n ** 63n) - 1n]] }, 'rows[1][0]'],
  ])('refuses %p with the name of the field', (given, place) => {
    expect(() => withBigints(given, SHAPE)).toThrow(`${place} must be `);
  });
});

describe('toJson', () => {
  it.each<[unknown, string]>([
    [{ id: 9223372036854775807n, name: 'Rex "II"' }, '{"id":9223372036854775807,"name":"Rex \\"II\\""}'],
    [{ status: undefined, name: null, call: () => 1 }, '{"name":null}'],
    [[1n, 2, true, 'a', {}, undefined], '[1,2,true,"a",{},null]'],
    [
      { at: new Date(0), part: { toJSON: (name: string) => `the ${name}` } },
      '{"at":"1970-01-01T00:00:00.000Z","part":"the part"}',
    ],
    [{ most: Infinity, none: NaN }, '{"most":null,"none":null}'],
    [undefined, 'null'],
  ])('writes %p', (value, text) => {
    expect(toJson(value)).toBe(text);
  });
});

describe('retryAfterMs', () => {
  const nowMs = Date.parse('2026-03-14T12:00:00Z');

  it.each([
    ['42', 42_000],
    ['Sat, 14 Mar 2026 12:01:00 GMT', 60_000],
    ['Sat, 14 Mar 2026 11:00:00 GMT', 0],
    ['soon', null],
  ])('reads %s as %p', (text, ms) => {
    expect(retryAfterMs(new Headers({ 'Retry-After': text }), nowMs)).toBe(ms);
  });

  it('is null without the header', () => {
    expect(retryAfterMs(new Headers(), nowMs)).toBeNull();
  });
});
