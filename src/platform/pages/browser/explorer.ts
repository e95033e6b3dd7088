/** The script of the explorer: starts Swagger UI with the plugins of this folder. */
import { exactNumbers } from './exact-numbers.js';
import { foldedHeaders } from './folded-headers.js';
import type { SwaggerUiResponse } from './swagger-ui.js';
import { wholeHeaders } from './whole-headers.js';

declare const SwaggerUIBundle: (settings: object) => unknown;

function onResponse(response: SwaggerUiResponse): SwaggerUiResponse {
  return wholeHeaders(response);
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
