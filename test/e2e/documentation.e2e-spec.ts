import { TestApp } from '../support/test-app.js';

describe('The documentation that the service serves', () => {
  let store: TestApp;

  beforeAll(async () => {
    store = await TestApp.start();
  });

  afterAll(() => store.stop());

  const get = (path: string) => store.send('GET', path, null);

  it('has the OpenAPI document at /openapi.json, without a key', async () => {
    const response = await get('/openapi.json').expect(200);

    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.body).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/v1' }] });
  });

  it('names the servers that an operator has set, and lets the page call them', async () => {
    const deployed = await TestApp.start({
      PUBLIC_URL: 'https://api.example.com/v1',
      STAGING_URL: 'https://staging.example.com/v1',
    });
    const response = await deployed.send('GET', '/openapi.json', null).expect(200);
    const page = await deployed.send('GET', '/docs', null).expect(200);
    await deployed.stop();

    expect(response.body.servers).toEqual([
      { url: 'https://api.example.com/v1', description: 'Production' },
      { url: 'https://staging.example.com/v1', description: 'Staging' },
    ]);
    expect(page.headers['content-security-policy']).toContain(
      "connect-src 'self' https://api.example.com https://staging.example.com;",
    );
  });

  it.each(['/docs', '/docs/'])('has Swagger UI at %s, with all that the page names', async (path) => {
    const { text, headers } = await get(path).expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');

    const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
    expect(named).toEqual([
      '/docs/swagger-ui.css',
      '/docs/favicon-32x32.png',
      '/docs/swagger-ui-bundle.js',
      '/docs/start.js',
    ]);
    for (const url of named) await get(url!).expect(200);
  });

  it('lets the page load from this server alone', async () => {
    for (const path of ['/docs', '/docs/start.js']) {
      const { headers } = await get(path).expect(200);
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
    }
  });

  it('has nothing else of the package that Swagger UI comes in', async () => {
    await get('/docs/index.html').expect(404);
    await get('/docs/package.json').expect(404);
  });

  it.each(['/docs', '/openapi.json', '/docs/swagger-ui.css'])('responds to HEAD %s', async (path) => {
    const { text } = await store.send('HEAD', path, null).expect(200);
    expect(text).toBeUndefined();
  });
});
