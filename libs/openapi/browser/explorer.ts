/** The script of the explorer: starts Swagger UI with the plugins of this folder. */
import { codeSamples } from './samples/code-samples.js';
import { exactNumbers } from './exact-numbers.js';
import { fetchFirstEvents } from './first-events.js';
import { folded } from './folded.js';
import { keyDialog } from './key/key-dialog.js';
import { offerKey } from './key/make-key.js';
import { repairMarkup } from './markup-repairs.js';
import { nextPage } from './next-page.js';
import { plainPaths } from './plain-paths.js';
import { QuotaBar } from './quota/quota-bar.js';
import type { PlanLimits, Usage } from './quota/quota.js';
import { type SwaggerUi, type SwaggerUiResponse, wholeHeaders } from './swagger-ui.js';

declare const SwaggerUIBundle: (settings: object) => SwaggerUi;

const quota = document.getElementById('quota')!;
const bar = new QuotaBar(quota, JSON.parse(quota.dataset['plans']!) as PlanLimits, Date.now);
repairMarkup(document.getElementById('swagger-ui')!);

/** The path of the operation that says what is left; it is not counted, so its headers are not those of the plan. */
const usagePath = quota.dataset['usage'];

function onResponse(response: SwaggerUiResponse): SwaggerUiResponse {
  if (usagePath !== undefined && new URL(response.url, location.href).pathname === usagePath) {
    if (response.status === 200) bar.used(JSON.parse(response.text!) as Usage);
    return response;
  }
  const { status, headers, text = '' } = wholeHeaders(response);
  // Not JSON.parse, as a proxy may send a 429 of its own.
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? null;
  bar.responded({ status, code, headers });
  return response;
}

const swaggerUi = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  // Each of its colours can be read on its ground.
  syntaxHighlight: { theme: 'tomorrow-night' },
  requestInterceptor: (request: object) => Object.assign(request, { userFetch: fetchFirstEvents }),
  responseInterceptor: onResponse,
  plugins: [exactNumbers, plainPaths, folded, nextPage, codeSamples, keyDialog],
});
const keyButton = document.querySelector<HTMLButtonElement>('#make-key');
if (keyButton) offerKey(keyButton, swaggerUi, (text) => bar.announce(text));

/** Shows what is left of the quota of a key as soon as the page has one. */
let shownKey: unknown;
async function showUsage(path: string): Promise<void> {
  const key = swaggerUi.authSelectors.authorized().getIn(['apiKey', 'value']);
  if (key === shownKey) return;
  shownKey = key;
  if (typeof key !== 'string') return;
  const response = await fetch(path, { headers: { Authorization: `Bearer ${key}` } });
  if (response.ok) bar.used((await response.json()) as Usage);
}
if (usagePath !== undefined) {
  const show = (): void => void showUsage(usagePath);
  swaggerUi.getStore().subscribe(show);
  show();
}
