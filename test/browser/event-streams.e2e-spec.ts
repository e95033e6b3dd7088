import { Controller, type MessageEvent, Module, Sse } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { RequireScope } from '@animal-store/api-keys';
import { Operation, Tag, TextField } from '@animal-store/openapi';
import { EventStream, OpenStream, Streams } from '@animal-store/web';
import { authorize, hasChromium, PATIENCE_MS, StoreInChromium } from '../support/chromium.js';
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
  const chromium = new StoreInChromium(() => TestApp.startWith(TidesModule));

  it('shows the events of the first seconds, and closes the stream', async () => {
    const { store } = chromium;
    const page = await chromium.page();
    await page.goto('/docs');
    await authorize(page, await store.key());
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
