import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { INTERFACE_VERSION, VERSION } from '../../src/version.js';
import { TestApp } from '../support/test-app.js';

const GUIDES = readdirSync(resolve(__dirname, '../../docs/api')).map((file) =>
  file === 'README.md' ? '/docs/guides' : `/docs/guides/${file.replace('.md', '')}`,
);
/** What an earlier build has left: its files stay for a week, for programs that it has started. */
const EARLIER = ['animal-store-client-0.0.1.tgz', 'guides/earlier.md'].map((name) =>
  resolve(__dirname, '../../dist/assets', name),
);
const PAGES = [
  '/',
  '/docs',
  '/docs/errors',
  '/docs/changelog',
  '/docs/deprecations',
  '/docs/client',
  ...GUIDES,
];
const ELSEWHERE = {
  code: 'route_not_found',
  message: 'The path does not exist. See /docs.',
  status: 404,
};

describe('The documentation that the service serves', () => {
  let store: TestApp;

  beforeAll(async () => {
    for (const file of EARLIER) writeFileSync(file, '# Earlier\n');
    store = await TestApp.start();
  });

  afterAll(async () => {
    await store.stop();
    for (const file of EARLIER) rmSync(file);
  });

  const get = (path: string) => store.send('GET', path, null);

  /** The URLs of the files that a page loads. */
  const assetsOf = async (path: string): Promise<string[]> => {
    const { text } = await get(path).expect(200);
    return [...text.matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, url]) => url!);
  };

  it('has the OpenAPI document at /openapi.json, without a key', async () => {
    const response = await get('/openapi.json').expect(200);

    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.body).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/v1' }] });
  });

  it('has the document where @nestjs/swagger has it, too: /docs-json and /docs-yaml', async () => {
    const { text } = await get('/openapi.json').expect(200);
    expect((await get('/docs-json').expect(200)).text).toBe(text);

    const response = await fetch(`http://127.0.0.1:${store.port}/docs-yaml`);
    expect(response.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    const yaml = await response.text();
    expect(load(yaml)).toEqual(JSON.parse(text));
  });

  it.each(['/docs', '/docs/'])('has Swagger UI at %s, with all files that the page loads', async (path) => {
    const { headers } = await get(path).expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");

    const assets = await assetsOf(path);
    expect(assets.map((url) => url.replace(/-[\da-f]{12}\./, '.'))).toEqual([
      '/docs/assets/theme.js',
      '/docs/assets/explorer.css',
      '/docs/assets/pages.css',
      '/docs/assets/favicon-32x32.png',
      '/docs/assets/search.js',
      '/docs/assets/explorer.js',
      '/docs/assets/swagger-ui-bundle.js',
      '/docs/assets/swagger-ui.css',
    ]);
    for (const url of assets) await get(url).expect(200);
  });

  it('takes 40 kB to read the operations, and 385 kB until they can be tried', async () => {
    let bytes = 0;
    // Swagger UI and its document come last.
    for (const path of ['/docs', ...(await assetsOf('/docs')), '/openapi.json']) {
      if (path.includes('swagger-ui-bundle')) expect(bytes).toBeLessThan(40_000);
      const { headers } = await get(path).set('Accept-Encoding', 'br, gzip').expect(200);
      bytes += Number(headers['content-length']);
    }
    expect(bytes).toBeLessThan(385_000);
  });

  it('shows every operation with its summary and an example, and every event, before any script runs', async () => {
    const { text } = await get('/docs').expect(200);
    const { body } = await get('/openapi.json').expect(200);
    const paths = body.paths as Record<string, Record<string, { summary?: string; operationId: string }>>;
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { summary, operationId }] of Object.entries(item)) {
        if (method === 'servers') continue;
        const shown = `<summary><code>${method.toUpperCase()} ${path}</code> ${summary!.replaceAll("'", '&#39;')}`;
        expect(text).toContain(`/${operationId}">${shown}`);
      }
    }
    expect(text).toContain('/v1/pets/1&#39;\n# {&quot;id&quot;:1,');
    for (const name of Object.keys(body.webhooks as object))
      expect(text).toContain(`<summary><code>${name}</code> `);
    expect(text).toContain('<p id="loading" role="status" hidden>');
  });

  it('finds operations, errors and pages, each at an address that has it', async () => {
    const { body } = await get('/docs/search.json').expect(200);
    const places = body as { title: string; text: string; url: string }[];
    expect(places).toEqual(
      expect.arrayContaining([
        {
          title: 'GET /pets',
          text: 'List animals · listPets',
          content: expect.stringMatching(/ascending order of id.* limit .*\bIf-None-Match\b/) as string,
          url: '/docs#/Pets/listPets',
        },
        expect.objectContaining({ title: 'pet_not_found', url: '/docs/errors#pet_not_found' }),
        expect.objectContaining({
          title: 'A loop that behaves',
          text: 'Limits and bans',
          content: expect.stringContaining('sleep $((${3:-1} + try * try))'),
          url: '/docs/guides/limits#a-loop-that-behaves',
        }),
        expect.objectContaining({ title: 'Deprecations', text: 'Page', url: '/docs/deprecations' }),
        // Where a caller gets a key and help.
        expect.objectContaining({
          content: expect.stringMatching(/In production .*contact.* support/) as string,
          url: '/docs/guides/getting-started#a-key',
        }),
        // What comes before the first heading, such as the table of the plans.
        expect.objectContaining({
          title: 'Limits and bans',
          text: 'Page',
          content: expect.stringContaining('Business 1,000 100,000'),
          url: '/docs/guides/limits',
        }),
      ]),
    );
    // The address of examples on the developer's own machine, which each page replaces.
    expect(JSON.stringify(places)).not.toContain('http://localhost:3000/');
    for (const { url } of places) {
      const [path, id] = url.split('#');
      const { text } = await get(path!).expect(200);
      expect(text).toContain(id === undefined ? '<h1' : `id="${decodeURIComponent(id)}"`);
    }
  });

  it('says that the files of a page never change, and sends each in the best encoding that the client accepts', async () => {
    const [script] = (await assetsOf('/docs')).filter(
      (url) => url.includes('explorer') && url.endsWith('.js'),
    );
    for (const [accepted, used] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip;q=0', undefined],
      ['', undefined],
    ] as const) {
      const { headers, text } = await get(script!).set('Accept-Encoding', accepted).expect(200);
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      });
      expect(headers['content-encoding']).toBe(used);
      // supertest decodes gzip and brotli.
      expect(text).toContain('swagger-ui');
    }
  });

  it.each(['/docs', '/openapi.json'])('sends %s again only when it has changed', async (path) => {
    const { headers } = await get(path).expect(200);
    expect(headers['cache-control']).toBe('no-cache');

    const { text } = await get(path).set('If-None-Match', headers['etag']!).expect(304);
    expect(text).toBe('');
  });

  it('serves no other file of the package of Swagger UI', async () => {
    await get('/docs/index.html').expect(404);
    await get('/docs/assets/assets.json').expect(404);
    await get('/docs/assets/..%2fmain.js').expect(404);
    await get('/docs/package.json').expect(404);
    await get('/docs/guides/earlier').expect(404);
  });

  it('has no security.txt where no contact is set', async () => {
    const { body } = await get('/.well-known/security.txt').expect(404);
    expect(body.code).toBe('route_not_found');
  });

  describe('in production', () => {
    let deployed: TestApp;
    const getDeployed = (path: string) => deployed.send('GET', path, null).expect(200);

    beforeAll(async () => {
      deployed = await TestApp.start({
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://api.example.com/v1',
        STAGING_URL: 'https://staging.example.com/v1',
        SUPPORT_URL: 'https://store.example/keys',
        FREE_PER_MINUTE: '7',
        BUSINESS_PER_DAY: '1500000',
        BAN_FIRST_SECONDS: '90',
        BAN_MIN_REFUSALS: '4',
        BAN_MEMORY_SECONDS: '86401',
        BAN_LONGEST_SECONDS: '3601',
        SECURITY_CONTACT: 'mailto:security@store.example',
      });
      deployed.clock.set('2026-03-14T12:00:00.000Z');
    });

    afterAll(() => deployed.stop());

    it('names the server URLs from the settings, and lets the page call them', async () => {
      expect((await getDeployed('/openapi.json')).body.servers).toEqual([
        { url: 'https://api.example.com/v1', description: 'Production' },
        { url: 'https://staging.example.com/v1', description: 'Staging' },
      ]);
      expect((await getDeployed('/docs')).headers['content-security-policy']).toContain(
        "connect-src 'self' https://api.example.com https://staging.example.com;",
      );
    });

    it('names who issues keys, in the guides and in the document; elsewhere nobody', async () => {
      const operator = /(<a href="[^"]*">)?the operator/;
      const [, link] = operator.exec((await getDeployed('/docs/guides/getting-started')).text)!;
      expect(link).toBe('<a href="https://store.example/keys">');
      expect((await getDeployed('/openapi.json')).body.info.contact).toEqual({
        url: 'https://store.example/keys',
      });
      const [, none] = operator.exec((await get('/docs/guides/getting-started')).text)!;
      expect(none).toBeUndefined();
    });

    it('shows the limits that are set, in the table, the examples and the text of their guide', async () => {
      const { text } = await getDeployed('/docs/guides/limits');
      const shown = text
        .replace(/<[^>]*>/g, ' ')
        .replace(/&quot;/g, '"')
        .replace(/\s+/g, ' ');
      for (const part of [
        'Free 7 1,000 Pro 300 10,000 Business 1,000 1,500,000',
        'X-RateLimit-Limit: 7 # X-RateLimit-Remaining: 6 ',
        'r=6;t=…, "day";r=999;',
        '$(seq 7)',
        '# 6 200 ',
        'reach 4, or',
        'for 90 s. Each further ban within 86401 s lasts twice as long, up to 3601 s.',
      ])
        expect(shown).toContain(part);
    });

    it.each(['/docs/client', '/docs/deprecations', ...GUIDES])(
      'shows the public address on %s',
      async (path) => {
        const { text } = await getDeployed(path);
        if (path !== '/docs/guides') expect(text).toContain('https://api.example.com/');
        // A receiver of webhooks is on the reader's own machine.
        expect(text.replace(/localhost \(loopback\).*:9000/, '')).not.toMatch(/localhost|127\.0\.0\.1/);
      },
    );

    it('names the contact in security.txt, and a day less than a year ahead', async () => {
      const { text, headers } = await getDeployed('/.well-known/security.txt');

      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(text).toBe(
        'Contact: mailto:security@store.example\nExpires: 2026-09-10T00:00:00.000Z\nPreferred-Languages: en\n' +
          'Canonical: https://api.example.com/.well-known/security.txt\n',
      );
    });

    it('makes no key for the explorer', async () => {
      const Host = `localhost:${deployed.port}`;
      await deployed
        .send('POST', '/docs/key', null)
        .set({ Host, Origin: `http://${Host}` })
        .expect(404);
      expect((await getDeployed('/docs').set({ Host })).text).not.toContain('make-key');
    });
  });

  describe('makes a key for the explorer', () => {
    let host: string;
    let own: TestApp;
    const make = (to: TestApp, headers: Record<string, string>) =>
      to.send('POST', '/docs/key', null).set(headers);

    beforeAll(async () => {
      own = await TestApp.start({ NODE_ENV: 'development' });
      host = `localhost:${own.port}`;
    });

    afterAll(() => own.stop());

    it('201: a Free key that works, for a page of a server in development; 403: not without end', async () => {
      const { body, headers } = await make(own, { Host: host, Origin: `http://${host}` }).expect(201);
      expect(headers['cache-control']).toBe('no-store');
      const list = await own.send('GET', '/v1/pets', body.key).expect(200);
      expect(list.headers['ratelimit-policy']).toBe('"minute";q=60;w=60, "day";q=1000;w=86400');
      expect((await own.send('GET', '/docs', null).set('Host', host).expect(200)).text).toContain(
        'id="make-key"',
      );

      const statuses: number[] = [];
      for (let count = 1; count < 21; count++) {
        statuses.push((await make(own, { Host: host, Origin: `http://${host}` })).status);
      }
      expect(statuses).toEqual([...Array<number>(19).fill(201), 403]);
    });

    it.each([
      ['a page of another origin', () => ({ Host: host, Origin: 'https://evil.example' })],
      ['a program, which names no origin', () => ({ Host: host })],
      ['a name that is not of this machine', () => ({ Host: 'evil.example', Origin: 'http://evil.example' })],
      ['a proxy', () => ({ Host: host, Origin: `http://${host}`, 'X-Forwarded-For': '192.0.2.1' })],
    ])('404: not for %s', async (_who, headers) => {
      const { body } = await make(own, headers() as Record<string, string>).expect(404);
      expect(body.code).toBe('route_not_found');
    });
  });

  describe('at /', () => {
    const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

    it('has a page for browsers: what this is, how the server is, and where to continue', async () => {
      const { text, headers } = await get('/').set('Accept', BROWSER).expect(200);

      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        vary: 'Accept',
        'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self';"),
      });
      expect(text).toContain('It works: requests are accepted and the database responds.');
    });

    it('says when the database does not respond', async () => {
      // The result of the last check is cached for a second.
      store.clock.advance(2_000);
      const check = jest.spyOn(store.database, 'check').mockRejectedValue(new Error('gone'));
      const { text } = await get('/').set('Accept', BROWSER).expect(200);
      check.mockRestore();
      store.clock.advance(2_000);

      expect(text).toContain('its database does not respond');
    });

    it.each(['*/*', 'application/json', 'application/json, text/plain, */*', 'application/json, text/html'])(
      'shows programs, whose Accept is %s, where the documentation is',
      async (accept) => {
        const { body } = await get('/').set('Accept', accept).expect(404);
        expect(body).toEqual(ELSEWHERE);
      },
    );
  });

  it.each(PAGES)('has no link on %s that leads nowhere', async (path) => {
    const html = { Accept: 'text/html' };
    const { text } = await get(path).set(html).expect(200);
    const links = [...text.matchAll(/(?:src|href)="([/#][^"]*)"/g)].map(([, url]) => url!);
    expect(links).toEqual(expect.arrayContaining(['/', '/docs', '/docs/errors', '/docs/guides']));
    for (const link of new Set(links)) {
      const [to, id] = link.split('#');
      const page = await get(to || path)
        .set(html)
        .expect(200);
      if (id !== undefined) expect(page.text).toContain(`id="${id}"`);
    }
  });

  it('offers the client of this build as a package, and shows its example with the address of this server', async () => {
    const { text } = await get('/docs/client').expect(200);
    const [, origin, path] =
      /curl -O (http:\/\/127\.0\.0\.1:\d+)(\/docs\/client\/animal-store-client-[\d.]+\.tgz)\nnpm install \.\/animal/.exec(
        text,
      )!;
    expect(text).toContain(`${origin}/v1&#39;`);
    expect(text).not.toMatch(/localhost:3000|client:pack/);

    const { headers, body } = await get(path!).buffer(true).expect(200);
    expect(headers['content-type']).toBe('application/gzip');
    expect(gunzipSync(body as Buffer).toString('latin1')).toContain('package/dist/esm/index.js');
  });

  it('distinguishes the versions of the interface, the service and the client, and none goes backwards', async () => {
    const { text } = await get('/docs/changelog').expect(200);
    const shown = [...text.matchAll(/<td data-title="Version here">(\d+\.\d+\.\d+)/g)].map(([, one]) => one!);
    const changelogs = ['CHANGELOG.md', 'clients/typescript/CHANGELOG.md'].map((file) => {
      const changelog = readFileSync(resolve(__dirname, '../..', file), 'utf8');
      return [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, one]) => one!);
    });
    const [[released], [client]] = changelogs as [[string], [string]];
    expect(shown).toEqual([INTERFACE_VERSION, released, client]);
    // Between two releases the build is ahead of the first, such as 2.1.0-dev.
    expect(VERSION.endsWith('-dev') || VERSION === released).toBe(true);
    for (const versions of [[VERSION, ...changelogs[0]!], changelogs[1]!])
      expect(versions).toEqual(versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })));
  });

  it('shows a page to a browser that requests a path that does not exist, and an Error to a program', async () => {
    const { text, headers } = await get('/nope').set('Accept', 'text/html,*/*;q=0.8').expect(404);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      vary: 'Accept',
      'cache-control': 'no-store',
      link: expect.stringMatching(/#route_not_found>; rel="help"$/) as string,
      'x-request-id': expect.stringMatching(/./) as string,
    });
    expect(text).toContain('<h1>This page does not exist</h1>');

    const { body } = await get('/nope').expect(404).expect('Vary', 'Accept');
    expect(body).toEqual(ELSEWHERE);
    const inTheApi = await get('/v1/nope').set('Accept', 'text/html').expect(401);
    expect(inTheApi.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('explains errors to callers, without what only the operator or a contributor can do', async () => {
    const { text } = await get('/docs/errors').expect(200);
    expect(text).not.toMatch(/npm run|new \w+Exception|\bkeys (create|bans|unban|rotate)\b/);
  });

  it('shows the errors, the changelog and the client from the same sources as the repository', async () => {
    expect((await get('/docs/errors').expect(200)).text).toContain(
      '<li id="pet_not_found"><code>pet_not_found</code> 404: No animal has this id.',
    );
    const { text: changes } = await get('/docs/changelog').expect(200);
    expect(changes).toContain('<h2 id="1.1.0">1.1.0</h2>');
    expect(changes).toContain('unknown query parameter');
    expect(changes).not.toMatch(/Unreleased|For (callers|operators|contributors):|METRICS_HOST/);
    expect((await get('/docs/client').expect(200)).text).toContain('<h1 id="animal-store-client">');
  });

  it('explains a deprecation at the address that the response names: dates, replacement, before and after', async () => {
    const { headers } = await store.send('GET', '/v1/pets/1', null).expect(401);
    for (const relation of ['deprecation', 'sunset']) {
      const [, url] = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers['link']!)!;
      const { text } = await get(url!).expect(200);

      expect(text).toContain('<h2 id="getpet">getPet</h2>');
      expect(text).toContain(
        '<code>GET /v1/pets/{petId}</code></td>\n<td data-title="Deprecated since">2026-11-20</td>\n' +
          '<td data-title="Removed on">2030-12-05</td>\n' +
          '<td data-title="Replacement"><code>GET /v1/pets</code></td>',
      );
      expect(text).toMatch(
        /Before[^]*\/v1\/pets\/1&#39;\n# {[^\n]*Rex[^]*After[^]*find_pet 101\n[^]*# {[^\n]*Fifi/,
      );
    }
  });

  it.each([
    ['/v1/pets', 'missing_api_key'],
    ['/nothing', 'route_not_found'],
  ])('describes the error of %s at the address that the response names', async (path, code) => {
    const { headers } = await get(path);
    const [, page, fragment] = /<([^#>]*)#(\w+)>; rel="help"/.exec(headers['link']!)!;
    expect(fragment).toBe(code);
    expect((await get(page!).expect(200)).text).toContain(`<li id="${code}"><code>${code}</code> `);
  });
});
