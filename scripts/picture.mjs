// Takes the README's pictures of the explorer, light and dark, from a running store: node scripts/picture.mjs
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import './install-tools.mjs';
import { ThrowawayStore } from './throwaway-store.mjs';

const { chromium } = createRequire(import.meta.resolve('../test/tools/package.json'))('playwright-core');

const FOLDER = 'docs/images';
const VIEWPORT = { width: 1440, height: 640 };

const store = new ThrowawayStore({ PORT: '0' });
let browser;
try {
  const { key } = await store.keys('create', '--name', 'Explorer', '--plan', 'free');
  const url = await store.start();
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium' });
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({
      baseURL: url,
      colorScheme,
      reducedMotion: 'reduce',
      viewport: VIEWPORT,
    });
    await page.goto('/docs');
    await authorize(page, key);
    await addAnimal(page);
    await page.locator('#operations-tag-Pets').evaluate((tag) => window.scrollTo(0, tag.offsetTop - 80));
    await page.screenshot({ path: `${FOLDER}/explorer-${colorScheme}.png` });
  }
} finally {
  await browser?.close();
  await store.stop();
}

async function authorize(page, key) {
  await page.locator('.btn.authorize').click();
  await page.locator('.auth-container input').fill(key);
  await page.locator('.auth-btn-wrapper .authorize').click();
  await page.locator('.auth-btn-wrapper .btn-done').click();
}

/** Fills the bar of the plan. */
async function addAnimal(page) {
  const block = page.locator('#operations-Pets-createPet');
  await block.locator('.opblock-summary-control').click();
  await block.locator('.execute').click();
  await block.locator('.live-responses-table .response').waitFor();
  await block.locator('.opblock-summary-control').click();
  // The button that copies the path is shown while the pointer is on the block.
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement.blur());
}
