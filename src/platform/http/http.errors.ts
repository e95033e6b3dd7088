import { StorageUnavailable } from '@animal-store/kernel';
import { type ErrorDescription, describeError } from './error-description.js';

/** The errors of every operation. */
export const EVERY_OPERATION: readonly ErrorDescription[] = [
  {
    status: 401,
    code: 'missing_api_key',
    when: 'No API key was sent.',
    fix: 'Send `Authorization: Bearer <API_KEY>`. Other schemes and keys in the URL are ignored. Some proxies drop the header.',
    message: 'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".',
  },
  {
    status: 401,
    code: 'invalid_api_key',
    when: 'The key is unknown, expired or revoked, or belongs to the other environment.',
    fix: 'Check its text and that it is in one header only; `ask_live_` is production, `ask_test_` staging. All cases have the same response; the operator sees the reason with `keys show`.',
    message: 'The API key is not valid.',
  },
  {
    status: 429,
    code: 'rate_limit_exceeded',
    when: 'The requests of this minute are used up.',
    fix: 'Wait for `Retry-After` seconds, and back off exponentially if it happens again. Without a valid key your address is limited.',
    message: 'The plan allows 60 requests per minute; try again in 42 seconds.',
  },
  {
    status: 429,
    code: 'daily_quota_exceeded',
    when: 'The requests of this day (UTC) are used up.',
    fix: 'The count starts again at midnight UTC. The operator can change the plan: `keys set-plan`.',
    message: 'The plan allows 1000 requests per day (UTC); try again in 3600 seconds.',
  },
  {
    status: 429,
    code: 'api_key_banned',
    when: 'The caller continued after 429s and is banned temporarily.',
    fix: 'Stop until `Retry-After` is over. Requests during the ban do not lengthen it, but the next ban lasts twice as long. Fix the retry loop first; the operator can lift the ban: `keys unban`.',
    message: 'Continuing after a 429 led to a temporary ban, which ends in 60 seconds.',
  },
  {
    status: 500,
    code: 'internal_error',
    when: 'The service failed. Its log has the cause under the `X-Request-Id`.',
    fix: 'The request is not the cause. A request that takes an `Idempotency-Key` and had one can be repeated safely.',
    message: 'The service failed to process the request.',
  },
  describeError(StorageUnavailable),
];

/** The errors of reading and validating a JSON body. */
export const BODY_ERRORS: readonly ErrorDescription[] = [
  {
    status: 400,
    code: 'invalid_json',
    when: 'The body is not JSON text in UTF-8.',
    fix: 'It is empty or incomplete, or has a surplus comma, `NaN`, or the same name twice with different values. The message says where.',
    message: 'The body must be valid JSON: JSON value expected but reached end of input at position 0.',
  },
  {
    status: 400,
    code: 'validation_failed',
    when: 'A field is missing, unknown or has an invalid value. The message names each one and its rule.',
    fix: 'Int64s are JSON numbers without quotes, fraction or exponent. Unknown fields are refused, as most of them are misspelled.',
    message: 'name must not be empty or blank.',
  },
  {
    status: 408,
    code: 'request_timeout',
    when: 'The request did not arrive in time.',
    fix: 'The headers may take 10 s, the whole request 15 s. Either the network is slow, or `Content-Length` is larger than the body.',
  },
  {
    status: 413,
    code: 'payload_too_large',
    when: 'The body is too large.',
    fix: 'Send one resource per request. The limit is the setting `BODY_LIMIT_BYTES`, 16 KiB by default.',
    message: 'The body must not exceed 16384 bytes.',
  },
  {
    status: 415,
    code: 'unsupported_media_type',
    when: 'The body is compressed or not `application/json` in UTF-8.',
    fix: 'Send `Content-Type: application/json` in UTF-8, and no `Content-Encoding`.',
    message: 'Content-Type must be application/json, in UTF-8.',
  },
];

/** The errors of reading the parameters of a list. */
export const LIST_ERRORS: readonly ErrorDescription[] = [
  {
    status: 400,
    code: 'invalid_parameter',
    when: 'A parameter is unknown, invalid, empty or repeated. The message names it and its rule.',
    fix: '`limit` runs from 1 to 100. Leave a parameter out instead of sending it empty.',
    message: 'limit must be a whole number from 1 to 100.',
  },
  {
    status: 400,
    code: 'invalid_cursor',
    when: 'The cursor was altered or is from another list or filter.',
    fix: 'Use the URL of `Link; rel="next"` unchanged, or start with the first page.',
    message:
      'cursor must be copied unchanged from the Link header of the previous page and used with the same filters.',
  },
];

/** The error of an operation with a parameter in its path. */
export const MALFORMED_PATH: ErrorDescription = {
  status: 400,
  code: 'bad_request',
  when: 'The path contains a malformed percent-escape.',
  fix: 'Write `%25` for a `%` that does not begin an escape.',
};

/** The error of an operation without query parameters. */
export const UNKNOWN_PARAMETER: ErrorDescription = {
  status: 400,
  code: 'invalid_parameter',
  when: 'The query has a parameter; the operation takes none.',
  fix: 'Leave out the query. Unknown parameters are refused, as most of them are misspelled.',
  message: '"stauts" is not a parameter here (known: none).',
};

/** The error of a deprecated operation after its sunset. */
export const OPERATION_REMOVED: ErrorDescription = {
  status: 410,
  code: 'operation_removed',
  when: 'The operation has been removed.',
  fix: '`Link; rel="successor-version"` is the URL of its replacement. `Deprecation` and `Sunset` announced the removal.',
};

/** The errors of requests that do not reach an operation. */
export const NO_OPERATION: readonly ErrorDescription[] = [
  {
    status: 400,
    code: 'bad_request',
    when: 'The request is not valid HTTP.',
    fix: 'It has no or several `Host` headers, an incomplete body or conflicting lengths. Usually the cause is a hand-written client or a proxy.',
  },
  {
    status: 404,
    code: 'route_not_found',
    when: 'The path does not exist.',
    fix: 'Paths begin with `/v1`; see `/docs`.',
  },
  {
    status: 405,
    code: 'method_not_allowed',
    when: 'The path does not support the method.',
    fix: '`Allow` lists the methods of the path.',
  },
  {
    status: 431,
    code: 'headers_too_large',
    when: 'Request line and headers are larger than 16 KiB.',
    fix: 'Shorten cookies or the query string.',
  },
];
