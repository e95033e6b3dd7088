/** The script of the explorer: shows the operations at once, and starts Swagger UI with the plugins of this folder. */
import { codeSamples } from './samples/code-samples.js';
import { exactNumbers } from './responses/exact-numbers.js';
import { fetchFirstEvents } from './responses/first-events.js';
import { folded } from './folded.js';
import { checkedKey, keyDialog, offerKey, plainSchemes, useKey } from './key.js';
import { repairMarkup } from './markup-repairs.js';
import { nextPage } from './responses/next-page.js';
import { OperationList } from './operation-list.js';
import { followAddress, plainPaths } from './plain-paths.js';
import { QuotaBar } from './quota/quota-bar.js';
import type { PlanLimits, Usage } from './quota/quota.js';
import { serverUrl, type SwaggerUi, type SwaggerUiResponse, wholeHeaders } from './swagger-ui.js';

declare const SwaggerUIBundle: (settings: object) => SwaggerUi;

const quota = document.getElementById('quota')!;
const content = document.getElementById('content')!;
const bar = new QuotaBar(quota, JSON.parse(quota.dataset['plans']!) as PlanLimits, Date.now);
const operations = new OperationList(document.getElementById('operation-list')!, onResponse);
loadSwaggerUi().then(startSwaggerUi, () => operations.isAll());

/** Nine tenths of the bytes of the page: everything else is there before. */
async function loadSwaggerUi(): Promise<void> {
  const styles = document.createElement('link');
  styles.rel = 'stylesheet';
  styles.href = content.dataset['styles']!;
  const script = document.createElement('script');
  script.src = content.dataset['script']!;
  // Swagger UI would request it only after its start.
  const description = document.createElement('link');
  Object.assign(description, { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous' });
  description.href = content.dataset['document']!;
  const loaded = [styles, script].map(
    (element) =>
      new Promise((resolve, reject) => {
        element.addEventListener('load', resolve);
        element.addEventListener('error', reject);
      }),
  );
  document.head.append(description, styles, script);
  await Promise.all(loaded);
}

function startSwaggerUi(): void {
  const root = document.getElementById('swagger-ui')!;
  repairMarkup(root);
  const keyButton = document.querySelector<HTMLButtonElement>('#make-key');
  const swaggerUi = SwaggerUIBundle({
    url: content.dataset['document'],
    dom_id: '#swagger-ui',
    deepLinking: true,
    displayRequestDuration: true,
    persistAuthorization: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    // Bounds and patterns of parameters.
    showCommonExtensions: true,
    // Each of its colours can be read on its ground.
    syntaxHighlight: { theme: 'tomorrow-night' },
    requestInterceptor: (request: object) => Object.assign(request, { userFetch: fetchFirstEvents }),
    responseInterceptor: onResponse,
    // A key needs the document.
    onComplete: () => {
      operations.makeWay(root, (key) => useKey(swaggerUi, key));
      if (keyButton) offerKey(keyButton, swaggerUi, operations.key, (text) => bar.announce(text));
    },
    plugins: [
      exactNumbers,
      plainPaths,
      plainSchemes,
      folded,
      nextPage,
      codeSamples,
      keyDialog,
      () => checkedKey((key) => fetchUsage(swaggerUi, key)),
    ],
  });
  followAddress(swaggerUi);
  showUsage(swaggerUi);
}

/** The operation that says what is left; it is not counted, so its headers are not those of the plan. */
function usageUrl(swaggerUi: SwaggerUi): string {
  return serverUrl(swaggerUi) + quota.dataset['usage']!;
}

function onResponse(response: SwaggerUiResponse): SwaggerUiResponse {
  if (new URL(response.url, location.href).pathname.endsWith(quota.dataset['usage']!)) {
    if (response.status === 200) bar.used(JSON.parse(response.text!) as Usage);
    return response;
  }
  const { status, headers, text = '' } = wholeHeaders(response);
  // Not JSON.parse, which would throw at the 429 of a proxy.
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? null;
  bar.responded({ status, code, headers });
  return response;
}

/** Null when the server does not respond, or the browser may not call the chosen server. */
function fetchUsage(swaggerUi: SwaggerUi, key: string): Promise<Response | null> {
  const headers = { Authorization: `Bearer ${key}` };
  return fetch(usageUrl(swaggerUi), { headers }).catch(() => null);
}

/** Shows what is left of the quota of a key as soon as the page has one. */
function showUsage(swaggerUi: SwaggerUi): void {
  let shownKey: unknown;
  let shownServer = location.origin;
  const show = async (): Promise<void> => {
    const key = swaggerUi.authSelectors.authorized().getIn(['apiKey', 'value']);
    // Without a server the document has not been loaded yet.
    if (!swaggerUi.oas3Selectors.selectedServer()) return;
    const { origin } = new URL(serverUrl(swaggerUi));
    if (origin !== shownServer) {
      shownServer = origin;
      if (origin !== location.origin)
        bar.announce(`${origin} responds to this page only if its CORS_ORIGINS has ${location.origin}.`);
    }
    if (key === shownKey) return;
    shownKey = key;
    if (typeof key !== 'string') return;
    const response = await fetchUsage(swaggerUi, key);
    if (response?.ok) bar.used((await response.json()) as Usage);
    if (response?.status === 401) bar.announce('Your key is not known any more: enter another one.');
  };
  swaggerUi.getStore().subscribe(() => void show());
  void show();
}
