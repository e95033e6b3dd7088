import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { TestApp } from '../support/test-app.js';

const PAGES = [
  '/',
  '/docs',
  '/docs/errors',
  '/docs/changelog',
  '/docs/deprecations',
  '/docs/client',
  '/docs/guides',
  '/docs/guides/pagination',
  '/nope',
];

/** Like a proxy whose path `/store` is this service: it removes the path from what it forwards. */
describe('With a path in PUBLIC_URL', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.start({ PUBLIC_URL: 'https://shop.example/store/v1' });
    key = await store.key();
  });

  afterAll(() => store.stop());

  const send = (method: string, path: string) => store.send(method, path, key);

  it('the Location of what was added, also in a replay, is below it', async () => {
    for (const replayed of [undefined, 'true']) {
      const { headers } = await send('POST', '/v1/pets')
        .set('Idempotency-Key', 'once')
        .send({ name: 'Rex', categoryId: 7 })
        .expect(201);
      expect(headers['location']).toBe('/store/v1/pets/1');
      expect(headers['idempotent-replayed']).toBe(replayed);
    }
  });

  it('the Link to the next page is below it, in a 304 too, and its cursor works', async () => {
    for (const name of ['Tom', 'Max']) await send('POST', '/v1/pets').send({ name, categoryId: 7 });
    const first = await send('GET', '/v1/pets?limit=1').expect(200);
    const [, next] = /^<\/store(\/v1\/pets\?limit=1&cursor=[\w-]+)>; rel="next"$/.exec(
      first.headers['link']!,
    )!;
    const again = await send('GET', '/v1/pets?limit=1')
      .set('If-None-Match', first.headers['etag']!)
      .expect(304);
    expect(again.headers['link']).toBe(first.headers['link']);
    expect((await send('GET', next!).expect(200)).body).toMatchObject([{ name: 'Tom' }]);
  });

  it('the links of a deprecated operation and of an error are below it, on one response', async () => {
    const { headers } = await store.send('GET', '/v1/pets/1', null).expect(401);
    expect(headers['link']!.split(', ')).toEqual([
      '</store/docs/deprecations>; rel="deprecation"',
      '</store/docs/deprecations>; rel="sunset"',
      '</store/v1/pets>; rel="successor-version"',
      '</store/docs/errors#missing_api_key>; rel="help"',
    ]);
  });

  it('so is the link of what cannot be read as a request', async () => {
    const socket = connect(store.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.end('NONSENSE\r\n\r\n');
    expect(await text(socket)).toContain('Link: </store/docs/errors#bad_request>; rel="help"\r\n');
  });

  it.each(PAGES)('everything that %s links to or loads is below it, and is there', async (path) => {
    const html = { Accept: 'text/html' };
    const page = await store.send('GET', path, null).set(html);
    const links = [
      ...page.text.matchAll(/(?:src|href|data-(?:document|script|styles|index))="(\/[^"]*)"/g),
    ].map(([, url]) => url!);
    expect(links.length).toBeGreaterThan(8);
    for (const link of new Set(links)) {
      const [, inside] = /^\/store(\/.*)$/.exec(link)!;
      const { status } = await store.send('GET', inside!, null).set(html);
      expect([link, status]).toEqual([link, 200]);
    }
  });

  it('examples and the document name the whole address', async () => {
    const { text: client } = await store.send('GET', '/docs/client', null).expect(200);
    expect(client).toMatch(/curl -O https:\/\/shop\.example\/store\/docs\/client\/[\w.-]+\.tgz/);
    expect(client).toContain('https://shop.example/store/v1&#39;');
    const { text: deprecations } = await store.send('GET', '/docs/deprecations', null).expect(200);
    expect(deprecations).toContain('https://shop.example/store/v1/pets/1&#39;');
    const { body } = await store.send('GET', '/openapi.json', null).expect(200);
    expect(body.servers).toEqual([{ url: 'https://shop.example/store/v1', description: 'Production' }]);
    expect(body.components.headers.Location.example).toBe('/store/v1/pets/1');
  });

  it('a program that requests another path finds out where the documentation is', async () => {
    const { body } = await store.send('GET', '/', null).expect(404);
    expect(body.message).toBe('The path does not exist. See /store/docs.');
  });

  it('a header of a caller changes none of it', async () => {
    const hostile = { 'X-Forwarded-Prefix': '//evil.example', 'X-Forwarded-Host': 'evil.example' };
    for (const path of ['/v1/pets?limit=1', '/docs']) {
      const { headers, text } = await send('GET', path).set(hostile).expect(200);
      expect(JSON.stringify(headers) + text).not.toContain('evil');
    }
  });
});
