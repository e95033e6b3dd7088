import type { Assets } from './assets.js';
import { PATHS, pageHtml } from './page-layout.js';

/** The page that Swagger UI starts in (browser/explorer.ts). */
export function explorerPage(assets: Assets): string {
  return pageHtml(assets, {
    title: 'Explorer – Animal Store Service',
    path: PATHS.explorer,
    styles: ['swagger-ui.css', 'explorer.css'],
    scripts: ['swagger-ui-bundle.js', 'explorer.js'],
    body: `    <div id="content"><div id="swagger-ui"></div></div>`,
  });
}
