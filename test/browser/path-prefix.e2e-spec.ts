import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '@animal-store/kernel/testing';
import { authorize, hasChromium, launchChromium, PATIENCE_MS } from '../support/chromium.js';
import { caddyCommand, hasProxies, nginxCommand, Proxy } from '../support/proxies.js';
import { TestApp } from '../support/test-app.js';

jest.setTimeout(90_000);

describe.each([
  ['nginx', nginxCommand],
  ['Caddy', caddyCommand],
])('Below the path of a proxy, %s, in Chromium', (_name, command) => {
  // Nobody needs these programs to work here; in CI the tests run, and fail, when one is missing.
  if (!hasProxies || !hasChromium) return it.skip('needs nginx, Caddy and Chromium', () => undefined);

  let folder: string;
  let store: TestApp;
  let proxy: Proxy;
  let browser: Browser;
  let page: Page;
  let key: string;
  /** What the browser has requested, and received. */
  const responses: { path: string; status: number }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'path-prefix-'));
    const port = await freePort();
    const PUBLIC_URL = `https://localhost:${port}/store/v1`;
    [store, browser] = await Promise.all([TestApp.start({ PUBLIC_URL, TRUST_PROXY: '1' }), launchChromium()]);
    key = await store.key();
    const replicas = [`127.0.0.1:${store.port}`, `127.0.0.1:${store.port}`];
    proxy = await Proxy.start(command, { folder, port, replicas, isBelowPath: true });
    page = await browser.newPage({ baseURL: `https://localhost:${port}`, ignoreHTTPSErrors: true });
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('response', (response) => {
      responses.push({ path: new URL(response.url()).pathname, status: response.status() });
    });
  });

  afterAll(async () => {
    await browser?.close();
    await proxy?.stop();
    await store?.stop();
    rmSync(folder, { recursive: true });
  });

  it('a program that follows Location and Link stays inside', async () => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    for (const name of ['Rex', 'Tom']) {
      const body = JSON.stringify({ name, categoryId: 7 });
      const added = await proxy.request({ method: 'POST', path: '/store/v1/pets', headers }, body);
      const found = await proxy.request({ path: added.headers['location'] as string, headers });
      expect([added.status, found.status, found.body]).toMatchObject([201, 200, { name }]);
    }
    const first = await proxy.request({ path: '/store/v1/pets?limit=1', headers });
    const [, next] = /<([^>]*)>; rel="next"/.exec(first.headers['link'] as string)!;
    const second = await proxy.request({ path: next!, headers });
    expect([first.body, second.body]).toMatchObject([[{ name: 'Rex' }], [{ name: 'Tom' }]]);
  });

  it('the explorer shows the operations, calls them, and shows the next page', async () => {
    await page.goto('/store/docs');
    await page.locator('#operations-Pets-listPets .opblock-summary-control').click();
    await authorize(page, key);
    await page.locator('#quota', { hasText: 'left this minute' }).waitFor();
    const list = page.locator('#operations-Pets-listPets');
    await list.getByRole('textbox', { name: 'limit' }).fill('1');
    await list.locator('.execute').click();
    await list.locator('.live-responses-table pre', { hasText: 'Rex' }).waitFor();
    await list.getByRole('button', { name: 'Next page' }).click();
    await list.locator('.live-responses-table pre', { hasText: 'Tom' }).waitFor();
    const failed = responses.filter(({ path, status }) => status >= 400 || !path.startsWith('/store/'));
    expect(failed).toEqual([]);
  });
});
