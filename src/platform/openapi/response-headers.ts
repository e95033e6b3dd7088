import { int64Schema } from '../http/int64.schema.js';

/** The largest quota and the longest ban that the settings allow. */
const MOST_REQUESTS = 1_000_000_000;
const MOST_SECONDS = 31_536_000;

/**
 * Every header an operation may answer with, by name. `src/platform/http/operation.decorator.ts` says which answer has which; a
 * required one is on every answer that has it.
 */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'Names this request in the log: the id that was sent, or one made for it.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' },
    example: '5f1d7a9c02e4b836-1',
  },
  'X-RateLimit-Limit': {
    description: 'The limit that applies: the one of the window with the fewest requests left.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MOST_REQUESTS },
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests remaining in that window.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: MOST_REQUESTS },
    example: 59,
  },
  'X-RateLimit-Reset': {
    description: 'Unix timestamp, in seconds, at which that window resets.',
    required: true,
    schema: int64Schema({ minimum: 0 }),
    example: 1_795_000_042,
  },
  'RateLimit-Policy': {
    description: 'Every window of the plan: `q` requests in `w` seconds (IETF draft 10).',
    required: true,
    schema: { type: 'string', maxLength: 128, pattern: '^"minute";q=\\d+;w=60(, "day";q=\\d+;w=86400)?$' },
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
  },
  RateLimit: {
    description: 'Every window now: `r` requests remaining, `t` seconds until it resets (IETF draft 10).',
    required: true,
    schema: { type: 'string', maxLength: 128, pattern: '^"minute";r=\\d+;t=\\d+(, "day";r=\\d+;t=\\d+)?$' },
    example: '"minute";r=59;t=42, "day";r=998;t=3600',
  },
  'X-Content-Type-Options': {
    description: 'The answer is what its Content-Type says (Fetch standard).',
    required: true,
    schema: { type: 'string', enum: ['nosniff'] },
    example: 'nosniff',
  },
  'Retry-After': {
    description: 'Whole seconds after which to try again (RFC 9110, section 10.2.3).',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MOST_SECONDS },
    example: 42,
  },
  'WWW-Authenticate': {
    description:
      'How to authenticate, and that the key sent is not valid where one was (RFC 6750, section 3).',
    required: true,
    schema: { type: 'string', maxLength: 128, pattern: '^Bearer realm="[^"]+"(, error="invalid_token")?$' },
    example: 'Bearer realm="animal-store"',
  },
  Location: {
    description: 'Where the new resource can be fetched.',
    required: true,
    schema: { type: 'string', format: 'uri-reference', maxLength: 128 },
    example: '/v1/pets/1',
  },
  'Idempotent-Replayed': {
    description: 'Present when this is the first answer to the same `Idempotency-Key`, given again.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  ETag: {
    description: 'A strong tag of this answer, for `If-None-Match` (RFC 9110, section 8.8.3).',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^"[\\w-]+"$' },
    example: '"3q2-7wEyUvGkbOSgQZhX4rC0n5I"',
  },
  'Cache-Control': {
    description:
      '`private, no-cache`: the caller alone may keep the answer, and asks with `If-None-Match` before using it again. ' +
      '`no-store`: an error, not to be kept.',
    required: true,
    schema: { type: 'string', enum: ['private, no-cache', 'no-store'] },
    example: 'private, no-cache',
  },
  Vary: {
    description: 'What the answer depends on besides the URL.',
    required: true,
    schema: { type: 'string', maxLength: 128, pattern: '^[\\w-]+(, [\\w-]+)*$' },
    example: 'Authorization',
  },
  Link: {
    description:
      '`rel="next"` names the next page of a list; absent on the last one. On a deprecated operation, ' +
      '`rel="deprecation"`, `rel="sunset"` and `rel="successor-version"` say more of that (RFC 8288).',
    schema: {
      type: 'string',
      maxLength: 1024,
      pattern: '^<[^>]+>; rel="[a-z-]+"(, <[^>]+>; rel="[a-z-]+")*$',
    },
    example: '</v1/pets?limit=20&cursor=AAAAAAAAABQ2bF9vM1hxRw>; rel="next"',
  },
  Deprecation: {
    description: 'Since when the operation is deprecated: `@` and a Unix timestamp in seconds (RFC 9745).',
    required: true,
    schema: { type: 'string', maxLength: 32, pattern: '^@\\d+$' },
    example: '@1764892800',
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

/** What every answer of a deprecated operation carries besides. */
export const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'Link'] as const;
