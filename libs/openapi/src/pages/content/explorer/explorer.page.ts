import type { OpenAPIObject } from '@nestjs/swagger';
import { escapeHtml, type PageFrame, PATHS, pageHtml } from '../../page-layout.js';
import { operationList } from './operation-list.js';

/** The limits of each plan, by its name. */
export type PlanLimits = Readonly<Record<string, { readonly perMinute: number; readonly perDay: number }>>;

export interface ExplorerOptions {
  /** The limits of each plan, by its name. */
  readonly plans: PlanLimits;
  /** The package of the TypeScript client. */
  readonly client: string;
  /** The path, in the document, of an operation that says what is left of the quota of a key, and counts nothing. */
  readonly usagePath: string;
}

/**
 * The page that Swagger UI starts in. Its script loads Swagger UI, which takes nine tenths of the bytes, after
 * everything that the reader can use before.
 *
 * @param htmlOf makes HTML of Markdown
 */
export function explorerPage(
  frame: PageFrame,
  document: OpenAPIObject,
  { plans: limits, client, usagePath }: ExplorerOptions,
  htmlOf: (markdown: string) => string,
  offersKey: boolean,
): string {
  const { publicPath, assets } = frame;
  const plans = escapeHtml(JSON.stringify(limits));
  const url = (name: string) => `${publicPath}${PATHS.assets}/${assets.fileOf(name)}`;
  const data = {
    client,
    document: publicPath + PATHS.document,
    script: url('swagger-ui-bundle.js'),
    styles: url('swagger-ui.css'),
  };
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${value}"`);
  // The list is last: what is added above an operation would move it after Swagger UI has scrolled to it.
  return pageHtml(frame, {
    title: 'Explorer',
    path: PATHS.explorer,
    styles: ['explorer.css'],
    scripts: ['explorer.js'],
    body: `    <section id="quota" aria-label="Your quota" data-plans="${plans}" data-usage="${usagePath}">${offersKey ? keyButton(publicPath) : ''}${QUOTA}</section>
    <div id="content" tabindex="-1"${attributes.join('')}><div id="swagger-ui"></div>${operationList(document, publicPath, htmlOf)}</div>`,
  });
}

/** The status is announced; the rest changes every second. */
const QUOTA =
  '<p class="quota-status" role="status"></p><div class="quota-meters"></div><p class="quota-resets"></p><div class="quota-plot"></div>';

function keyButton(publicPath: string): string {
  return `<button id="make-key" type="button" data-url="${publicPath}${PATHS.key}" hidden>Make a Free key for this browser</button>`;
}
