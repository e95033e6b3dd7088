import type { Response, Test } from 'supertest';
import { generateApiKey } from '@animal-store/api-keys';
import { RawConnection } from '@animal-store/web/testing';
import type { IssuedKey } from '@animal-store/api-keys/issuing';
import { StoreKeyIssuer } from '../../src/access/application/key-issuer.service.js';
import { KeyChangesPoller } from '../../src/access/infrastructure/keys/key-changes.poller.js';
import { TestApp } from '../support/test-app.js';

/** The time when getPet is removed. */
const REMOVED = '2030-12-05T00:00:00Z';

interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const POST: Request = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
const TEXT: Request = { method: 'POST', headers: { 'Content-Type': 'text/plain' } };
const BAD_KEY = { 'Idempotency-Key': 'two words' };
const TOO_LARGE = ' '.repeat(20_000);

describe('The order of checks of a request', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.start({ FREE_PER_MINUTE: '200', TRUST_PROXY: '1' });
    key = await store.key();
  });

  afterAll(() => store.stop());

  afterEach(() => store.clock.set('2026-03-14T12:00:00Z'));

  function send(
    { method = 'GET', path = '/v1/pets', headers = {}, body }: Request,
    withKey: string | null,
  ): Test {
    const sent = store.send(method, path, withKey).set(headers);
    return body === undefined ? sent : sent.send(body);
  }

  function facts({ status, body }: Response): string {
    return `${status} ${(body as { code: string }).code}`;
  }

  /** Requests with an error other than 401 when they have a valid key. */
  const wrong: [string, Request][] = [
    ['the body is invalid JSON', { ...POST, body: '{' }],
    ['the body is too large', { ...POST, body: TOO_LARGE }],
    ['the body has another content type', { ...TEXT, body: 'Rex' }],
    ['a field is invalid', { ...POST, body: '{"name":7}' }],
    ['a parameter is invalid', { path: '/v1/pets?limit=0' }],
    ['the cursor is invalid', { path: '/v1/pets?cursor=x' }],
    ['the Idempotency-Key is invalid', { ...POST, headers: { ...POST.headers, ...BAD_KEY } }],
    ['the path does not exist', { path: '/v1/unknown' }],
    ['the path is only the version', { path: '/v1' }],
    ['the method is not allowed', { method: 'DELETE' }],
    ['the path cannot be decoded', { path: '/v1/pets/%zz' }],
    ['the animal does not exist', { path: '/v1/pets/999' }],
    ['If-None-Match matches', { headers: { 'If-None-Match': '*' } }],
    ['the method is OPTIONS', { method: 'OPTIONS' }],
    ['everything is wrong', { ...TEXT, method: 'PUT', path: '/v1/pets/%zz?limit=0', body: TOO_LARGE }],
  ];

  describe('401 missing_api_key without a key, even if', () => {
    it.each(wrong)('%s', async (_, request) => {
      const response = await send(request, null);

      expect(facts(response)).toBe('401 missing_api_key');
      expect(response.headers['www-authenticate']).toBe('Bearer realm="animal-store"');
    });

    it('the operation is removed', async () => {
      store.clock.set(REMOVED);
      expect(facts(await send({ path: '/v1/pets/1' }, null))).toBe('401 missing_api_key');
    });
  });

  describe('401 invalid_api_key with a bad key, even if', () => {
    it.each(wrong)('%s', async (_, request) => {
      const response = await send(request, generateApiKey('ask_live_'));

      expect(facts(response)).toBe('401 invalid_api_key');
      expect(response.headers['www-authenticate']).toBe('Bearer realm="animal-store", error="invalid_token"');
    });
  });

  describe('429 past the limit of the key, even if', () => {
    let exhausted: string;

    beforeEach(async () => {
      // The key is banned only after 500 refused requests, half its limit.
      exhausted = await store.limitedKey(1_000, 1);
      await store.send('GET', '/v1/pets', exhausted).expect(200);
    });

    it.each(wrong)('%s', async (_, request) => {
      expect(facts(await send(request, exhausted))).toBe('429 daily_quota_exceeded');
    });

    it('the operation is removed', async () => {
      store.clock.set(REMOVED);
      const removed = await store.limitedKey(1_000, 1);
      await store.send('GET', '/v1/pets', removed).expect(200);
      expect(facts(await send({ path: '/v1/pets/1' }, removed))).toBe('429 daily_quota_exceeded');
    });
  });

  describe('403 for a key without the scope, naming all that is missing, even if', () => {
    let narrow: string;

    beforeAll(async () => {
      narrow = await store.key('business', 'zoo', ['orders:read']);
    });

    it.each([
      ['the body is invalid JSON', { ...POST, body: '{' }],
      ['the body is too large', { ...POST, body: TOO_LARGE }],
      ['the body has another content type', { ...TEXT, body: 'Rex' }],
      ['a parameter is invalid', { ...POST, path: '/v1/pets?limit=0', body: '{}' }],
    ])('%s', async (_, request) => {
      const response = await send(request, narrow);

      expect(facts(response)).toBe('403 insufficient_scope');
      expect(response.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_scope", scope="pets:write"',
      );
    });

    it('the operation is removed', async () => {
      store.clock.set(REMOVED);
      expect(facts(await send({ path: '/v1/pets/1' }, narrow))).toBe('403 insufficient_scope');
    });
  });

  it('404, 405 and 400, not 403, for what is no operation', async () => {
    const narrow = await store.key('business', 'zoo', ['orders:read']);
    expect(facts(await send({ path: '/v1/unknown' }, narrow))).toBe('404 route_not_found');
    expect(facts(await send({ method: 'DELETE' }, narrow))).toBe('405 method_not_allowed');
    expect(facts(await send({ path: '/v1/%zz' }, narrow))).toBe('400 bad_request');
  });

  it('429 past the limit of the address, before the error for a missing or bad key', async () => {
    const stranger = { 'X-Forwarded-For': '192.0.2.1' };
    await Promise.all(Array.from({ length: 200 }, () => send({ headers: stranger }, null)));

    expect(facts(await send({ headers: stranger }, null))).toBe('429 rate_limit_exceeded');
    expect(facts(await send({ headers: stranger }, generateApiKey('ask_live_')))).toBe(
      '429 rate_limit_exceeded',
    );
    await send({ headers: stranger }, key).expect(200);
  });

  describe('410 for a removed operation, even if', () => {
    it.each<[string, Request]>([
      ['the animal does not exist', { path: '/v1/pets/999' }],
      ['the petId is not a number', { path: '/v1/pets/rex' }],
      ['the path cannot be decoded', { path: '/v1/pets/%zz' }],
      ['If-None-Match matches', { path: '/v1/pets/1', headers: { 'If-None-Match': '*' } }],
      ['there is a body', { path: '/v1/pets/1', headers: { 'Content-Type': 'text/plain' }, body: TOO_LARGE }],
    ])('%s', async (_, request) => {
      store.clock.set(REMOVED);
      expect(facts(await send(request, await store.key()))).toBe('410 operation_removed');
    });
  });

  it('405 for another method on the path of a removed operation', async () => {
    store.clock.set(REMOVED);
    const response = await send({ method: 'DELETE', path: '/v1/pets/1' }, await store.key());
    expect(facts(response)).toBe('405 method_not_allowed');
  });

  it.each<[string, string, Request]>([
    ['404 route_not_found', 'the body of an unknown path', { ...TEXT, path: '/v1/unknown', body: TOO_LARGE }],
    ['404 route_not_found', 'the method of an unknown path', { method: 'DELETE', path: '/v1/unknown' }],
    [
      '400 bad_request',
      'the body of a path that cannot be decoded',
      { ...TEXT, path: '/v1/%zz', body: TOO_LARGE },
    ],
    ['405 method_not_allowed', 'its body', { ...TEXT, method: 'PUT', body: TOO_LARGE }],
    ['405 method_not_allowed', 'the length of its body', { ...POST, method: 'PUT', body: TOO_LARGE }],
    ['405 method_not_allowed', 'its parameters', { method: 'DELETE', path: '/v1/pets?limit=0' }],
    ['415 unsupported_media_type', 'the length of the body', { ...TEXT, body: TOO_LARGE }],
    ['415 unsupported_media_type', 'its text', { ...TEXT, body: '{' }],
    [
      '415 unsupported_media_type',
      'the Idempotency-Key',
      { ...TEXT, headers: { ...TEXT.headers, ...BAD_KEY }, body: '{}' },
    ],
    ['413 payload_too_large', 'the text of the body', { ...POST, body: `{${TOO_LARGE}` }],
    [
      '413 payload_too_large',
      'the Idempotency-Key',
      { ...POST, headers: { ...POST.headers, ...BAD_KEY }, body: TOO_LARGE },
    ],
    ['400 invalid_json', 'the fields', { ...POST, body: '{"name":7,}' }],
    [
      '400 invalid_json',
      'the Idempotency-Key',
      { ...POST, headers: { ...POST.headers, ...BAD_KEY }, body: '{' },
    ],
    [
      '400 validation_failed',
      'whether the animal exists',
      { ...POST, path: '/v1/store/orders', body: '{"petId":7,"by":"me"}' },
    ],
    ['400 invalid_parameter', 'the cursor', { path: '/v1/pets?limit=0&cursor=x' }],
  ])('%s before %s', async (expected, _, request) => {
    expect(facts(await send(request, key))).toBe(expected);
  });

  describe('the body is not read', () => {
    const head =
      'POST /v1/pets HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\nContent-Length: 16000\r\n';

    async function statusOf(text: string): Promise<number> {
      const connection = await RawConnection.open(store.port);
      const [response] = await connection.send(text).until(1);
      connection.close();
      return response!.status;
    }

    it('401: before the key is valid', async () => {
      expect(await statusOf(`${head}\r\n`)).toBe(401);
    });

    it('404, 405: before a route is found', async () => {
      const authorized = `${head}Authorization: Bearer ${key}\r\n\r\n`;
      expect(await statusOf(authorized.replace('/pets', '/unknown'))).toBe(404);
      expect(await statusOf(authorized.replace('POST', 'PUT'))).toBe(405);
    });
  });

  describe('The key', () => {
    async function outcomeOf(authorization: string | null, path = '/v1/pets'): Promise<string> {
      const sent = store.send('GET', path, null);
      if (authorization !== null) sent.set('Authorization', authorization);
      const response = await sent;
      return response.status === 200 ? '200' : facts(response);
    }

    it('400: is in the header, and one in the URL is an unknown parameter', async () => {
      expect(await outcomeOf(`Bearer ${key}`, '/v1/pets?api_key=x&access_token=y')).toBe(
        '400 invalid_parameter',
      );
    });
  });

  describe('The life of a key', () => {
    function issue(expiresInMs?: number): Promise<IssuedKey> {
      return store.app.get(StoreKeyIssuer).issue({ name: 'test', plan: 'business', expiresInMs });
    }

    function poll(): Promise<void> {
      return store.app.get(KeyChangesPoller).poll();
    }

    it('gives the same 401 for an unknown, mistyped, expired or revoked key and one of another environment', async () => {
      const expired = await issue(1);
      const revoked = await issue();
      await store.app.get(StoreKeyIssuer).revoke(revoked.key.id);
      store.clock.advance(1);
      await poll();
      const { text } = await issue();
      const responses = [
        generateApiKey('ask_live_'),
        generateApiKey('ask_test_'),
        `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`,
        expired.text,
        revoked.text,
        'x',
      ].map(async (bad) => {
        const from = { 'X-Forwarded-For': '192.0.2.7' };
        const { headers, text: body } = await store.send('GET', '/v1/pets', bad).set(from).expect(401);
        const passing = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit'];
        const lasting = Object.entries(headers as Record<string, string>).filter(
          ([name]) => !passing.includes(name),
        );
        return JSON.stringify([body, lasting]);
      });
      expect(new Set(await Promise.all(responses)).size).toBe(1);
    });
  });
});
