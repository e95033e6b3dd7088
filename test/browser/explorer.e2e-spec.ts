import { tmpdir } from 'node:os';
import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { hasChromium, PATIENCE_MS, StoreInChromium } from '../support/chromium.js';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const describeWithBrowser = hasChromium ? describe : describe.skip;

const LIGHT = 'rgb(255, 255, 255)';
const DARK = 'rgb(23, 28, 33)';

describeWithBrowser('Swagger UI at /docs, in Chromium', () => {
  const chromium = new StoreInChromium(() => TestApp.start());
  let store: TestApp;
  let key: string;
  let page: Page;
  const complaints: string[] = [];
  const tabs: Page[] = [];

  beforeAll(async () => {
    ({ store } = chromium);
    key = await store.key('free');
    page = await chromium.page({ viewport: { width: 900, height: 400 } });
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      // The browser logs every 4xx response as an error, and some tests provoke them.
      if (message.type() === 'error' && !message.text().includes('status of 4'))
        complaints.push(message.text());
    });
    await page.goto('/docs');
  });

  afterEach(() => Promise.all(tabs.splice(0).map((tab) => tab.close())));

  /** Another page of the same browser, or of one that remembers nothing. */
  const newTab = async ({ isFresh = false } = {}): Promise<Page> => {
    const tab = await (isFresh ? chromium.page() : page.context().newPage());
    tabs.push(tab);
    return tab;
  };

  /** A test that saves a screenshot of the page when it fails. */
  const step = (name: string, test: () => Promise<void>) =>
    it(name, async () => {
      try {
        await test();
      } catch (error) {
        const path = join(tmpdir(), `explorer, ${name}.png`.replaceAll(' ', '-'));
        await page.screenshot({ path, fullPage: true });
        (error as Error).message += `\nThe page as it was: ${path}`;
        throw error;
      }
    });

  const operation = (id: string): Locator => page.locator(`#operations-${id}`);

  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');

  const openOperation = async (id: string): Promise<Locator> => {
    const block = operation(id);
    if (!(await block.locator('.execute').isVisible()))
      await block.locator('.opblock-summary-control').click();
    await block.locator('.execute').waitFor();
    return block;
  };

  const tabTo = async (selector: string): Promise<void> => {
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab');
      const [outline, isThere] = await page.evaluate<[string, boolean]>(
        `((on) => [getComputedStyle(on).outlineStyle, on.matches(${JSON.stringify(selector)})])(document.activeElement)`,
      );
      expect(outline).toBe('solid');
      if (isThere) return;
    }
    throw new Error(`The Tab key does not lead to ${selector}.`);
  };

  /** Clicks Execute and reads the displayed response. */
  const execute = async (block: Locator): Promise<{ status: string; body: string; headers: string }> => {
    await block.locator('.execute').click();
    const response = block.locator('.live-responses-table .response');
    await response.waitFor();
    const shown = {
      status: (await response.locator('.response-col_status').innerText()).trim(),
      body: await response.locator('.highlight-code pre').innerText(),
      headers: await response.locator('h5:text("Response headers") + pre').innerText(),
    };
    await block.locator('.btn-clear').click();
    await response.waitFor({ state: 'detached' });
    return shown;
  };

  step('401: shows what is missing before anyone has authorised, and takes a key', async () => {
    const { status, body, headers } = await execute(await openOperation('Pets-listPets'));

    expect(status).toBe('401');
    expect(body).toContain('"code": "missing_api_key"');
    expect(headers).toContain('www-authenticate: Bearer realm="animal-store"');

    await page.locator('.btn.authorize').click();
    const unknown = page.locator('.auth-container [role=alert]', { hasText: 'This key is not known.' });
    await page.locator('.auth-container input').fill(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await unknown.waitFor();
    await page.locator('.auth-container input').fill(` Bearer ${key} `);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.getByRole('button', { name: 'Logout' }).waitFor();
    expect(await unknown.count()).toBe(0);
    await page.locator('.auth-btn-wrapper .btn-done').click();
  });

  step(
    'shows what is left of the key before any operation is executed with it, and uses up nothing',
    async () => {
      const whole = page.getByText('Free plan: 60 of 60 left this minute, 1,000 of 1,000 today');
      await whole.waitFor({ timeout: 5_000 });
    },
  );

  step('201: sends an int64 as it was typed, and shows it as it came back', async () => {
    const block = await openOperation('Pets-createPet');
    await block.locator('textarea').fill('{"name":"Rex","categoryId":9223372036854775807}');
    const { status, body } = await execute(block);

    expect(status).toBe('201');
    expect(body).toBe(
      '{\n  "id": 1,\n  "name": "Rex",\n  "categoryId": 9223372036854775807,\n  "status": "available"\n}',
    );
  });

  step('200: lists it, and shows what is left of the plan from each response, in sight', async () => {
    const quota = page.locator('#quota [role=status]');
    const left = /^Free plan: (\d+) of 60 left this minute, (\d+) of 1,000 today$/;
    expect(left.exec(await quota.innerText())![1]).toBe('59');
    const { status, body, headers } = await execute(await openOperation('Pets-listPets'));

    expect(status).toBe('200');
    expect(body).toContain('"categoryId": 9223372036854775807');
    expect(headers).toContain('x-ratelimit-limit: 60');
    expect(headers).toContain('x-ratelimit-remaining: 58');
    expect(headers).toMatch(/x-ratelimit-reset: \d{10}/);
    expect(left.exec(await quota.innerText())![1]).toBe('58');
    expect(await page.locator('.quota-resets').innerText()).toMatch(/^minute resets in \d+ (s|min)/);
    expect(await page.locator('.quota-plot').getAttribute('aria-label')).toBe(
      'The last 3 requests: 3 allowed, 0 refused, 0 banned',
    );
    expect(await page.getByRole('meter').count()).toBe(2);
    await page.mouse.wheel(0, 3_000);
    expect((await page.locator('#quota').boundingBox())!.y).toBe(0);
  });

  step('200: fetches it, and says that this is deprecated and until when', async () => {
    const block = await openOperation('Pets-getPet');
    await block.locator('input[placeholder="petId"]').fill('1');
    const { status, body, headers } = await execute(block);

    expect(status).toBe('200');
    expect(body).toContain('"categoryId": 9223372036854775807');
    expect(headers).toContain('sunset: Thu, 05 Dec 2030 00:00:00 GMT');
    expect(await block.innerText()).toContain('Get an animal (until 2030-12-05)');
    expect(await block.innerText()).toContain('Warning: Deprecated');
    expect(await block.innerText()).toContain(
      'Will be removed on 2030-12-05. From then on the response is 410.',
    );
  });

  step('shows the next page by a button, and fills in the query that is sent', async () => {
    await store.send('POST', '/v1/pets', key).send({ name: 'Tom', categoryId: 7 }).expect(201);
    const list = await openOperation('Pets-listPets');
    await list.getByRole('textbox', { name: 'limit' }).fill('1');
    await list.locator('.execute').click();
    await list.getByRole('button', { name: 'Next page' }).click();
    await list.locator('.live-responses-table pre', { hasText: 'Tom' }).waitFor();

    expect(await list.getByRole('textbox', { name: 'cursor' }).inputValue()).not.toBe('');
    // The last page has no button.
    await list.getByRole('button', { name: 'Next page' }).waitFor({ state: 'detached' });
    await list.getByRole('textbox', { name: 'cursor' }).fill('');
    await list.getByRole('textbox', { name: 'limit' }).fill('20');
    await list.locator('.btn-clear').click();
  });

  step('folds the errors of an operation, except the one that was just received', async () => {
    const list = await openOperation('Pets-listPets');
    const documented = () => list.locator('.responses-table:not(.live-responses-table) tr.response').all();
    const statuses = async () =>
      Promise.all((await documented()).map((row) => row.getAttribute('data-code')));
    expect(await statuses()).toEqual(['200', '304']);

    await list.getByRole('textbox', { name: 'cursor' }).fill('altered');
    await list.locator('.execute').click();
    await list.locator('.live-responses-table .response').waitFor();
    expect(await statuses()).toEqual(['200', '304', '400']);
    await list.getByRole('button', { name: /^Show the errors/ }).click();
    expect(await statuses()).toEqual(expect.arrayContaining(['200', '401', '429', '503']));
    await list.getByRole('button', { name: 'Hide the errors' }).click();
    await list.getByRole('textbox', { name: 'cursor' }).fill('');
    await list.locator('.btn-clear').click();
  });

  step('has code for the request as it is entered, and the key in it only when requested', async () => {
    const block = await openOperation('Pets-createPet');
    await block.locator('textarea').fill('{"name":"Rex","categoryId":9223372036854775807}');
    const code = block.locator('.samples-code');
    for (const [language, expected] of [
      ['curl', `--data-raw '{"name":"Rex","categoryId":9223372036854775807}'`],
      ['JavaScript (fetch)', '"{\\"name\\":\\"Rex\\",\\"categoryId\\":9223372036854775807}"'],
      ['TypeScript client', 'api.createPet({"name":"Rex","categoryId":9223372036854775807n})'],
      ['Python', 'urllib.request.Request('],
    ] as const) {
      await block.getByRole('combobox', { name: 'Language' }).selectOption(language);
      expect(await code.innerText()).toContain(expected);
      expect(await code.innerText()).toContain(`${await store.app.getUrl()}/v1`);
    }
    expect(await page.content()).not.toContain(key);
    await block.getByRole('checkbox', { name: 'with my key' }).check();
    expect(await code.innerText()).toContain(key);
    await block.getByRole('checkbox', { name: 'with my key' }).uncheck();
  });

  step('shows no bound of an int64, which it would round', async () => {
    const animal = page.locator('.models .json-schema-2020-12', { hasText: 'NewAnimal' }).first();
    await animal.locator('.json-schema-2020-12-expand-deep-button').first().click();

    expect(await animal.innerText()).toContain('int64');
    expect(await animal.innerText()).not.toContain('9223372036854776000');
  });

  step('keeps the key and the choice of a dark page over a reload, and needs no mouse', async () => {
    const theme = page.getByRole('switch', { name: 'Dark mode' });
    expect(await ground()).toBe(LIGHT);
    await theme.click();
    expect(await ground()).toBe(DARK);
    await page.reload();
    await page.locator('.opblock').first().waitFor();
    expect(await theme.getAttribute('aria-checked')).toBe('true');
    expect(await ground()).toBe(DARK);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await tabTo('.btn.authorize');
    await page.keyboard.press('Enter');
    // The dialog has the focus, closes with Escape, and gives it back.
    await page.locator('.modal-ux:focus-within[role=dialog]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.btn.authorize:focus').waitFor();
    await tabTo('#operations-Pets-listPets .opblock-summary-control');
    await page.keyboard.press('Enter');
    await operation('Pets-listPets').locator('.execute').waitFor();
    await tabTo('#operations-Pets-listPets .execute');
    await page.keyboard.press('Enter');
    const response = operation('Pets-listPets').locator('.live-responses-table .response');
    expect((await response.locator('.response-col_status').innerText()).trim()).toBe('200');
    await theme.click();
    expect(await ground()).toBe(LIGHT);
  });

  step('opens the operation of an address in another tab, and of a link on the page', async () => {
    const link = operation('Pets-listPets').getByRole('link', { name: 'Link to this operation' });
    const tab = await newTab();
    await tab.goto(new URL((await link.getAttribute('href'))!, page.url()).href);
    await tab.locator('#operations-Pets-listPets .execute').waitFor();
    await tab.locator('#operation-list').waitFor({ state: 'detached' });
    await within(PATIENCE_MS, async () => {
      const { y } = (await tab.locator('#operations-Pets-listPets').boundingBox())!;
      const bar = (await tab.locator('#quota').boundingBox())!;
      return y >= bar.y + bar.height && y < 200;
    });
    await tab.getByRole('searchbox').fill('order place');
    await tab.getByRole('link', { name: 'POST /store/orders', exact: true }).click();
    await tab.locator('#operations-Store-placeOrder .execute').waitFor();
    expect(new URL(tab.url()).hash).toBe('#/Store/placeOrder');
  });

  step('gives the response the focus that the pressed button has lost', async () => {
    const block = await openOperation('Pets-listPets');
    await block.locator('.execute').focus();
    await page.keyboard.press('Enter');
    await block.locator('.live-responses-table:focus').waitFor();
    await block.locator('.btn-clear').click();
  });

  step('names the setting that lets this page call another server, when that is chosen', async () => {
    const tab = await newTab();
    await tab.route('**/openapi.json', async (route) => {
      const document = (await (await route.fetch()).json()) as object;
      const servers = [{ url: '/v1' }, { url: 'https://staging.example/v1' }];
      await route.fulfill({ json: { ...document, servers } });
    });
    await tab.goto('/docs');
    await tab.locator('select#servers').selectOption('https://staging.example/v1');
    const origin = await store.app.getUrl();
    await tab
      .getByText(`https://staging.example responds to this page only if its CORS_ORIGINS has ${origin}.`)
      .waitFor();
  });

  step('copies the code of a page, without what it prints', async () => {
    const tab = await newTab();
    await tab.goto('/docs/guides/getting-started');
    await tab.evaluate(`navigator.clipboard.writeText = async (text) => void (document.title = text)`);
    await tab.getByRole('button', { name: 'Copy' }).nth(1).click();
    await tab.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await tab.title()).toMatch(/^curl '.*' -H "Authorization: Bearer \$API_KEY"$/);
  });

  step('offers no copying in a page without TLS, which has no clipboard', async () => {
    const tab = await newTab();
    const here = await store.app.getUrl();
    await tab.route('http://store.example/**', async (route) => {
      const response = await route.fetch({
        url: route.request().url().replace('http://store.example', here),
      });
      await route.fulfill({ response });
    });
    await tab.goto('http://store.example/docs/guides/getting-started');
    expect(await tab.evaluate('isSecureContext')).toBe(false);
    await tab.locator('main pre').first().waitFor();
    expect(await tab.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await tab.goto('http://store.example/docs#/Pets/listPets');
    await tab.locator('.samples-choice').first().waitFor();
    expect(await tab.getByRole('button', { name: 'Copy', exact: true }).count()).toBe(0);
  });

  for (const [what, path, script] of [
    ['an address that is badly encoded', '/docs#%zz', ''],
    ['what another program has stored', '/docs', `localStorage.setItem('authorized', 'yes')`],
    [
      'no storage',
      '/docs',
      `Object.defineProperty(window, 'localStorage', { configurable: true, get() { throw new Error('denied'); } })`,
    ],
  ] as const)
    step(`starts with ${what}`, async () => {
      const tab = await newTab({ isFresh: true });
      const errors: string[] = [];
      tab.on('pageerror', ({ message }) => errors.push(message));
      await tab.addInitScript(script);
      await tab.goto(path);
      await tab.locator('#operations-Pets-listPets').waitFor();
      await tab.locator('#operation-list').waitFor({ state: 'detached' });
      await tab.evaluate(`location.hash = '#%E0%A4%A'`);
      await tab.getByRole('switch', { name: 'Dark mode' }).click();
      await tab.locator('html.dark-mode').waitFor();
      expect(errors).toEqual([]);
    });

  step('says that a key has characters which none has, such as the dots of a shortened one', async () => {
    const tab = await newTab({ isFresh: true });
    await tab.goto('/docs');
    await tab.locator('.btn.authorize').click();
    await tab.locator('.auth-container input').fill('ask_live_…');
    await tab.locator('.auth-btn-wrapper .authorize').click();
    await tab.locator('.auth-container [role=alert]', { hasText: 'This key is not known.' }).waitFor();
  });

  step('finds something at the second attempt when the first has failed', async () => {
    const tab = await newTab();
    await tab.route('**/search.json', (route) => route.abort(), { times: 1 });
    await tab.goto('/docs/errors');
    await tab.getByRole('searchbox').fill('pet_not_foun');
    await tab.getByText('The search does not respond.').waitFor();
    await tab.getByRole('searchbox').fill('pet_not_found');
    await tab.locator('.found a').first().waitFor();
  });

  step('finds an error from any page', async () => {
    const tab = await newTab();
    await tab.goto('/docs/changelog');
    await tab.keyboard.press('/');
    await tab.keyboard.type('not_found PET');
    await tab.getByText(/^\d+ found$/).waitFor();
    expect(await tab.locator('.found a').first().innerText()).toBe('pet_not_found');
    await tab.keyboard.press('Escape');
    expect(await tab.getByRole('link', { name: 'pet_not_found' }).isVisible()).toBe(false);
    await tab.getByRole('searchbox').fill('pet_not_found');
    await tab.getByRole('link', { name: 'pet_not_found' }).waitFor();
    await tab.keyboard.press('Tab');
    await tab.keyboard.press('Enter');
    await tab.locator('#pet_not_found:target').waitFor();
  });

  step('shows every operation while Swagger UI is on its way, and opens the same one then', async () => {
    const tab = await newTab();
    const blocked: (() => Promise<void>)[] = [];
    await tab.route(/swagger-ui-bundle/, (route) => void blocked.push(() => route.continue()));
    await tab.goto('/docs', { waitUntil: 'domcontentloaded' });
    const listed = tab.locator('#operation-list details', { hasText: 'GET /store/orders/{orderId}' }).first();
    await listed.locator('summary').click();
    await listed.locator('pre', { hasText: `${await store.app.getUrl()}/v1/store/orders/` }).waitFor();
    await blocked[0]!();
    await tab.locator('#operations-Store-getOrder .execute').waitFor();
    await tab.locator('#operation-list').waitFor({ state: 'detached' });
  });

  step(
    'sends requests while Swagger UI is on its way, after a quarter of what five seconds at 400 kbit/s carry',
    async () => {
      const tab = await newTab({ isFresh: true });
      const blocked: (() => Promise<void>)[] = [];
      await tab.route(/swagger-ui/, (route) => void blocked.push(() => route.continue()));
      const loaded: Promise<number>[] = [];
      tab.on('requestfinished', (request) => {
        loaded.push(request.sizes().then((sizes) => sizes.responseBodySize + sizes.responseHeadersSize));
      });
      // What is entered before the script has come is not lost.
      const scripts: (() => Promise<void>)[] = [];
      await tab.route(/explorer-\w+\.js/, (route) => void scripts.push(() => route.continue()));
      await tab.goto('/docs#/Pets/createPet', { waitUntil: 'commit' });
      await tab.getByRole('textbox', { name: 'Your API key' }).fill(` Bearer ${key} `);
      await scripts[0]!();
      const creation = tab.locator('details', { hasText: 'POST /pets' }).first();
      await creation
        .getByRole('textbox', { name: 'Body' })
        .fill('{"name":"Rex","categoryId":9223372036854775807}');
      await creation.getByRole('button', { name: 'Send' }).click();
      await creation.locator('output', { hasText: '"categoryId": 9223372036854775807' }).waitFor();
      expect((await Promise.all(loaded)).reduce((sum, bytes) => sum + bytes)).toBeLessThan(250_000 / 4);
      expect(await creation.locator('output').innerText()).toMatch(/^201\n[^]*\nlocation: \/v1\/pets\/\d+\n/);
      expect(await tab.locator('#quota [role=status]').innerText()).toMatch(/^Free plan: \d+ of 60 left/);

      await tab.locator('details', { hasText: 'GET /pets' }).first().locator('summary').click();
      const list = tab.locator('details', { hasText: 'GET /pets' }).first();
      await list.getByRole('textbox', { name: 'limit' }).fill('0');
      await list.getByRole('button', { name: 'Send' }).click();
      await list.locator('output', { hasText: 'limit must be' }).waitFor();

      // What was entered stays until the reader wants Swagger UI, which then has the key.
      for (const release of blocked) await release();
      await tab.getByRole('button', { name: 'Open Swagger UI' }).click();
      await tab.locator('#operations-Pets-listPets .execute').click();
      const row = tab.locator('#operations-Pets-listPets .live-responses-table .response-col_status');
      await row.filter({ hasText: '200' }).waitFor();
      expect(await tab.locator('#operation-list').count()).toBe(0);
    },
  );

  step('prints without the bar and the navigation', async () => {
    await page.emulateMedia({ media: 'print' });
    for (const part of ['#quota', '.top']) expect(await page.locator(part).isVisible()).toBe(false);
    expect(await operation('Pets-listPets').isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
  });

  step('fits a screen of 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    for (const select of await page.locator('.opblock select').all()) {
      expect((await select.boundingBox())!.width).toBeGreaterThan(100);
    }
    const tab = await newTab();
    await tab.setViewportSize({ width: 360, height: 844 });
    for (const name of readdirSync(resolve(__dirname, '../../docs/api'))) {
      await tab.goto(name === 'README.md' ? '/docs/guides' : `/docs/guides/${basename(name, '.md')}`);
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(360);
    }
    await tab.goto('/docs/deprecations');
    const { x, y } = (await tab.locator('td').first().boundingBox())!;
    expect(await tab.evaluate(`document.elementFromPoint(${x + 5}, ${y + 5}).closest('td') !== null`)).toBe(
      true,
    );
    await page.setViewportSize({ width: 900, height: 400 });
  });

  step('loads and runs nothing that its content security policy refuses, and nothing fails', async () => {
    expect(complaints).toEqual([]);
  });
});

describeWithBrowser('The button that makes a key, on the own machine of a developer', () => {
  const chromium = new StoreInChromium(() => TestApp.start({ NODE_ENV: 'development' }));
  let page: Page;

  beforeEach(async () => {
    page = await chromium.page({ baseURL: `http://localhost:${chromium.store.port}` });
  });

  afterEach(() => page.close());

  const button = () => page.getByRole('button', { name: 'Make a Free key for this browser' });
  const status = () => page.locator('#quota [role=status]');
  const storedKey = () => page.evaluate(`JSON.parse(localStorage.getItem('authorized'))?.apiKey?.value`);

  /** The confirmation before a key is replaced, which is refused. */
  const refusing = (): string[] => {
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.dismiss();
    });
    return questions;
  };

  it('makes one that works, and confirms before it replaces it', async () => {
    const questions = refusing();
    await page.goto('/docs');
    await button().click();
    await status().getByText('Your requests have a new key now, for a week.').waitFor();
    const made = await storedKey();
    expect(made).toMatch(/^ask_/);
    await page.reload();
    await button().click();

    await within(PATIENCE_MS, () => questions.length === 1);
    expect(questions).toEqual(['Replace the key that you have entered by a new Free key?']);
    expect(await storedKey()).toBe(made);
  });

  it('is there when the document has come, without which no key can be used', async () => {
    const blocked: (() => Promise<void>)[] = [];
    await page.route('**/openapi.json', (route) => void blocked.push(() => route.continue()));
    await page.goto('/docs', { waitUntil: 'domcontentloaded' });
    await page.locator('#swagger-ui .swagger-ui').waitFor();
    expect(await button().isVisible()).toBe(false);
    for (const release of blocked) await release();
    await button().click();
    await status().getByText('Your requests have a new key now, for a week.').waitFor();
  });

  /** Swagger UI waits, as something was entered before it came. */
  async function enterFirst(field: string, text: string): Promise<void> {
    const blocked: (() => Promise<void>)[] = [];
    await page.route(/swagger-ui-bundle/, (route) => void blocked.push(() => route.continue()));
    await page.goto('/docs#/Pets/listPets', { waitUntil: 'domcontentloaded' });
    await page.getByRole('textbox', { name: field }).first().fill(text);
    await blocked[0]!();
    await page.getByRole('button', { name: 'Open Swagger UI' }).waitFor();
  }

  it('makes one for the list too, and Swagger UI has it afterwards', async () => {
    await enterFirst('limit', '1');
    await button().click();
    await status().getByText('Your requests have a new key now, for a week.').waitFor();
    const made = await storedKey();
    const list = page.locator('details[open]');
    await list.getByRole('button', { name: 'Send' }).click();
    await list.locator('output', { hasText: /^200/ }).waitFor();
    await page.getByRole('button', { name: 'Open Swagger UI' }).click();

    expect(await storedKey()).toBe(made);
  });

  it('confirms before it replaces one that was entered in the list', async () => {
    const questions = refusing();
    await enterFirst('Your API key', 'ask_live_entered');
    await button().click();

    await within(PATIENCE_MS, () => questions.length === 1);
    expect(await storedKey()).toBeUndefined();
  });

  it('says why it makes no further one', async () => {
    await page.goto('/docs');
    await page.evaluate(
      `(async () => { while ((await fetch('/docs/key', { method: 'POST' })).status === 201); })()`,
    );
    await button().click();
    await status()
      .getByText(
        'No key was made: This server has made 20 keys for browsers. Make more with "npm run keys -- create".',
      )
      .waitFor();
  });
});
