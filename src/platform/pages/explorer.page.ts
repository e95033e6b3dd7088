import type { Settings } from '../config/settings.js';
import type { Assets } from './assets.js';
import { escapeHtml } from './html.js';
import { PATHS, pageHtml } from './page-layout.js';

const KEY_BUTTON = '<button id="make-key" type="button">Make a Free key for this browser</button>';

/** The page that Swagger UI starts in. */
export function explorerPage(assets: Assets, { rateLimits }: Settings, offersKey: boolean): string {
  const { free: Free, pro: Pro, business: Business } = rateLimits;
  const plans = escapeHtml(JSON.stringify({ Free, Pro, Business }));
  return pageHtml(assets, {
    title: 'Explorer – Animal Store Service',
    path: PATHS.explorer,
    styles: ['swagger-ui.css', 'explorer.css'],
    scripts: ['swagger-ui-bundle.js', 'explorer.js'],
    body: `    <section id="quota" aria-label="Your quota" data-plans="${plans}">${offersKey ? KEY_BUTTON : ''}</section>
    <div id="content" tabindex="-1"><div id="swagger-ui"></div></div>`,
  });
}
