/** The script of the explorer: starts Swagger UI with the plugins of this folder. */
import { codeSamples } from './samples/code-samples.js';
import { exactNumbers } from './exact-numbers.js';
import { folded } from './folded.js';
import { keyDialog } from './key/key-dialog.js';
import { offerKey } from './key/make-key.js';
import { repairMarkup } from './markup-repairs.js';
import { nextPage } from './next-page.js';
import { plainPaths } from './plain-paths.js';
import { QuotaBar } from './quota/quota-bar.js';
import type { PlanLimits } from './quota/quota.js';
import { type SwaggerUi, type SwaggerUiResponse, wholeHeaders } from './swagger-ui.js';

declare const SwaggerUIBundle: (settings: object) => SwaggerUi;

const quota = document.getElementById('quota')!;
const bar = new QuotaBar(quota, JSON.parse(quota.dataset['plans']!) as PlanLimits, Date.now);
repairMarkup(document.getElementById('swagger-ui')!);

function onResponse(response: SwaggerUiResponse): SwaggerUiResponse {
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
  responseInterceptor: onResponse,
  plugins: [exactNumbers, plainPaths, folded, nextPage, codeSamples, keyDialog],
});
const keyButton = document.querySelector<HTMLButtonElement>('#make-key');
if (keyButton) offerKey(keyButton, swaggerUi, (text) => bar.announce(text));
