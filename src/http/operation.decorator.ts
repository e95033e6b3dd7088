import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { ErrorResponse } from '#libs/http-errors';
import { int64Schema } from './int64.schema.js';

/** One error that an operation may answer with. */
export interface ErrorFacts {
  readonly status: number;
  readonly code: string;
  /** In which case it does. */
  readonly when: string;
  /** A message it may have, where that is more than `when`. */
  readonly message?: string;
}

/** What a reader of the OpenAPI document wants to know of one operation. */
export interface OperationFacts {
  readonly summary: string;
  readonly description: string;
  /**
   * The resource it answers with: one, a list of them, one it has just created (once for each Idempotency-Key), or one
   * it has just changed.
   */
  readonly answer:
    | { readonly item: Type }
    | { readonly page: Type }
    | { readonly created: Type }
    | { readonly changed: Type };
  /** The int64 in its path. */
  readonly id?: { readonly name: string; readonly description: string };
  /** What it may answer with an Error, beyond what every operation may. */
  readonly errors?: readonly ErrorFacts[];
}

const EVERY_ANSWER = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'X-Content-Type-Options',
];
const CACHEABLE = ['ETag', 'Cache-Control', 'Vary'];

/** What a header may hold (RFC 9110, section 5.5), without the characters beyond ASCII. */
const HEADER_TEXT = '^[\\x20-\\x7e]*$';

const EVERY_OPERATION: readonly ErrorFacts[] = [
  {
    status: 401,
    code: 'missing_api_key',
    when: 'No API key was sent.',
    message: 'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".',
  },
  {
    status: 401,
    code: 'invalid_api_key',
    when: 'The key is unknown, expired or revoked, or belongs to the other environment.',
    message: 'The API key is not valid.',
  },
  {
    status: 429,
    code: 'rate_limit_exceeded',
    when: 'The requests of this minute are used up.',
    message: 'The plan allows 60 requests per minute; try again in 42 seconds.',
  },
  {
    status: 429,
    code: 'daily_quota_exceeded',
    when: 'The requests of this day (UTC) are used up.',
    message: 'The plan allows 1000 requests per day (UTC); try again in 3600 seconds.',
  },
  {
    status: 429,
    code: 'api_key_banned',
    when: 'The caller went on and on after a 429 and is banned for a while.',
    message: 'Too many requests were sent after a 429; the ban ends in 60 seconds.',
  },
  {
    status: 500,
    code: 'internal_error',
    when: 'Something went wrong inside the service; its log has the cause under the `X-Request-Id`.',
    message: 'The service failed to answer the request.',
  },
  {
    status: 503,
    code: 'service_unavailable',
    when: 'The service cannot reach its storage.',
    message: 'The service cannot reach its storage. Try again shortly.',
  },
];

/** What reading a JSON body may answer, beyond the operation's own. */
export const BODY_ERRORS: readonly ErrorFacts[] = [
  {
    status: 400,
    code: 'invalid_json',
    when: 'The body is not JSON text in UTF-8.',
    message: 'The body must be valid JSON: JSON value expected but reached end of input at position 0.',
  },
  {
    status: 400,
    code: 'validation_failed',
    when: 'A field is missing, unknown or has an invalid value. The message names each one and its rule.',
    message: 'name must not be empty or blank.',
  },
  { status: 408, code: 'request_timeout', when: 'The request did not arrive in time.' },
  {
    status: 413,
    code: 'payload_too_large',
    when: 'The body is too large.',
    message: 'The body must not exceed 16384 bytes.',
  },
  {
    status: 415,
    code: 'unsupported_media_type',
    when: 'The body is compressed or not `application/json` in UTF-8.',
    message: 'Content-Type must be application/json, in UTF-8.',
  },
];

/** What reading the parameters of a list may answer. */
export const LIST_ERRORS: readonly ErrorFacts[] = [
  {
    status: 400,
    code: 'invalid_parameter',
    when: 'A parameter is invalid, empty or repeated. The message names it and its rule.',
    message: 'limit must be a whole number from 1 to 100.',
  },
  {
    status: 400,
    code: 'invalid_cursor',
    when: 'The cursor was altered or is from another list or filter.',
    message: 'cursor must be taken unchanged from the Link header of the page before, with the same filters.',
  },
];

/** What an id in the path may bring about. */
const MALFORMED_PATH: ErrorFacts = {
  status: 400,
  code: 'bad_request',
  when: 'The path contains a malformed percent-escape.',
};

const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Documents an operation whole: its answer, every error it may give and the headers each carries. */
export function Operation({
  summary,
  description,
  answer,
  id,
  errors = [],
}: OperationFacts): MethodDecorator {
  const all = [...(id ? [MALFORMED_PATH] : []), ...errors, ...EVERY_OPERATION];
  return applyDecorators(
    ApiOperation({ summary, description }),
    ...(id ? [pathId(id)] : []),
    ...success(answer),
    ApiExtraModels(ErrorResponse) as MethodDecorator,
    ...[...new Set(all.map(({ status }) => status))].map((status) =>
      failure(
        status,
        all.filter((error) => error.status === status),
      ),
    ),
  );
}

function pathId({ name, description }: NonNullable<OperationFacts['id']>): MethodDecorator {
  return ApiParam({ name, description, schema: int64Schema({ minimum: 1, example: 1 }) as object });
}

function success(answer: OperationFacts['answer']): MethodDecorator[] {
  if ('created' in answer) {
    return [respond(201, 'The new resource.', answer.created, ['Location', 'Idempotent-Replayed'])];
  }
  if ('changed' in answer) return [respond(200, 'The resource as it is now.', answer.changed, [])];
  const conditional = [
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description:
        'The `ETag` of an answer kept from before: when it still holds, the answer is 304 without a body.',
      schema: { type: 'string', maxLength: 1024, pattern: HEADER_TEXT },
    }),
    ApiResponse({
      status: 304,
      description: 'The answer kept from before still holds.',
      headers: headers(CACHEABLE),
    }),
  ];
  if ('item' in answer) return [respond(200, 'The resource.', answer.item, CACHEABLE), ...conditional];
  const schema = { type: 'array', maxItems: 100, items: { $ref: getSchemaPath(answer.page) } };
  return [
    ApiExtraModels(answer.page) as MethodDecorator,
    ApiResponse({
      status: 200,
      description: 'One page.',
      content: { 'application/json': { schema } },
      headers: headers([...CACHEABLE, 'Link']),
    }),
    ...conditional,
  ];
}

function respond(status: number, description: string, type: Type, names: readonly string[]): MethodDecorator {
  return ApiResponse({ status, description, type, headers: headers(names) });
}

function failure(status: number, errors: readonly ErrorFacts[]): MethodDecorator {
  const cases = errors.map(({ code, when }) => `\`${code}\`: ${when}`);
  const examples = errors.map(({ code, when, message = when }) => [
    code,
    { summary: when, value: { code, message, status } },
  ]);
  return ApiResponse({
    status,
    description: cases.length === 1 ? cases[0]! : cases.map((text) => `- ${text}`).join('\n'),
    headers: headers(['Cache-Control', ...(HEADERS_BY_STATUS[status] ?? [])]),
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(ErrorResponse) },
        examples: Object.fromEntries(examples) as Record<string, { summary: string; value: unknown }>,
      },
    },
  });
}

/** Response headers are described once, in the document's components (`src/openapi/response-headers.ts`). */
function headers(names: readonly string[]): Record<string, { $ref: string }> {
  const all = [...EVERY_ANSWER, ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
