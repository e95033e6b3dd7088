import { escapeHtml, type PageFrame, PATHS, pageHtml } from '../page-layout.js';

/** The limits of each plan, by its name. */
export type PlanLimits = Readonly<Record<string, { readonly perMinute: number; readonly perDay: number }>>;

function keyButton(publicPath: string): string {
  return `<button id="make-key" type="button" data-url="${publicPath}${PATHS.key}">Make a Free key for this browser</button>`;
}

export interface ExplorerSources {
  readonly plans: PlanLimits;
  /** The package of the TypeScript client. */
  readonly client: string;
  /** The path of an operation that says what is left of the quota of a key, and counts nothing. */
  readonly usagePath: string;
}

/** The page that Swagger UI starts in. */
export function explorerPage(
  frame: PageFrame,
  { plans: limits, client, usagePath }: ExplorerSources,
  offersKey: boolean,
): string {
  const { publicPath } = frame;
  const plans = escapeHtml(JSON.stringify(limits));
  return pageHtml(frame, {
    title: 'Explorer',
    path: PATHS.explorer,
    styles: ['swagger-ui.css', 'explorer.css'],
    scripts: ['swagger-ui-bundle.js', 'explorer.js'],
    body: `    <section id="quota" aria-label="Your quota" data-plans="${plans}" data-usage="${publicPath}${usagePath}">${offersKey ? keyButton(publicPath) : ''}</section>
    <div id="content" tabindex="-1" data-client="${client}" data-document="${publicPath}${PATHS.document}"><div id="swagger-ui"></div></div>`,
  });
}
