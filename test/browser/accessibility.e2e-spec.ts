import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { hasChromium, StoreInChromium } from '../support/chromium.js';
import { TestApp } from '../support/test-app.js';
import { toolFile } from '../support/tools.js';

// Axe takes seconds for a page with everything open.
jest.setTimeout(90_000);

const AXE = toolFile('axe-core/axe.min.js');
const describeAxe = hasChromium ? describe : describe.skip;

/** The rules of WCAG 2.2, A and AA, and the best practices of axe. */
const OPTIONS = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  rules: { 'target-size': { enabled: true } },
  resultTypes: ['violations'],
};
const WIDTHS = [1440, 390];
const SCHEMES = [
  { colorScheme: 'light', shown: 'html:not(.dark-mode)' },
  { colorScheme: 'dark', shown: 'html.dark-mode' },
] as const;
/** The fonts of text and of code. */
const TYPEFACES = ['system-ui, sans-serif', 'ui-monospace, monospace'];

describeAxe('The pages, wide and narrow, light and dark, in Chromium', () => {
  const chromium = new StoreInChromium(() => TestApp.start({ NODE_ENV: 'development' }));
  let page: Page;

  beforeAll(async () => {
    // A colour in transition is neither the one nor the other.
    page = await chromium.page({
      baseURL: `http://localhost:${chromium.store.port}`,
      reducedMotion: 'reduce',
    });
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(path);
    await page.evaluate(readFileSync(AXE, 'utf8'));
  };

  /** What axe finds within `part`: the rule, the elements and the causes. And each typeface that is none of ours. */
  const findings = async (part = 'body'): Promise<string[]> => {
    const found: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      // What has scrolled beneath the quota's bar is obscured until it scrolls on.
      await page.evaluate('scrollTo(0, 0)');
      for (const { colorScheme, shown } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.locator(shown).waitFor();
        const lines = await page.evaluate<string[]>(
          `axe.run(${JSON.stringify(part)}, ${JSON.stringify(OPTIONS)}).then(({ violations }) =>
            violations.flatMap(({ id, nodes }) =>
              nodes.map(({ target, any, all, none }) =>
                [id, target, [...any, ...all, ...none].map(({ message }) => message)].join(' | '))))`,
        );
        found.push(...lines.map((line) => `${width} px, ${colorScheme}: ${line}`));
      }
    }
    const typefaces = await page.evaluate<string[]>(
      `[...document.querySelectorAll('body *')].map((element) => getComputedStyle(element).fontFamily)`,
    );
    return [...found, ...new Set(typefaces.filter((name) => !TYPEFACES.includes(name)))];
  };

  it.each([
    '/',
    '/docs/errors',
    '/docs/changelog',
    '/docs/deprecations',
    '/docs/client',
    '/docs/guides',
    '/docs/guides/limits',
    '/nope',
  ])('have nothing that axe finds, at %s', async (path) => {
    await open(path);
    expect(await findings()).toEqual([]);
  });

  it('have nothing that axe finds, in the explorer before Swagger UI has come, and in what the search finds', async () => {
    await page.route(/swagger-ui-bundle/, (route) => route.abort());
    await open('/docs');
    await page.locator('#operation-list summary').first().click();
    await page.getByRole('searchbox').fill('pet');
    await page.getByText(/^\d+ found, the first 12 shown$/).waitFor();
    expect(await findings()).toEqual([]);
    await page.unroute(/swagger-ui-bundle/);
  });

  it('have nothing that axe finds, in the explorer as it opens', async () => {
    await open('/docs');
    await page.locator('.opblock').first().waitFor();
    expect(await findings()).toEqual([]);
  });

  it('have nothing that axe finds, in the dialog for the key, before and after a key is entered', async () => {
    await page.locator('.btn.authorize').click();
    await page.locator('.auth-container input').fill(await chromium.store.key('free'));
    expect(await findings('.dialog-ux')).toEqual([]);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.getByRole('button', { name: 'Logout' }).waitFor();
    expect(await findings('.dialog-ux')).toEqual([]);
    await page.locator('.btn-done').click();
  });

  it('have nothing that axe finds, in forms, responses, code and schemas', async () => {
    for (const id of ['Pets-createPet', 'Pets-listPets', 'Pets-getPet']) {
      const block = page.locator(`#operations-${id}`);
      await block.locator('.opblock-summary-control').click();
    }
    const creation = page.locator('#operations-Pets-createPet');
    for (const name of ['Rex', 'Tom']) {
      await creation.locator('textarea').fill(JSON.stringify({ name, categoryId: 7 }));
      await creation.locator('.execute').click();
      await creation.locator('.live-responses-table .response').waitFor();
      await creation.locator('.btn-clear').click();
    }
    const list = page.locator('#operations-Pets-listPets');
    await list.getByRole('textbox', { name: 'limit' }).fill('1');
    await list.locator('.execute').click();
    await list.getByRole('button', { name: 'Next page' }).waitFor();
    await list.getByRole('button', { name: /^Show the errors/ }).click();
    await list.locator('summary', { hasText: 'Headers' }).first().click();
    await list.getByRole('tab', { name: 'Schema' }).first().click();
    const schema = page.locator('.models .json-schema-2020-12', { hasText: 'NewAnimal' }).first();
    await schema.locator('.json-schema-2020-12-expand-deep-button').first().click();

    expect(await findings()).toEqual([]);
  });

  it('show the quota in one line on a wide screen, whatever the plan', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const heights = await page.evaluate<number[]>(`{
      const texts = ['Free plan: 59 of 60 left this minute', 'Enterprise plan: 100,000 of 100,000 left this minute, 10,000,000 of 10,000,000 today'];
      texts.map((text) => {
        document.querySelector('.quota-status').textContent = text;
        return document.querySelector('#quota').offsetHeight;
      });
    }`);
    expect(heights).toEqual([heights[0], heights[0]]);
    expect(heights[0]).toBeLessThan(48);
  });
});
