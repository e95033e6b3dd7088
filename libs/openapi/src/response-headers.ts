import { errorResponse as documented } from '@animal-store/http-errors/swagger';
import { IDEMPOTENT_REPLAYED } from '@animal-store/idempotency';
import { RATE_LIMIT_HEADERS } from '@animal-store/rate-limiting';
import { type ErrorDescription, REQUEST_ID } from '@animal-store/web';
import { int64Schema } from './schemas/fields.js';

/** The largest quota and the longest ban that the settings allow. */
const MAX_REQUESTS = 1_000_000_000;
const MAX_SECONDS = 31_536_000;

/** A list of the windows of any plan, which `RateLimit` and its policy are. */
function windowsSchema(values: string) {
  const item = `"[\\w.-]+";${values}`;
  return { type: 'string' as const, maxLength: 1_024, pattern: `^${item}(, ${item})*$` };
}

/** `Cache-Control` of event streams, as Nest sends it: a proxy that compressed them would buffer them. */
const OF_EVENTS = 'private, no-cache, no-store, must-revalidate, max-age=0, no-transform';

function constant(example: string, description: string, isRequired = true) {
  return {
    description,
    required: isRequired || undefined,
    schema: { type: 'string', enum: [example] },
    example,
  };
}

/** Every response header, by name. A required header is on every response that lists it. */
export const RESPONSE_HEADERS = {
  [REQUEST_ID]: {
    description: 'The id of this request in the log: the one that was sent, or a new one.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' },
    example: '5f1d7a9c02e4b836-1',
  },
  'X-RateLimit-Limit': {
    description: 'The limit of the window that has the fewest requests left.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_REQUESTS },
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests remaining in that window.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: MAX_REQUESTS },
    example: 59,
  },
  'X-RateLimit-Reset': {
    description: 'Unix timestamp, in seconds, at which that window resets.',
    required: true,
    schema: int64Schema({ minimum: 0 }),
    example: 1_795_000_042,
  },
  'RateLimit-Policy': {
    description: 'All windows of the plan: `q` requests in `w` seconds (IETF draft 10).',
    required: true,
    schema: windowsSchema('q=\\d+;w=\\d+'),
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
  },
  RateLimit: {
    description:
      'The current state of all windows: `r` requests remaining, `t` seconds until the reset (IETF draft 10).',
    required: true,
    schema: windowsSchema('r=\\d+;t=\\d+'),
    example: '"minute";r=59;t=42, "day";r=998;t=3600',
  },
  'X-Content-Type-Options': constant(
    'nosniff',
    'Browsers must use the Content-Type as sent (Fetch standard).',
  ),
  'Retry-After': {
    description: 'Seconds after which to try again (RFC 9110, section 10.2.3).',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_SECONDS },
    example: 42,
  },
  'WWW-Authenticate': {
    description:
      'How to authenticate, whether a key was sent that is not valid, or which scopes it lacks (RFC 6750, section 3).',
    schema: {
      type: 'string',
      maxLength: 1024,
      pattern: '^Bearer (realm="[^"]+"(, error="invalid_token")?|error="insufficient_scope", scope="[^"]+")$',
    },
    example: 'Bearer realm="api"',
  },
  Location: {
    description: 'The URL of the new resource.',
    required: true,
    schema: { type: 'string', format: 'uri-reference', maxLength: 128 },
    example: '/v1/resources/1',
  },
  [IDEMPOTENT_REPLAYED]: constant(
    'true',
    'Present when this is the first response to the same `Idempotency-Key`, sent again.',
    false,
  ),
  ETag: {
    description:
      'A strong entity tag of the resource, for `If-None-Match` and `If-Match` (RFC 9110, section 8.8.3).',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^"[\\w-]+"$' },
    example: '"3q2-7wEyUvGkbOSgQZhX4rC0n5I"',
  },
  'Cache-Control': {
    description:
      '`private, no-cache`: only the caller may cache the response, and must validate it with `If-None-Match` before using it again. ' +
      '`no-store`: it must not be cached.',
    required: true,
    schema: { type: 'string', enum: ['private, no-cache', 'no-store', OF_EVENTS] },
    example: 'private, no-cache',
  },
  'X-Accel-Buffering': constant('no', 'Proxies must forward each event at once (nginx).'),
  Pragma: constant('no-cache', 'For caches of HTTP/1.0, which must not store events.'),
  Expires: constant('0', 'For caches of HTTP/1.0, too.'),
  Vary: {
    description: 'The request headers that the response depends on, besides the URL.',
    required: true,
    schema: { type: 'string', maxLength: 128, pattern: '^[\\w-]+(, [\\w-]+)*$' },
    example: 'Authorization',
  },
  'Accept-Ranges': constant('bytes', 'That a `Range` may request a part.', false),
  'Content-Range': {
    description: 'Which bytes these are, and of how many; of an error, only how many there are.',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$' },
    example: 'bytes 0-999/5000',
  },
  'Content-Disposition': {
    description: 'How a browser shows the bytes, and the name of their file (RFC 6266).',
    schema: { type: 'string', maxLength: 1024, pattern: '^(inline|attachment)' },
    example: 'inline; filename="photo.png"',
  },
  Link: {
    description:
      '`rel="next"` is the URL of the next page of a list; absent on the last one. On an error, `rel="help"` is its description. On a deprecated operation, ' +
      '`rel="deprecation"`, `rel="sunset"` and `rel="successor-version"` link to more information and to its replacement (RFC 8288).',
    schema: {
      type: 'string',
      maxLength: 1024,
      pattern: '^<[^>]+>; rel="[a-z-]+"(, <[^>]+>; rel="[a-z-]+")*$',
    },
    example: '</v1/resources?limit=20&cursor=AAAAAAAAABQ2bF9vM1hxRw>; rel="next"',
  },
  Deprecation: {
    description: 'When the operation was deprecated: `@` and a Unix timestamp in seconds (RFC 9745).',
    required: true,
    schema: { type: 'string', maxLength: 32, pattern: '^@\\d+$' },
    example: '@1795132800',
  },
  Sunset: {
    description: 'When the operation will be removed: an HTTP date (RFC 8594).',
    required: true,
    schema: {
      type: 'string',
      maxLength: 32,
      pattern: '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$',
    },
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
};

/** The headers on every response of a deprecated operation. */
export const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'Link'] as const;

const EVERY_RESPONSE = [REQUEST_ID, ...RATE_LIMIT_HEADERS, 'X-Content-Type-Options'];

const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The OpenAPI response of one status of 400 and above: its errors, with an example of each. */
export function errorResponse(status: number, errors: readonly ErrorDescription[]) {
  const { description, content } = documented(errors);
  const headers = responseHeaders(['Cache-Control', 'Link', ...(HEADERS_BY_STATUS[status] ?? [])]);
  // Optional, because only one of the errors with this status has it.
  const retry = { 'Retry-After': { ...RESPONSE_HEADERS['Retry-After'], required: false } };
  const isInProgress = errors.some(({ code }) => code === 'idempotency_in_progress');
  return { description, headers: { ...headers, ...(isInProgress && retry) }, content };
}

/** Response headers are described once, in the document's components. */
export function responseHeaders(names: readonly string[]): Record<string, { $ref: string }> {
  const all = [...EVERY_RESPONSE, ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The characters allowed in a header (RFC 9110, section 5.5), restricted to ASCII. */
const HEADER_TEXT = '^[\\x20-\\x7e]*$';

/** A header that a request may have. */
export function requestHeader(name: string, description: string) {
  const schema = { type: 'string', maxLength: 1024, pattern: HEADER_TEXT } as const;
  return { in: 'header', name, required: false, description, schema } as const;
}
