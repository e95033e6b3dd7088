import { ERRORS_PAGE } from '@animal-store/web';
import type { Assets } from './assets.js';

export const PATHS = {
  front: '/',
  explorer: '/docs',
  guides: '/docs/guides',
  errors: ERRORS_PAGE,
  changelog: '/docs/changelog',
  deprecations: '/docs/deprecations',
  client: '/docs/client',
  key: '/docs/key',
  search: '/docs/search.json',
  document: '/openapi.json',
  security: '/.well-known/security.txt',
  assets: '/docs/assets',
} as const;

/** The pages that have a title, by their path. */
const NAVIGATION = [
  [PATHS.guides, 'Guides'],
  [PATHS.explorer, 'Explorer'],
  [PATHS.errors, 'Errors'],
  [PATHS.changelog, 'Changelog'],
  [PATHS.deprecations, 'Deprecations'],
  [PATHS.client, 'Client'],
] as const;

/** What all pages share. */
export interface PageFrame {
  readonly serviceName: string;
  readonly assets: Assets;
  /** What a proxy removes from the paths that it forwards: `/store`, or nothing. */
  readonly publicPath: string;
}

export interface PageContent {
  /** The title; absent on the front page, which has the service's name. */
  readonly title?: string;
  readonly path: string;
  /** The content of the page, as HTML. */
  readonly body: string;
  /** Further assets, by name. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
}

/** The HTML of a page: its content in the frame that all pages share. */
export function pageHtml(
  { serviceName, assets, publicPath }: PageFrame,
  { title, path, body, styles = [], scripts = [] }: PageContent,
): string {
  const name = escapeHtml(serviceName);
  const url = (name: string) => `${publicPath}${PATHS.assets}/${assets.fileOf(name)}`;
  const links = NAVIGATION.map(
    ([href, text]) =>
      `<a href="${publicPath}${href}"${href === path ? ' aria-current="page"' : ''}>${text}</a>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title === undefined ? name : `${escapeHtml(title)} – ${name}`}</title>
    <script src="${url('theme.js')}"></script>
${[...styles, 'pages.css'].map((name) => `    <link rel="stylesheet" href="${url(name)}">\n`).join('')}\
    <link rel="icon" href="${url('favicon-32x32.png')}">
${['search.js', ...scripts].map((name) => `    <script defer src="${url(name)}"></script>\n`).join('')}\
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header class="top">
      <strong><a href="${publicPath}/">${name}</a></strong>
      <div id="search" role="search" data-index="${publicPath}${PATHS.search}"></div>
      <nav aria-label="Pages">${links.join(' ')}</nav>
      <button id="theme" type="button" role="switch" aria-checked="false">Dark mode</button>
    </header>
${body}
  </body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

export function unescapeHtml(html: string): string {
  return Object.entries(ESCAPES).reduceRight(
    (text, [character, escape]) => text.replaceAll(escape, character),
    html,
  );
}

/** What pages show until it is known where the caller has reached the server. */
export const EXAMPLE_URL = 'http://localhost:3000';

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i;

/** The page with the address of this server: its origin, and its path without the version, which need no escaping. */
export function withOrigin(page: string, address: string): string {
  return page.replaceAll(EXAMPLE_URL, address);
}

/** Where a caller has reached the server, if its `Host` can be shown. */
export function originOf(protocol: string, host: string | undefined): string {
  return host !== undefined && HOST.test(host) ? `${protocol}://${host}` : EXAMPLE_URL;
}
