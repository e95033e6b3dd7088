import type { Response } from 'supertest';
import { TestApp } from '../support/test-app.js';

describe('Conditional requests', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.start();
    key = await store.key();
    await add();
  });

  afterAll(() => store.stop());

  async function add(): Promise<void> {
    await store.send('POST', '/v1/pets', key).send({ name: 'Rex', categoryId: 7 }).expect(201);
  }

  async function tagOf(path: string): Promise<string> {
    return (await store.send('GET', path, key).expect(200)).headers['etag']!;
  }

  function conditional(method: string, path: string, ifNoneMatch: string) {
    return store.send(method, path, key).set('If-None-Match', ifNoneMatch);
  }

  it('a 200 of GET has a strong ETag, and only its caller may cache it and must validate it', async () => {
    const { headers } = await store.send('GET', '/v1/pets', key).expect(200);

    expect(headers['etag']).toMatch(/^"[\w-]{27}"$/);
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(headers['vary']).toBe('Authorization');
  });

  it('equal responses have the same ETag, different responses different ones', async () => {
    const before = await tagOf('/v1/pets?limit=100');
    expect(await tagOf('/v1/pets?limit=99')).toBe(before);
    expect(await tagOf('/v1/pets/1')).not.toBe(before);

    await add();
    expect(await tagOf('/v1/pets?limit=100')).not.toBe(before);
  });

  it.each(['/v1/pets', '/v1/pets/1', '/v1/store/orders'])(
    '304: %s has not changed, for every form of If-None-Match that matches',
    async (path) => {
      const tag = await tagOf(path);

      for (const condition of [
        tag,
        `W/${tag}`,
        '*',
        ` * `,
        `"other", ${tag}`,
        `${tag},"other"`,
        `"a","b" ,W/${tag}\t, "c"`,
      ]) {
        const { text, headers } = await conditional('GET', path, condition).expect(304);
        expect(text).toBe('');
        expect(headers).toMatchObject({
          etag: tag,
          'cache-control': 'private, no-cache',
          vary: 'Authorization',
          'x-ratelimit-limit': '1000',
          'x-request-id': expect.any(String) as string,
        });
        expect(headers).not.toHaveProperty('content-type');
        expect(headers).not.toHaveProperty('content-length');
      }
      await conditional('HEAD', path, tag).expect(304);
    },
  );

  it('200: If-None-Match does not match or is not valid', async () => {
    const tag = await tagOf('/v1/pets');

    for (const condition of [
      '"other"',
      tag.slice(1, -1),
      tag.toUpperCase(),
      `w/${tag}`,
      `"${tag}"`,
      `${tag}x`,
      ',',
      'W/',
      '**',
    ]) {
      await conditional('GET', '/v1/pets', condition).expect(200);
    }
  });

  it('304 counts against the limits, and has the link to a next page that is new', async () => {
    const tag = await tagOf('/v1/pets?limit=2');
    const before = await conditional('GET', '/v1/pets?limit=2', tag).expect(304);
    expect(before.headers['link']).toBeUndefined();

    await add();
    const after = await conditional('GET', '/v1/pets?limit=2', tag).expect(304);
    expect(after.headers['link']).toMatch(/^<\/v1\/pets\?limit=2&cursor=[\w-]+>; rel="next"$/);
    const remaining = (response: Response) => Number(response.headers['x-ratelimit-remaining']);
    // One is the conditional request, the other added the animal.
    expect(remaining(before) - remaining(after)).toBe(2);
  });

  it('an error has no ETag, ignores the condition and must not be cached', async () => {
    for (const [path, status] of [
      ['/v1/pets/999', 404],
      ['/v1/pets?limit=0', 400],
      ['/v1/nothing', 404],
    ] as const) {
      const { headers } = await conditional('GET', path, '*').expect(status);
      expect(headers['etag']).toBeUndefined();
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it('a POST ignores the condition', async () => {
    await conditional('POST', '/v1/pets', '*').send({ name: 'Rex', categoryId: 7 }).expect(201);
  });
});
