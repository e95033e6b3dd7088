import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { TestApp } from './test-app.js';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** The longest wait, with a margin for a busy machine. A wait ends as soon as its condition is met. */
export const PATIENCE_MS = 20_000;

/** A developer needs no browser. In CI a missing browser must fail the tests. */
export const hasChromium = existsSync(CHROMIUM) || process.env['CI'] !== undefined;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** What a suite needs to look at the pages of a store. It starts and ends with the suite. */
export class StoreInChromium {
  store: TestApp;
  browser: Browser;

  constructor(start: () => Promise<TestApp>) {
    beforeAll(async () => {
      [this.store, this.browser] = await Promise.all([start(), launchChromium()]);
    });
    afterAll(async () => {
      await this.browser?.close();
      await this.store?.stop();
    });
  }

  /** An empty page in a browser that remembers nothing. */
  async page(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ baseURL: await this.store.app.getUrl(), ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    return page;
  }
}

/** Enters a key in the dialog of the explorer. */
export async function authorize(page: Page, key: string): Promise<void> {
  await page.locator('.btn.authorize').click();
  await page.locator('.auth-container input').fill(key);
  await page.locator('.auth-btn-wrapper .authorize').click();
  await page.locator('.auth-btn-wrapper .btn-done').click();
}
