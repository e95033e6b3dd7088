import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { hasChromium, launchChromium, PATIENCE_MS } from '../support/chromium.js';
import { TestApp } from '../support/test-app.js';

const describeWithBrowser = hasChromium ? describe : describe.skip;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, object>>;
}

type Items = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const { paths, webhooks, components } = JSON.parse(
  readFileSync(resolve(__dirname, '../../docs/openapi.json'), 'utf8'),
) as { paths: Items; webhooks: Items; components: { schemas: object } };

const operationsOf = (items: Items) =>
  Object.values(items).flatMap((item) =>
    Object.values(item).map(({ operationId, tags, responses }) => ({
      operationId,
      place: `#operations-${tags[0]}-${operationId}`,
      statuses: Object.keys(responses),
    })),
  );

/** What Swagger UI shows in place of a part that has failed. */
const FAILED = 'text=/Could not render|Something went wrong/i';

/** Opens and chooses all of an operation, in turns of the page, as each one draws others. Errors are all of one schema. */
const OPEN_ALL = `(async (block) => {
  const turn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const success = '.response[data-code^="2"]';
  for (const selector of [
    success + ' details:not([open]) > summary',
    success + ' .tablinks[data-name=model], .opblock-section-request-body .tablinks[data-name=model]',
    '.json-schema-2020-12-expand-deep-button',
  ]) {
    for (const control of block.querySelectorAll(selector)) control.click();
    await turn();
  }
  for (const select of block.querySelectorAll('select'))
    for (const { value } of select.options) {
      Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, value);
      select.dispatchEvent(new Event('change', { bubbles: true }));
      await turn();
    }
})`;
const OPENED_WITHIN_MS = 120_000;

describeWithBrowser('Every part of the document, opened in the explorer', () => {
  let store: TestApp;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    [store, browser] = await Promise.all([TestApp.start(), launchChromium()]);
    const context = await browser.newContext({
      baseURL: await store.app.getUrl(),
      viewport: { width: 1200, height: 900 },
    });
    page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto('/docs');
    await page.locator('.opblock').first().waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await store?.stop();
  });

  afterEach(async () => {
    expect(await page.locator(FAILED).allInnerTexts()).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  const openAll = async (block: Locator): Promise<void> => {
    const id = await block.getAttribute('id');
    await page.evaluate(`${OPEN_ALL}(document.getElementById(${JSON.stringify(id)}))`);
  };

  it.each(operationsOf(paths))(
    'shows $operationId with its responses, their headers, examples and samples',
    async ({ place, statuses }) => {
      const block = page.locator(place);
      await block.locator('.opblock-summary-control').click();
      await block.getByRole('button', { name: /^Show the errors/ }).click();
      await block
        .locator('tr.response')
        .nth(statuses.length - 1)
        .waitFor();
      await openAll(block);
      await block.locator('.response .headers-wrapper').first().waitFor();
      expect(await block.locator('.samples-code').innerText()).toContain('urllib');
      await block.locator('.opblock-summary-control').click();
    },
    OPENED_WITHIN_MS,
  );

  it('shows the bounds of a parameter', async () => {
    const block = page.locator('#operations-Pets-listPets');
    await block.locator('.opblock-summary-control').click();
    const bounds = block.locator('.parameters tr[data-param-name=limit] .parameter__extension');

    expect((await bounds.allInnerTexts()).join(' ')).toMatch(/minimum: 1 maximum: 100/);
    await block.locator('.opblock-summary-control').click();
  });

  it.each(operationsOf(webhooks))(
    'shows the event $operationId with its body',
    async ({ operationId }) => {
      const block = page.locator(`#operations-webhooks-${operationId}`);
      await block.locator('.opblock-summary-control').click();
      await block.locator('tr.response').first().waitFor();
      await openAll(block);
      expect(
        await block.locator('.opblock-section-request-body .json-schema-2020-12').count(),
      ).toBeGreaterThan(0);
      expect(await block.locator('.samples').count()).toBe(0);
      await block.locator('.opblock-summary-control').click();
    },
    OPENED_WITHIN_MS,
  );

  it(
    'shows each schema whole',
    async () => {
      const models = page.locator('.models .json-schema-2020-12[data-json-schema-level="0"]');
      expect(await models.count()).toBe(Object.keys(components.schemas).length);
      await page.evaluate(`(async () => {
        for (const model of document.querySelectorAll('.models .json-schema-2020-12[data-json-schema-level="0"]')) {
          model.querySelector('.json-schema-2020-12-expand-deep-button').click();
          await new Promise((resolve) => setTimeout(resolve));
        }
      })()`);
      await models.last().locator('.json-schema-2020-12-property').first().waitFor();
    },
    OPENED_WITHIN_MS,
  );
});

describeWithBrowser('Every part of the document, before Swagger UI has come', () => {
  it('is in the list: operations and events', async () => {
    const [store, browser] = await Promise.all([TestApp.start(), launchChromium()]);
    try {
      const page = await browser.newPage({ javaScriptEnabled: false });
      await page.goto(`${await store.app.getUrl()}/docs`);
      const summaries = await page.locator('#operation-list details summary code').allInnerTexts();

      expect(summaries).toHaveLength(operationsOf(paths).length + operationsOf(webhooks).length);
      expect(summaries).toEqual(expect.arrayContaining(['GET /pets', ...Object.keys(webhooks)]));
      expect(await page.locator('#loading').isVisible()).toBe(false);
    } finally {
      await browser.close();
      await store.stop();
    }
  });
});
