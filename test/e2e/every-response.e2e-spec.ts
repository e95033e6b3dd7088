import type { Response, Test } from 'supertest';
import { generateApiKey } from '@animal-store/api-keys';
import { Idempotency } from '@animal-store/idempotency';
import { StorageUnavailable } from '@animal-store/kernel';
import { RateLimitStore } from '@animal-store/rate-limiting';
import {
  acceptedDocument,
  type DocumentedOperation,
  type OpenApiDocument,
  operationsOf,
} from '../support/documented-operations.js';
import { hashApiKey } from '@animal-store/api-keys';
import { BackgroundStorage } from '../../src/access/infrastructure/background-storage.js';
import { StoreKeyIssuer } from '../../src/access/application/key-issuer.service.js';
import { FindKey } from '../../src/access/application/find-key.use-case.js';
import { scopes as defined } from '../../src/contexts.js';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';
import {
  isSeveral,
  type OperationRequests,
  type RequestLine,
  requestOf,
  requestsOfContexts,
  type SentRequest as Request,
} from './requests/context-requests.js';

const NOON = '2026-03-14T12:00:00Z';
const SHOP = 'https://shop.example';

/** The rate limit headers of a response; `undefined` for a header that must be missing. */
type Limits = Readonly<Record<string, string | undefined>>;

const FREE = '"minute";q=60;w=60, "day";q=1000;w=86400';
/** The limits of a Free key that has spent as many requests, at noon. */
const spent = (count: number): Limits => ({
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': `${60 - count}`,
  'x-ratelimit-reset': '1773489660',
  'ratelimit-policy': FREE,
  ratelimit: `"minute";r=${60 - count};t=60, "day";r=${1_000 - count};t=43200`,
  'retry-after': undefined,
});
const FIRST = spent(1);
/** The limits of an address that has spent as many requests: it has no daily limit. */
const spentByAddress = (count: number): Limits => ({
  ...spent(count),
  'ratelimit-policy': '"minute";q=60;w=60',
  ratelimit: `"minute";r=${60 - count};t=60`,
});
const ADDRESS = spentByAddress(1);
/** The limits after the first preflight from an address. */
const PREFLIGHT: Limits = {
  ...FIRST,
  'x-ratelimit-limit': '60000',
  'x-ratelimit-remaining': '59999',
  'ratelimit-policy': '"preflight.minute";q=60000;w=60',
  ratelimit: '"preflight.minute";r=59999;t=60',
};
type Apart = NonNullable<OperationRequests['apart']>;

/** The limits of an operation that counts apart, after as many requests. */
const spentApart = ({ name, perMinute }: Apart, count: number): Limits => ({
  ...FIRST,
  'x-ratelimit-limit': `${perMinute}`,
  'x-ratelimit-remaining': `${perMinute - count}`,
  'ratelimit-policy': `"${name}.minute";q=${perMinute};w=60`,
  ratelimit: `"${name}.minute";r=${perMinute - count};t=60`,
});
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

const ANIMAL = '{"name":"Rex","categoryId":7}';

/** A code that takes long to provoke. The test of time-outs provokes it for every operation that has it. */
const PROVED_ELSEWHERE = 'request_timeout';

const CONTEXTS = requestsOfContexts();
const DOCUMENTED = operationsOf(acceptedDocument());
for (const [id, requests] of CONTEXTS.flatMap(([, { operations }]) => Object.entries(operations))) {
  const documented = DOCUMENTED.find(({ operationId }) => operationId === id);
  if (!documented)
    throw new Error(`docs/openapi.json has no operation ${id}; "npm run openapi:accept" adds a new one.`);
  const problem = problemOfOther(requests, documented);
  if (problem) throw new Error(`${id}: ${problem}`);
}

/** The same request again would get the first response. */
function problemOfOther({ request, other }: OperationRequests, { body }: DocumentedOperation): string | null {
  if (!other) return null;
  const [one, two] = [requestOf(request), requestOf(other)];
  if (one.path !== two.path || (body && one.body !== two.body)) return null;
  return body
    ? '`other` must differ from `request` in its path or its body.'
    : 'it takes no body, so `other` must differ from `request` in its path.';
}

/** An id that no resource has. */
const LAST_ID = '9223372036854775807';

function omit(headers: Request['headers'] = {}, name: string): Request['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([given]) => given !== name));
}

function withParameter(path: string, parameter: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${parameter}`;
}

describe('Every response under /v1', () => {
  let store: TestApp;
  /** A key whose account has used nothing when a test begins, because the tests check its limits. */
  let key: string;
  let addresses = 0;
  let accounts = 0;
  let idempotencyKeys = 0;
  /** How many keys the store has made; a test sends the last one. */
  let made = 0;

  /** The provoked errors, as `operation status code`. */
  const provoked: string[] = [];

  function startStore(): void {
    let outer: TestApp;
    const { randomUUID } = crypto;

    beforeAll(async () => {
      outer = store;
      // With a trusted proxy every request can have its own address.
      store = await TestApp.start({
        TRUST_PROXY: '1',
        CORS_ORIGINS: SHOP,
        MAX_KEYS_PER_ACCOUNT: '3',
        MAX_STREAMS_PER_ACCOUNT: '1',
      });
      // Requests can name the keys that were made before them.
      const issuer = store.app.get(StoreKeyIssuer);
      const newSecret = issuer.newSecret.bind(issuer);
      made = 0;
      issuer.newSecret = () => ({ ...newSecret(), id: `key_${++made}` });
      let events = 0;
      crypto.randomUUID = () => `00000000-0000-4000-8000-${String(++events).padStart(12, '0')}`;
    });

    afterAll(async () => {
      crypto.randomUUID = randomUUID;
      await store.stop();
      store = outer;
    });
  }

  beforeEach(async () => {
    store.forgetCounts();
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
    expect(response.headers['link']).toContain(`</docs/errors#${code}>; rel="help"`);
  }

  describe('of no context', () => {
    startStore();

    describe('that is not an error', () => {
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

    describe('outside of operations', () => {
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
        expectLimits(response, { ...spentByAddress(0), 'retry-after': '5' });
      });
    });

    it('needs an `other` request that is another one', () => {
      const [withBody, without] = ['createPet', 'cancelOrder'].map((id) => {
        const operation = DOCUMENTED.find(({ operationId }) => operationId === id)!;
        return (other: RequestLine) => problemOfOther({ request: 'POST /v1/rex {"a":1}', other }, operation);
      });
      expect(withBody!('POST /v1/rex {"a":2}')).toBeNull();
      expect(withBody!('POST /v1/rex {"a":1}')).toContain('in its path or its body');
      expect(without!('POST /v1/rex {"a":2}')).toContain(
        'takes no body, so `other` must differ from `request` in its path',
      );
      expect(without!('POST /v1/mia {"a":1}')).toBeNull();
    });

    describe('in the document', () => {
      it('is proved here or elsewhere, and the document has no other', async () => {
        const { body } = await store.send('GET', '/openapi.json', null).expect(200);
        const promised = operationsOf(body as OpenApiDocument).flatMap(({ operationId, errors }) =>
          errors
            .filter(({ code }) => code !== PROVED_ELSEWHERE)
            .map(({ status, code }) => `${operationId} ${status} ${code}`),
        );
        expect(promised.sort()).toEqual([...provoked].sort());
      });

      it('has its requests in test/e2e/requests under the id of its operation', () => {
        const named = CONTEXTS.flatMap(([, { operations }]) => Object.keys(operations));
        const missing = DOCUMENTED.filter(({ operationId }) => !named.includes(operationId));

        // The lines to add.
        const lines = missing.map(
          ({ operationId, method, path }) =>
            `${operationId}: { request: '${method} ${path.replace(/\{\w+\}/g, '1')}' },`,
        );
        expect(lines).toEqual([]);
      });
    });
  });

  describe.each(CONTEXTS)('of %s:', (_, { before, operations }) => {
    startStore();

    /** The first request of `before` that was refused, or whose Location leads to nothing. */
    let refusedBefore: object | undefined;

    beforeAll(async () => {
      const zoo = await store.key('business', 'zoo');
      for (const line of before) {
        const { status, text, headers } = await send(requestOf(line), zoo);
        if (status >= 300) refusedBefore ??= { line, status, text };
        const { location } = headers as { location?: string };
        if (location && (await send({ path: location }, zoo)).status !== 200)
          refusedBefore ??= { line, location };
      }
    });

    it('each request of `before` succeeds, and its Location has what was added', () => {
      expect(refusedBefore).toBeUndefined();
    });

    const documented = DOCUMENTED.filter(({ operationId }) => operationId in operations);
    const all = documented.flatMap((operation) =>
      provocationsOf(operation, operations[operation.operationId]!).map((provocation) => ({
        ...provocation,
        operationId: operation.operationId,
      })),
    );
    const prove = (proved: typeof all) => {
      for (const { operationId, status, code, provoke, limits } of proved) {
        provoked.push(`${operationId} ${status} ${code}`);
        it(`${status} ${code} of ${operationId}`, async () => {
          // Without what it lacks it would fail, too, and hide the cause.
          if (refusedBefore) return;
          const response = await provoke();

          expectError(response, status, code);
          const { cost = 1, apart } = operations[operationId]!;
          expectLimits(response, limits ?? (apart ? spentApart(apart, 1) : spent(cost)));
        });
      }
    };
    prove(all.filter(({ status }) => status !== 410));

    // The limits do not follow the clock when it goes back.
    const removals = all.filter(({ status }) => status === 410);
    if (removals.length > 0) {
      describe('after its removal,', () => {
        startStore();
        prove(removals);
      });
    }
  });

  interface Provocation {
    readonly provoke: () => Promise<Response>;
    /** Default: the limits after this request alone. */
    readonly limits?: Limits;
  }

  /** The request with the id of the key that sends it in place of `key_own`. */
  const ofOwnKey = (line: RequestLine) =>
    typeof line === 'string' ? (line.replace('key_own', `key_${made}`) as typeof line) : line;

  /** How each error of an operation is provoked: by a request of its context, or in one way for all. */
  function provocationsOf(
    operation: DocumentedOperation,
    { request, other, cost = 1, apart, errors: own = {} }: OperationRequests,
  ): (Provocation & { status: number; code: string })[] {
    const good = requestOf(request);
    const everywhere: Readonly<Record<string, Provocation>> = {
      ...ofEveryOperation(good, operation, cost),
      ...ofBodies(good, operation),
      inactive_api_key: { provoke: () => withRevokedKey(good), limits: spent(1 + cost) },
      ...(apart && ofCountingApart(good, apart)),
      ...(other && ofIdempotency(good, requestOf(other), spent(2 * cost))),
    };
    const ownCodes = Object.keys(own).filter((code) =>
      operation.errors.every((error) => error.code !== code),
    );
    const unpromised = ownCodes.map((code) => ({ status: 0, code }));
    return [...operation.errors, ...unpromised].flatMap(({ status, code }) => {
      const lines = own[code];
      if (lines !== undefined && isSeveral(lines)) return [{ status, code, ...alone(lines, cost) }];
      if (lines) return [{ status, code, provoke: async () => send(requestOf(ofOwnKey(lines))) }];
      if (everywhere[code]) return [{ status, code, ...everywhere[code] }];
      if (status !== 404) return [];
      return [{ status, code, provoke: async () => send({ ...good, path: pathWith(operation, LAST_ID) }) }];
    });
  }

  /** Before the server knows that it is revoked. */
  async function withRevokedKey(request: Request): Promise<Response> {
    await send({ path: '/v1/pets' }).expect(200);
    const { id } = await store.app.get(FindKey).execute({ hash: hashApiKey(key) });
    const changes = jest.spyOn(store.app.get(BackgroundStorage).keys, 'changedAfter').mockResolvedValue([]);
    try {
      await store.app.get(StoreKeyIssuer).revoke(id);
      return await send(request);
    } finally {
      changes.mockRestore();
    }
  }

  /** Sent by a new account, of which only the last request is refused. */
  function alone(lines: readonly RequestLine[], cost: number): Provocation {
    return {
      provoke: async () => {
        const lonely = await store.key('free', `alone ${++accounts}`);
        for (const line of lines.slice(0, -1)) {
          expect((await send(requestOf(line), lonely)).status).toBeLessThan(300);
        }
        return send(requestOf(lines.at(-1)!), lonely);
      },
      limits: spent(lines.length * cost),
    };
  }

  function pathWith({ path }: DocumentedOperation, parameter: string): string {
    return path.replaceAll(/\{\w+\}/g, parameter);
  }

  function ofEveryOperation(
    request: Request,
    operation: DocumentedOperation,
    cost: number,
  ): Readonly<Record<string, Provocation>> {
    const { path } = request;
    // Pages with this limit are not cached.
    const uncached = { ...request, path: operation.hasLimit ? withParameter(path, 'limit=77') : path };
    return {
      missing_api_key: { provoke: async () => send(request, null), limits: spentByAddress(cost) },
      invalid_api_key: {
        provoke: async () => send(request, generateApiKey('ask_live_')),
        limits: spentByAddress(cost),
      },
      insufficient_scope: {
        provoke: async () => {
          // What an operation without scopes reads decides: here it is of animals.
          const scopes = operation.scopes.length > 0 ? operation.scopes : ['pets:read'];
          const { name: other } = defined.find(({ name }) => !scopes.includes(name))!;
          const response = await send(request, await store.key('free', 'zoo', [other]));
          const missing = `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;
          expect(response.headers['www-authenticate']).toBe(missing);
          return response;
        },
      },
      rate_limit_exceeded: {
        provoke: async () => refused(request, await store.limitedKey(1, 1_000), 2),
        limits: MINUTE_EXHAUSTED,
      },
      daily_quota_exceeded: {
        provoke: async () => refused(request, await store.limitedKey(60, 1), 2),
        limits: DAY_EXHAUSTED,
      },
      api_key_banned: {
        provoke: async () => refused(request, await store.limitedKey(1, 1_000), 22),
        limits: MINUTE_EXHAUSTED,
      },
      internal_error: { provoke: () => failing(uncached, new Error('planted')), limits: spent(1 + cost) },
      service_unavailable: {
        provoke: () => failing(uncached, new StorageUnavailable(new Error('planted'))),
        limits: { ...spent(1 + cost), 'retry-after': '5' },
      },
      too_many_streams: {
        provoke: async () => {
          const controller = new AbortController();
          const headers = { Authorization: `Bearer ${key}`, ...request.headers };
          const url = `http://127.0.0.1:${store.port}${path}`;
          const open = await fetch(url, { headers, signal: controller.signal });
          expect(open.status).toBe(200);
          try {
            return await send(request);
          } finally {
            controller.abort();
          }
        },
        limits: { ...spent(2 * cost), 'retry-after': '10' },
      },
      bad_request: { provoke: async () => send({ ...request, path: pathWith(operation, '%zz') }) },
      precondition_failed: {
        provoke: async () => send({ ...request, headers: { ...request.headers, 'If-Match': '"other"' } }),
      },
      precondition_required: {
        provoke: async () => send({ ...request, headers: omit(request.headers, 'If-Match') }),
      },
      invalid_parameter: {
        provoke: async () => send({ ...request, path: withParameter(path, 'unknown=1') }),
      },
      range_not_satisfiable: {
        provoke: async () =>
          send({ ...request, headers: { ...request.headers, Range: `bytes=${LAST_ID}-` } }),
      },
      invalid_cursor: { provoke: async () => send({ ...request, path: withParameter(path, 'cursor=x') }) },
      operation_removed: {
        provoke: async () => {
          store.clock.set(`${operation.sunset}T00:00:00Z`);
          return send(request, await store.key('free'));
        },
        limits: {
          ...spent(cost),
          'x-ratelimit-reset': String(Date.parse(operation.sunset!) / 1_000 + 60),
          ratelimit: `"minute";r=${60 - cost};t=60, "day";r=${1_000 - cost};t=86400`,
        },
      },
    };
  }

  /** Its own minute is used up without as many requests. */
  function ofCountingApart(request: Request, apart: Apart): Readonly<Record<string, Provocation>> {
    const limits = { ...spentApart(apart, apart.perMinute), 'retry-after': '60' };
    const { name, perMinute } = apart;
    const plan = [{ name: 'minute', limit: perMinute, seconds: 60, budget: name }];
    const after = (refusals: number) => async () => {
      const { id } = await store.app.get(FindKey).execute({ hash: hashApiKey(key) });
      const subject = { id: 'account zoo', caller: `${name} ${id}`, plan };
      const counts = store.app.get(RateLimitStore);
      for (let sent = 0; sent <= refusals; sent++)
        await counts.consume(subject, store.clock.now(), sent === 0 ? apart.perMinute : 1);
      return send(request);
    };
    return {
      rate_limit_exceeded: { provoke: after(0), limits },
      api_key_banned: { provoke: after(apart.perMinute / 2), limits },
      internal_error: { provoke: () => failing(request, new Error('planted')) },
      service_unavailable: {
        provoke: () => failing(request, new StorageUnavailable(new Error('planted'))),
        limits: { ...spentApart(apart, 1), 'retry-after': '5' },
      },
    };
  }

  async function refused(request: Request, limited: string, requests: number): Promise<Response> {
    for (let sent = 1; sent < requests; sent++) await send({ path: '/v1/unknown' }, limited);
    return send(request, limited);
  }

  async function failing(request: Request, failure: Error): Promise<Response> {
    // This request caches the key before the database fails.
    await send({ path: '/v1/unknown' });
    // A write waits in the queue, also when it is one statement that needs no transaction of its own.
    const { file } = store.database as unknown as {
      readonly file: { readonly queue: { add(): Promise<unknown> } };
    };
    jest.spyOn(file.queue, 'add').mockRejectedValue(failure);
    for (const method of ['query', 'queryOnce', 'run'] as const)
      jest.spyOn(store.database, method).mockRejectedValue(failure);
    return send(request);
  }

  function ofBodies(request: Request, { body }: DocumentedOperation): Readonly<Record<string, Provocation>> {
    const withType = (type: string): Request => ({
      ...request,
      headers: { ...request.headers, 'Content-Type': type },
    });
    const isBytes = body?.kind === 'bytes';
    const invalid = isBytes ? Buffer.alloc(0) : '{"unknown":1}';
    const tooLarge = isBytes ? Buffer.alloc(body.maxBytes + 1) : `{${' '.repeat(20_000)}`;
    return {
      invalid_json: { provoke: async () => send({ ...request, body: '{' }) },
      validation_failed: { provoke: async () => send({ ...request, body: invalid }) },
      payload_too_large: { provoke: async () => send({ ...request, body: tooLarge }) },
      unsupported_media_type: { provoke: async () => send(withType('text/plain')) },
    };
  }

  function ofIdempotency(
    request: Request,
    other: Request,
    limits: Limits,
  ): Readonly<Record<string, Provocation>> {
    // The first responses of an account are those of all its keys.
    const newKey = () => {
      const name = `once-${++idempotencyKeys}`;
      return (one: Request) => ({ ...one, headers: { ...one.headers, 'Idempotency-Key': name } });
    };
    return {
      idempotency_in_progress: {
        provoke: async () => {
          const withKey = newKey();
          const once = jest.spyOn(store.app.get(Idempotency), 'once');
          const noUnit = (): void => undefined;
          let finish = noUnit;
          // Only one writer runs at a time, so the first request waits for this transaction.
          const inFront = store.database.run(() => new Promise<void>((resolve) => (finish = resolve)));
          // In the turn of the event loop in which a unit begins, each write counts as one of its own.
          await within(5_000, () => finish !== noUnit);
          await new Promise(setImmediate);
          const first = send(withKey(request)).then();
          const second = within(5_000, () => once.mock.calls.length > 0)
            .then(() => send(withKey(request)))
            .finally(() => finish());
          await Promise.all([inFront, first, second]);
          return second;
        },
        limits: { ...limits, 'retry-after': '1' },
      },
      first_response_withheld: {
        provoke: async () => {
          const withKey = newKey();
          expect((await send(withKey(request), await store.key('free', 'zoo'))).status).toBeLessThan(300);
          return send(withKey(request));
        },
        limits,
      },
      idempotency_key_reused: {
        provoke: async () => {
          const withKey = newKey();
          expect((await send(withKey(other))).status).toBeLessThan(300);
          return send(withKey(request));
        },
        limits,
      },
    };
  }
});
