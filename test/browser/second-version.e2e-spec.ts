import { Module } from '@nestjs/common';
import type { Page } from 'playwright-core';
import { PetsModule } from '../../src/pets/pets.module.js';
import { PetsV2Controller } from '../examples/pets-v2/http/pets-v2.controller.js';
import { authorize, hasChromium, StoreInChromium } from '../support/chromium.js';
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
  const chromium = new StoreInChromium(() => TestApp.startWith(PetsV2Module));
  let page: Page;
  let key: string;

  beforeAll(async () => {
    key = await chromium.store.key();
    await chromium.store.send('POST', '/v1/pets', key).send({ name: 'Rex', categoryId: 7 }).expect(201);
    page = await chromium.page();
    await page.goto('/docs');
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
    await authorize(page, key);
    const block = page.locator('.opblock.is-open');
    await block.locator('.execute').click();
    const response = block.locator('.live-responses-table .response');
    await response.waitFor();

    expect((await response.locator('.response-col_status').innerText()).trim()).toBe('200');
    expect(await response.locator('.highlight-code pre').innerText()).toContain('"category": {');
    const code = block.locator('.samples-code');
    expect(await code.innerText()).toContain(`${await chromium.store.app.getUrl()}/v2/pets`);
    await block.getByRole('combobox', { name: 'Language' }).selectOption('TypeScript client');
    expect(await code.innerText()).toContain('api.v2.listPets(');
  });
});
