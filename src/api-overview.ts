import type { ApiDescription } from '@animal-store/openapi';
import type { Clock } from '@animal-store/kernel';
import { scopes } from './contexts.js';
import type { Settings } from './settings/settings.js';
import { guideOf } from './guides.js';
import { INTERFACE_VERSION, VERSIONS } from './version.js';

/** What the service is, for people who see it for the first time. */
export const ABOUT =
  "An HTTP API for a store's animals: list them by status, add one, fetch one, order one. Every call carries an API key on a plan, and every response shows how many requests are left.";

/** What the OpenAPI document says of the API as a whole. */
export function apiDescription(settings: Settings, clock: Clock): ApiDescription {
  const { publicUrl, stagingUrl, supportUrl, publicPath } = settings.api;
  return {
    title: 'Animal Store Service',
    description: overview(settings),
    version: INTERFACE_VERSION,
    versions: VERSIONS,
    publicUrl,
    stagingUrl,
    supportUrl,
    guideOf: (operation) => guideOf(operation, publicPath),
    bodyLimitBytes: settings.server.bodyLimitBytes,
    nowMs: clock.now(),
    scopes,
    headerExamples: {
      'WWW-Authenticate': 'Bearer realm="animal-store"',
      Location: `${publicPath}/v1/pets/1`,
      Link: `<${publicPath}/v1/pets?limit=20&cursor=AAAAAAAAABQ2bF9vM1hxRw>; rel="next"`,
    },
  };
}

/** What applies to all operations, in Markdown. */
function overview({ rateLimits: { free, pro, business }, server, api: { publicPath } }: Settings): string {
  const guide = (name: string, title: string) => `[${title}](${publicPath}/docs/guides/${name})`;
  return `
A catalogue of the animals that a store offers, and the orders for them. ${guide('getting-started', 'Getting started')} has the first calls.

- **Keys.** Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. ${guide('keys', 'Keys and scopes')}
- **Limits.** Headers of every response show how many requests are left. Beyond a limit the response is 429 with \`Retry-After\`; continuing
  leads to a temporary ban. ${guide('limits', 'Limits and bans')}

| Plan | Requests per minute | Requests per day (UTC) |
| --- | --- | --- |
| Free | ${grouped(free.perMinute)} | ${grouped(free.perDay)} |
| Pro | ${grouped(pro.perMinute)} | ${grouped(pro.perDay)} |
| Business | ${grouped(business.perMinute)} | ${grouped(business.perDay)} |
| Enterprise | Custom | Custom |

- **Errors.** Every response of 400 and above is \`{"code", "message", "status"}\`. Besides the errors that each operation lists, there are 404
  \`route_not_found\`, 405 \`method_not_allowed\`, 400 \`bad_request\` and 431 \`headers_too_large\`. [Errors](${publicPath}/docs/errors)
- **Lists** are arrays; animals, orders and webhooks ascend by \`id\`. \`Link: <…>; rel="next"\` leads to the next page. ${guide('pagination', 'Pagination')}
- **Retries.** With an \`Idempotency-Key\` a repeated \`POST\` is done once. ${guide('retries', 'Retries and idempotency')}
- **Webhooks** notify you of changes. ${guide('webhooks', 'Webhooks and events')}
- **Numbers.** An \`int64\` is a JSON number that JavaScript's \`JSON.parse\` may round. ${guide('clients', 'Clients')}
- **Sizes.** A request body has at most ${grouped(server.bodyLimitBytes)} bytes, unless its operation says otherwise.
- **Versions.** This document has the version of the interface. ${guide('deprecation', 'Deprecation')}
`.trim();
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
