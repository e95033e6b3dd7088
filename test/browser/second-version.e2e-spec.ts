import { Module } from '@nestjs/common';
import type { Browser, Page } from 'playwright-core';
import { PetsModule } from '../../src/pets/pets.module.js';
import { PetsV2Controller } from '../examples/pets-v2/http/pets-v2.controller.js';
import { hasChromium, launchChromium, PATIENCE_MS } from '../support/chromium.js';
import { TestApp } from '../support/test-app.js';

// As a team adds it to the list.
jest.mock('../../src/version.js', () => ({
  ...jest.requireActual<object>('../../src/version.js'),
  VERSIONS: ['1', '2'],
}));

@Module({ imports: [PetsModule], controllers: [PetsV2Controller] })
class PetsV2Module {}

const describeWithBrowser = hasChromium ? describe : describe.skip;

describeWithBrowser('Swagger UI with two versions, in Chromium', () => {
  let store: TestApp;
  let key: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [store, browser] = await Promise.all([TestApp.startWith(PetsV2Module), launchChromium()]);
    key = await store.key();
    await store.send('POST', '/v1/pets', key).send({ name: 'Rex', categoryId: 7 }).expect(201);
    const context = await browser.newContext({ baseURL: await store.app.getUrl() });
    page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto('/docs');
  });

  afterAll(async () => {
    await browser?.close();
    await store?.stop();
  });

  it('distinguishes the versions in headings, paths and search, and opens what was found', async () => {
    await page.locator('.opblock').first().waitFor();
    const headings = await page.locator('.opblock-tag a').allInnerTexts();
    expect(headings).toEqual(expect.arrayContaining(['Pets', 'Pets v2']));

    await page.getByRole('searchbox').fill('list animals');
    await page.getByRole('link', { name: 'GET /pets', exact: true }).waitFor();
    await page.getByRole('link', { name: 'GET /v2/pets', exact: true }).click();
    await page.locator('.opblock .execute').waitFor();
    expect(await page.locator('.opblock.is-open').getAttribute('id')).toBe('operations-Pets_v2-listPetsV2');
  });

  it('200: executes an operation of the second version, and has code for it', async () => {
    await page.locator('.btn.authorize').click();
    await page.locator('.auth-container input').fill(key);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.auth-btn-wrapper .btn-done').click();
    const block = page.locator('.opblock.is-open');
    await block.locator('.execute').click();
    const response = block.locator('.live-responses-table .response');
    await response.waitFor();

    expect((await response.locator('.response-col_status').innerText()).trim()).toBe('200');
    expect(await response.locator('.highlight-code pre').innerText()).toContain('"category": {');
    const code = block.locator('.samples-code');
    expect(await code.innerText()).toContain(`${await store.app.getUrl()}/v2/pets`);
    await block.getByRole('combobox', { name: 'Language' }).selectOption('TypeScript client');
    expect(await code.innerText()).toContain('api.v2.listPets(');
  });
});
