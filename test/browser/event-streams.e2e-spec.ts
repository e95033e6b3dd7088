import { Controller, type MessageEvent, Module, Sse } from '@nestjs/common';
import type { Browser } from 'playwright-core';
import type { Observable } from 'rxjs';
import { RequireScope } from '@animal-store/api-keys';
import { Operation, Tag, TextField } from '@animal-store/openapi';
import { EventStream, OpenStream, Streams } from '@animal-store/web';
import { hasChromium, launchChromium, PATIENCE_MS } from '../support/chromium.js';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const describeWithBrowser = hasChromium ? describe : describe.skip;

class Tide {
  @TextField({ description: 'What the water does.', example: 'rises', maxLength: 10 })
  text: string;
}

@Tag('Tides', 'Water.')
@Controller({ path: 'tides', version: '1' })
class TidesController {
  @Sse()
  @RequireScope('pets:read')
  @Operation({ summary: 'Watch the tides', description: 'The water.', response: { stream: Tide } })
  watchTides(@OpenStream() stream: EventStream): Promise<Observable<MessageEvent>> {
    const rows = [{ id: 7n, text: 'rises' }];
    const read = (after: bigint) => Promise.resolve(rows.filter(({ id }) => id > after));
    return stream.follow({ after: 0n, read, toData: ({ text }) => ({ text }) });
  }
}

@Module({ controllers: [TidesController] })
class TidesModule {}

describeWithBrowser('A stream in Swagger UI, in Chromium', () => {
  let store: TestApp;
  let browser: Browser;

  beforeAll(async () => {
    [store, browser] = await Promise.all([TestApp.startWith(TidesModule), launchChromium()]);
  });

  afterAll(async () => {
    await browser?.close();
    await store?.stop();
  });

  it('shows the events of the first seconds, and closes the stream', async () => {
    const page = await browser.newPage({ baseURL: await store.app.getUrl() });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto('/docs');
    await page.locator('.btn.authorize').click();
    await page.locator('.auth-container input').fill(await store.key());
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.auth-btn-wrapper .btn-done').click();
    const block = page.locator('#operations-Tides-watchTides');
    await block.locator('.opblock-summary-control').click();
    await block.locator('.execute').click();
    const response = block.locator('.live-responses-table .response');
    await response.waitFor();

    expect((await response.locator('.response-col_status').innerText()).trim()).toBe('200');
    expect(await response.locator('.highlight-code pre').innerText()).toContain(
      'id: 7\ndata: {"text":"rises"}\n\n: this page listens for 5 seconds',
    );
    await within(PATIENCE_MS, () => store.app.get(Streams).count === 0);
  });
});
