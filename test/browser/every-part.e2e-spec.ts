import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { hasChromium, StoreInChromium } from '../support/chromium.js';
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

/** Opens and chooses all of an operation. Each turn of the page may draw others. Errors share one schema. */
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
  // All lists at once: Swagger UI draws the whole operation for each turn.
  const { set } = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value');
  for (let at = 0, chosen = 1; chosen > 0; at++) {
    chosen = 0;
    for (const select of block.querySelectorAll('select')) {
      if (at >= select.options.length) continue;
      set.call(select, select.options[at].value);
      select.dispatchEvent(new Event('change', { bubbles: true }));
      chosen++;
    }
    await turn();
  }
})`;
/** What runs the samples of a language, and what they print. */
const RUN: Readonly<Record<string, { readonly words: readonly string[]; readonly shows: RegExp }>> = {
  // A deletion shows nothing but how long it took.
  curl: { words: ['bash', '-c'], shows: /^[[{].*[}\]]|^ {2}% Total(?![^]*curl: \()/ },
  'JavaScript (fetch)': { words: [process.execPath, '--input-type=module', '-e'], shows: /^[2-4]\d\d [[{]/ },
  'TypeScript client': {
    words: [process.execPath, '--input-type=module', '-e'],
    shows: /^[[{]|^undefined\n$|\n +code: '\w+',\n/,
  },
  Python: { words: ['python3', '-c'], shows: /^[2-4]\d\d [[{]/ },
};
const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'es2022',
  module: 'nodenext',
  typeRoots: [resolve(__dirname, '../../node_modules/@types')],
  types: ['node'],
};
const COMPILER = resolve(__dirname, '../../node_modules/typescript/bin/tsc');
const ASSETS = resolve(__dirname, '../../dist/assets');

const run = promisify(execFile);

const OPENED_WITHIN_MS = 120_000;
/** Four programs for each operation. */
const RUN_WITHIN_MS = 300_000;

describeWithBrowser('Every part of the document, opened in the explorer', () => {
  const chromium = new StoreInChromium(() => TestApp.start());
  let page: Page;
  const complaints: string[] = [];
  const samples: { readonly name: string; readonly language: string; readonly code: string }[] = [];

  beforeAll(async () => {
    page = await chromium.page({ viewport: { width: 1200, height: 900 } });
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto('/docs');
    await page.locator('.opblock').first().waitFor();
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
    async ({ operationId, place, statuses }) => {
      const block = page.locator(place);
      await block.locator('.opblock-summary-control').click();
      for (const language of Object.keys(RUN)) {
        await block.locator('.samples-choice select').selectOption(language);
        const code = await block.locator('.samples-code').innerText();
        samples.push({ name: `${operationId} in ${language}`, language, code });
      }
      await block.getByRole('button', { name: /^Show the errors/ }).click();
      await block
        .locator('tr.response')
        .nth(statuses.length - 1)
        .waitFor();
      await openAll(block);
      await block.locator('.response .headers-wrapper').first().waitFor();
      await block.locator('.opblock-summary-control').click();
    },
    OPENED_WITHIN_MS,
  );

  it(
    'has samples that run, the TypeScript ones strictly typed, and show the response or the Error object',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'samples-'));
      try {
        const client = join(folder, 'node_modules/animal-store-client');
        mkdirSync(client, { recursive: true });
        const [packed] = readdirSync(ASSETS).filter((name) => name.endsWith('.tgz'));
        await run('tar', ['xzf', join(ASSETS, packed!), '--strip-components=1', '-C', client]);
        const typed = samples.filter(({ language }) => language === 'TypeScript client');
        const files = typed.map(({ code }, at) => {
          writeFileSync(join(folder, `${at}.mts`), code);
          return `${at}.mts`;
        });
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, files }));
        const compiled = await run(process.execPath, [COMPILER, '--project', folder]).catch(
          (error: unknown) => error,
        );
        expect((compiled as { stdout: string }).stdout).toBe('');

        const API_KEY = await chromium.store.key();
        const failed: object[] = [];
        const runAll = async (language: string) => {
          const { words, shows } = RUN[language]!;
          const [program, ...given] = words;
          const options = { cwd: folder, env: { ...process.env, API_KEY } };
          for (const { name, code } of samples.filter((sample) => sample.language === language)) {
            const printed = await run(program!, [...given, code], options).catch((error: unknown) => error);
            const { stdout, stderr } = printed as { stdout: string; stderr: string };
            if (!shows.test(stdout + stderr)) failed.push({ name, stdout, stderr });
          }
        };
        await Promise.all(Object.keys(RUN).map(runAll));
        expect(failed).toEqual([]);
        expect(samples).toHaveLength(operationsOf(paths).length * 4);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    RUN_WITHIN_MS,
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
      // For each schema that it opens, Swagger UI parses all that the document has besides.
      await page.route('**/openapi.json', async (route) => {
        const response = await route.fetch();
        const json = { ...((await response.json()) as object), paths: {}, webhooks: {} };
        await route.fulfill({ response, json });
      });
      await page.reload();
      const models = page.locator('.models .json-schema-2020-12[data-json-schema-level="0"]');
      await models.first().waitFor();
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
