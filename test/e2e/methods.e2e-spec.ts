import { METHODS } from 'node:http';
import { Controller, Delete, Module, Patch, Put } from '@nestjs/common';
import { ApiKeyStore, generateApiKey } from '@animal-store/api-keys';
import { RouteTable } from '@animal-store/http-errors';
import { RateLimitStore } from '@animal-store/rate-limiting';
import { RawConnection } from '@animal-store/web/testing';
import { TestApp } from '../support/test-app.js';

/** Headers that differ between two responses to the same request. */
const PASSING = ['date', 'x-request-id', 'x-ratelimit-remaining', 'ratelimit'];

describe('Methods', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.start();
    key = await store.key();
    await store.send('POST', '/v1/pets', key).send({ name: 'Łucja', categoryId: 7 }).expect(201);
    await store.send('POST', '/v1/store/orders', key).send({ petId: 1 }).expect(201);
  });

  afterAll(() => store.stop());

  /** Sends a request with exactly these headers. A client library would add or remove some. */
  async function request(method: string, path: string, authorization: string | null = `Bearer ${key}`) {
    const connection = await RawConnection.open(store.port);
    const credential = authorization === null ? '' : `Authorization: ${authorization}\r\n`;
    connection.send(`${method} ${path} HTTP/1.1\r\nHost: store\r\nConnection: close\r\n${credential}\r\n`);
    await connection.untilClosed();
    const [head = '', body = ''] = connection.text.split('\r\n\r\n');
    const [statusLine, ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    return { status: Number(statusLine!.split(' ')[1]), headers, body };
  }

  function lasting(headers: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !PASSING.includes(name)));
  }

  /** Paths with every parameter filled in, and the methods that each has. */
  function paths(): [string, string[]][] {
    const routes = store.app.get(RouteTable);
    return [...new Set(routes.routes.map(({ path }) => path))].map((path) => [
      path.replace(/:\w+/g, '1'),
      routes.methodsFor(path.replace(/:\w+/g, '1')),
    ]);
  }

  describe('An operation that takes no body', () => {
    const LARGE = `{"status":"sold","note":"${'x'.repeat(20_000)}"}`;
    const left = 'The body must be left out, as the operation accepts none';

    it.each([
      ['application/json', '{"status":"sold","note":1}', ': "status", "note".'],
      ['application/json', '[1]', '.'],
      ['application/json', '{', '.'],
      ['application/json', LARGE, '.'],
      ['application/x-www-form-urlencoded', '{"status":"sold"}', ': "status".'],
      ['text/plain', 'sold', '.'],
    ])('400 validation_failed: for a body of %s %.30s, by any method', async (type, sent, names) => {
      for (const [method, path] of [
        ['POST', '/v1/store/orders/1/cancel'],
        ['GET', '/v1/pets?limit=1'],
        ['DELETE', '/v1/keys/key_1'],
      ] as const) {
        const { body } = await store.send(method, path, key).set('Content-Type', type).send(sent).expect(400);
        expect(body).toEqual({ code: 'validation_failed', message: left + names, status: 400 });
      }
      const { body } = await store.send('GET', '/v1/store/orders/1', key).expect(200);
      expect(body).toMatchObject({ status: 'placed' });
    });

    it.each(['', '{}', ' {\n} '])(
      '200: for one without a field (%j), also when it arrives late',
      async (sent) => {
        for (const framing of [
          `Content-Length: ${sent.length}\r\n\r\n|${sent}`,
          `Transfer-Encoding: chunked\r\n\r\n|${sent && `${sent.length}\r\n${sent}\r\n`}0\r\n\r\n`,
        ]) {
          const [head, late] = framing.split('|');
          const connection = await RawConnection.open(store.port);
          connection.send(
            `GET /v1/pets HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${head}`,
          );
          const [response] = await connection.send(late!).until(1);
          expect(response!.status).toBe(200);
          connection.close();
        }
      },
    );
  });

  describe('HEAD', () => {
    it.each([
      '/v1/pets',
      '/v1/pets/1',
      '/v1/pets/999',
      '/v1/pets?limit=0',
      '/v1/store/orders',
      '/v1/store/orders/1',
      '/v1/nothing',
      '/nothing',
      '/health/live',
      '/health/ready',
      '/openapi.json',
      '/docs',
      '/docs/errors',
      '/docs/changelog',
      '/docs/deprecations',
      '/docs/client',
    ])('has the status and the headers of GET, the length among them, and no body: %s', async (path) => {
      const get = await request('GET', path);
      const head = await request('HEAD', path);

      expect(head.status).toBe(get.status);
      expect(head.body).toBe('');
      expect(Number(head.headers['content-length'])).toBe(get.body.length);
      expect(lasting(head.headers)).toEqual(lasting(get.headers));
    });
  });

  describe('OPTIONS', () => {
    it('204 with the methods of the path in Allow, on every route', async () => {
      expect(paths().length).toBeGreaterThan(5);
      for (const [path, methods] of paths()) {
        const { status, headers, body } = await request('OPTIONS', path);
        expect([path, status, headers['allow'], body]).toEqual([path, 204, methods.join(', '), '']);
      }
    });

    it('401 without a key, 404 for an unknown path', async () => {
      expect((await request('OPTIONS', '/v1/pets', null)).status).toBe(401);
      expect((await request('OPTIONS', '/v1/nothing')).status).toBe(404);
    });
  });

  it.each(['/openapi.json', '/docs'])(
    '405 with Allow, or 204 for OPTIONS, also outside the API: %s',
    async (path) => {
      const refused = await request('POST', path, null);
      expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(JSON.parse(refused.body)).toEqual({
        code: 'method_not_allowed',
        message: 'The path does not support this method.',
        status: 405,
      });
      const options = await request('OPTIONS', path, null);
      expect([options.status, options.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS']);
    },
  );

  it('405 with Allow: every other method, on every route', async () => {
    for (const [path, methods] of paths()) {
      for (const method of METHODS.filter((name) => name !== 'CONNECT' && !methods.includes(name))) {
        const { status, headers, body } = await request(method, path);
        expect([method, path, status]).toEqual([method, path, 405]);
        expect(headers['allow']).toBe(methods.join(', '));
        if (method === 'HEAD') continue;
        expect(JSON.parse(body)).toEqual({
          code: 'method_not_allowed',
          message: `The path does not support this method; it supports ${methods.join(', ')}.`,
          status: 405,
        });
      }
    }
  });
});

@Controller({ path: 'cages', version: '1' })
class CagesController {
  @Put(':cageId')
  replace(): void {}

  @Patch(':cageId')
  change(): void {}

  @Delete(':cageId')
  remove(): void {}
}

@Module({ controllers: [CagesController] })
class CagesModule {}

describe('A browser of another origin', () => {
  const shop = 'https://shop.example';
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.startWith(CagesModule, { CORS_ORIGINS: `${shop},https://admin.example` });
    key = await store.key();
  });

  afterAll(() => store.stop());

  function preflight(origin: string) {
    return store
      .send('OPTIONS', '/v1/pets', null)
      .set({ Origin: origin, 'Access-Control-Request-Method': 'POST' });
  }

  it('204: may send preflights without a key', async () => {
    const { headers } = await preflight(shop).expect(204);

    expect(headers).toMatchObject({
      'access-control-allow-origin': shop,
      'access-control-allow-methods': expect.stringMatching(/^GET,HEAD,POST\b/) as string,
      'access-control-allow-headers':
        'Authorization,Content-Type,Idempotency-Key,If-Match,If-None-Match,Last-Event-ID,Range,X-Request-Id,traceparent,tracestate,baggage,sentry-trace',
      'access-control-max-age': '86400',
      'x-ratelimit-limit': '60000',
    });
  });

  it('204: may change and remove what a module lets it', async () => {
    const { headers } = await store
      .send('OPTIONS', '/v1/cages/1', null)
      .set({ Origin: shop, 'Access-Control-Request-Method': 'DELETE' })
      .expect(204);

    const methods = headers['access-control-allow-methods']!.split(',');
    expect(methods.sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']);
  });

  it('204: may send as many preflights as a page needs, which do not count against any other limit', async () => {
    const remaining = async () => {
      const { headers } = await store.send('GET', '/v1/pets', null).expect(401);
      return Number(headers['x-ratelimit-remaining']);
    };
    const before = await remaining();
    const lookUps = jest.spyOn(store.app.get(ApiKeyStore), 'findByHash');
    for (let count = 0; count < 100; count++) {
      await preflight(shop)
        .set('Authorization', `Bearer ${generateApiKey('ask_live_')}`)
        .expect(204);
    }
    expect(lookUps).not.toHaveBeenCalled();
    expect(await remaining()).toBe(before - 1);
  });

  it('429: above a thousand preflights a second, which have a limit of their own', async () => {
    const counters = store.app.get(RateLimitStore);
    const plan = [{ name: 'minute', limit: 60_000, seconds: 60, budget: 'preflight' }];
    const flood = { id: '127.0.0.1', plan, isAddress: true };
    for (let count = 0; count < 60_000; count++) await counters.consume(flood, store.clock.now());
    await preflight(shop).expect(429);
    await store.send('GET', '/v1/pets', null).expect(401);
    store.clock.advance(60_000);
    await preflight(shop).expect(204);
  });

  it('401: without a listed origin, or when the request is not a preflight', async () => {
    const stranger = await preflight('https://stranger.example').expect(401);
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
    await store.send('GET', '/v1/pets', null).set('Origin', shop).expect(401);
  });

  it('may read the response and its headers, also of an error, and caches separate the origins', async () => {
    const { headers } = await store.send('GET', '/v1/pets', key).set('Origin', shop).expect(200);

    expect(headers['access-control-allow-origin']).toBe(shop);
    expect(headers['access-control-expose-headers']).toBe(
      'X-Request-Id,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,RateLimit-Policy,RateLimit,Retry-After,Link,' +
        'Location,ETag,Content-Disposition,Content-Range,Idempotent-Replayed,Deprecation,Sunset',
    );
    expect(headers['vary']).toBe('Origin, Authorization');

    const refused = await store.send('GET', '/v1/pets', null).set('Origin', shop).expect(401);
    expect(refused.headers['access-control-allow-origin']).toBe(shop);
  });
});
