import type { ApiDescription } from '@animal-store/openapi';
import type { Settings } from './settings/settings.js';
import { INTERFACE_VERSION } from './version.js';

/** What the service is, for people who see it for the first time. */
export const ABOUT =
  "An HTTP API for a store's animals: list them by status, add one, fetch one, order one. Every call carries an API key on a plan, and every response shows how many requests are left.";

/** What the OpenAPI document says of the API as a whole. */
export function apiDescription(settings: Settings): ApiDescription {
  const { publicUrl, stagingUrl, publicPath } = settings.api;
  return {
    title: 'Animal Store Service',
    description: overview(settings),
    version: INTERFACE_VERSION,
    publicUrl,
    stagingUrl,
    bodyLimitBytes: settings.server.bodyLimitBytes,
    headerExamples: {
      'WWW-Authenticate': 'Bearer realm="animal-store"',
      Location: `${publicPath}/v1/pets/1`,
      Link: `<${publicPath}/v1/pets?limit=20&cursor=AAAAAAAAABQ2bF9vM1hxRw>; rel="next"`,
    },
  };
}

/** What applies to all operations, in Markdown. */
function overview({ rateLimits: { free, pro, business }, server }: Settings): string {
  return `
A catalogue of the animals that a store offers, and the orders for them.

**Authentication.** Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. A key begins with \`ask_live_\` (production)
or \`ask_test_\` (staging). Without a valid one the response
is 401, whatever else is wrong with the request. A key may be limited to scopes, such as \`pets:read\`: an operation that needs another one is
403 \`insufficient_scope\`, and \`WWW-Authenticate\` names what is missing.

**Rate limits.** The \`X-RateLimit-*\` headers of every response show how many requests are left. Beyond a limit the response is 429, and
\`Retry-After\` says when to try again. Continuing after a 429 leads to a temporary ban.

| Plan | Requests per minute | Requests per day (UTC) |
| --- | --- | --- |
| Free | ${grouped(free.perMinute)} | ${grouped(free.perDay)} |
| Pro | ${grouped(pro.perMinute)} | ${grouped(pro.perDay)} |
| Business | ${grouped(business.perMinute)} | ${grouped(business.perDay)} |
| Enterprise | Custom | Custom |

All keys of an account share what it may use; each is held to the limits of its own plan. Requests without a valid key are limited by address, at the rate of the Free plan.

**Errors.** Every response of 400 and above is an \`Error\`: \`{"code", "message", "status"}\`. Programs should use \`code\`. Besides
the errors that each operation lists, there are 404 \`route_not_found\`, 405 \`method_not_allowed\` with \`Allow\`, 400 \`bad_request\` for a path that
cannot be decoded, and 431 \`headers_too_large\`.

**Numbers.** \`int64\` values are JSON numbers in the whole signed 64-bit range. JavaScript's \`JSON.parse\` rounds those
beyond 2⁵³: use a parser that does not.

**Lists.** A list is an array in ascending order of \`id\`, unless its operation says otherwise. \`Link: <…>; rel="next"\` has the URL of the next page; the last page has none.

**Retries.** A \`POST\` that makes no key takes an \`Idempotency-Key\`. A repeated request with the same key does nothing and
gets the first response again, with any API key of the account, so a key may be rotated between two tries. A response that shows a
secret is replayed to the key that made it only.

**Webhooks.** Instead of asking again and again, be told: \`POST /v1/webhooks\` with a URL and events. Each request is signed as
[Standard Webhooks](https://www.standardwebhooks.com) says, and is sent at least once.

**Caching.** A response to \`GET\` has an \`ETag\`. With \`If-None-Match\` an unchanged resource is not sent again. \`HEAD\` works wherever \`GET\` does.

**Sizes.** A request body is uncompressed JSON in UTF-8, with at most ${grouped(server.bodyLimitBytes)} bytes, unless its operation says otherwise.

**Versions.** This document has the version of the interface; its next major version will be another base path. The service, the client and the
packages have versions of their own: \`/health/ready\` and \`/docs/changelog\` name the release of the service.
`.trim();
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
