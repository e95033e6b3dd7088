/** The script of the explorer: starts Swagger UI with the plugins of this folder. */
import { exactNumbers } from './exact-numbers.js';
import { foldedHeaders } from './folded-headers.js';
import { QuotaBar } from './quota-bar.js';
import type { PlanLimits } from './quota.js';
import type { SwaggerUiResponse } from './swagger-ui.js';
import { wholeHeaders } from './whole-headers.js';

declare const SwaggerUIBundle: (settings: object) => unknown;

const quota = document.getElementById('quota')!;
const bar = new QuotaBar(quota, JSON.parse(quota.dataset['plans']!) as PlanLimits, Date.now);

function onResponse(response: SwaggerUiResponse): SwaggerUiResponse {
  const { status, headers, text = '' } = wholeHeaders(response);
  const code = status === 429 ? (JSON.parse(text) as { code: string }).code : null;
  bar.responded({ status, code, headers });
  return response;
}

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  responseInterceptor: onResponse,
  plugins: [exactNumbers, foldedHeaders],
});
