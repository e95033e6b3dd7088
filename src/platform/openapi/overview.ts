import type { Settings } from '../config/settings.js';

/** What holds for all operations, in Markdown: the first thing that a reader of the document sees. */
export function overview({ rateLimits: { free, pro, business }, server }: Settings): string {
  return `
Keeps a catalogue of the animals offered in a store, and the orders for them.

**Authentication.** Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. Without a valid one the answer
is 401, whatever else is wrong with the request.

**Rate limits.** Every answer tells in its \`X-RateLimit-*\` headers how much is left. Past a limit the answer is 429 and
\`Retry-After\` says when to come back; whoever goes on regardless is banned for a while.

| Plan | Requests per minute | Requests per day (UTC) |
| --- | --- | --- |
| Free | ${grouped(free.perMinute)} | ${grouped(free.perDay)} |
| Pro | ${grouped(pro.perMinute)} | ${grouped(pro.perDay)} |
| Business | ${grouped(business.perMinute)} | ${grouped(business.perDay)} |
| Enterprise | Custom | Custom |

Requests without a valid key count by address, at the rate of Free.

**Errors.** Every answer of 400 and above is an \`Error\`: \`{"code", "message", "status"}\`. Programs go by \`code\`. Besides
what each operation lists: 404 \`route_not_found\`, 405 \`method_not_allowed\` with \`Allow\`, 400 \`bad_request\` for a path that
cannot be decoded, and 431 \`headers_too_large\`.

**Numbers.** \`int64\` values run over the whole signed 64-bit range as JSON numbers. JavaScript's \`JSON.parse\` rounds those
beyond 2⁵³: use a parser that does not.

**Lists.** An array in ascending order of \`id\`. \`Link: <…>; rel="next"\` names the next page; the last page has none.

**Retries.** A \`POST\` that creates something takes an \`Idempotency-Key\`: sent again with the same key, it does nothing and
gives the first answer again.

**Caching.** An answer to \`GET\` has an \`ETag\`; \`If-None-Match\` saves sending it again. \`HEAD\` works wherever \`GET\` does.

**Sizes.** A body has at most ${grouped(server.bodyLimitBytes)} bytes of uncompressed JSON in UTF-8.
`.trim();
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
