import type { Test } from 'supertest';
import { ListDeprecatedCallers } from '../../src/access/application/usage/list-deprecated-callers.use-case.js';
import { DeprecatedCallCounter } from '../../src/access/infrastructure/deprecated-calls/deprecated-call.counter.js';
import { TestApp } from '../support/test-app.js';

describe('Pets', () => {
  let store: TestApp;
  let key: string;

  beforeEach(async () => {
    store = await TestApp.start();
    key = await store.key();
  });

  afterEach(() => store.stop());

  const get = (path: string): Test => store.send('GET', path, key);
  const post = (body: object): Test => store.send('POST', '/v1/pets', key).send(body);

  describe('POST /v1/pets', () => {
    it('201: adds an animal and returns its URL', async () => {
      const { body, headers } = await post({ name: ' Rex ', categoryId: 7, status: 'sold' }).expect(201);

      expect(body).toEqual({ id: 1, name: 'Rex', categoryId: 7, status: 'sold' });
      expect(headers['location']).toBe('/v1/pets/1');
      expect((await get('/v1/pets/1').expect(200)).body).toEqual(body);
    });
  });

  describe('GET /v1/pets', () => {
    it('200: lists every page, ascending by id, of one status', async () => {
      for (const status of ['sold', 'available', 'sold', 'sold'])
        await post({ name: 'Rex', categoryId: 7, status }).expect(201);
      const first = await get('/v1/pets?status=sold&limit=2').expect(200);
      const [, next] = /^<([^>]+)>; rel="next"$/.exec(first.headers['link']!)!;
      const last = await get(next!).expect(200);

      expect([first.body, last.body]).toMatchObject([[{ id: 1 }, { id: 3 }], [{ id: 4 }]]);
      expect(last.headers['link']).toBeUndefined();
    });
  });

  describe('GET /v1/pets/{petId}', () => {
    it('says on every response that it is deprecated, when it will be removed, and what replaces it', async () => {
      await post({ name: 'Rex', categoryId: 7 }).expect(201);
      const exhausted = await store.limitedKey(1, 10);
      await store.send('GET', '/v1/pets', exhausted).expect(200);
      const responses = [
        await get('/v1/pets/1').expect(200),
        await get('/v1/pets/2').expect(404),
        await store.send('HEAD', '/v1/pets/1', key).expect(200),
        await store.send('GET', '/v1/pets/1', null).expect(401),
        await store.send('HEAD', '/v1/pets/1', null).expect(401),
        await get('/v1/pets/%zz').expect(400),
        await store.send('GET', '/v1/pets/1', exhausted).expect(429),
      ];

      const links =
        '</docs/deprecations>; rel="deprecation", </docs/deprecations>; rel="sunset", </v1/pets>; rel="successor-version"';
      for (const { headers } of responses) {
        expect(headers['deprecation']).toBe('@1795132800');
        expect(headers['sunset']).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
      }
      expect(responses.map(({ headers }) => headers['link'])).toEqual([
        links,
        `${links}, </docs/errors#pet_not_found>; rel="help"`,
        links,
        `${links}, </docs/errors#missing_api_key>; rel="help"`,
        `${links}, </docs/errors#missing_api_key>; rel="help"`,
        `${links}, </docs/errors#bad_request>; rel="help"`,
        `${links}, </docs/errors#rate_limit_exceeded>; rel="help"`,
      ]);
    });
  });

  it('GET /v1/pets/{petId}: 200 until 4 December 2030, 410 from 5 December 2030 on, with the same links', async () => {
    await post({ name: 'Rex', categoryId: 7 }).expect(201);
    store.clock.set('2030-12-04T23:59:59.999Z');
    await get('/v1/pets/1').expect(200);

    store.clock.set('2030-12-05T00:00:00.000Z');
    const response = await get('/v1/pets/1').expect(410);
    expect(response.body).toMatchObject({ code: 'operation_removed', status: 410 });
    expect(response.headers['link']).toContain('</v1/pets>; rel="successor-version"');
    await store.send('GET', '/v1/pets/1', null).expect(401);
    await get('/v1/pets').expect(200);

    // Who has called it is stored.
    await store.app.get(DeprecatedCallCounter).beforeApplicationShutdown();
    const lastDay = Date.UTC(2030, 11, 5) / 86_400_000;
    expect(await store.app.get(ListDeprecatedCallers).execute()).toMatchObject([
      { operation: 'getPet', calls: 2, day: lastDay, key: { plan: { name: 'business' } } },
    ]);
  });
});
