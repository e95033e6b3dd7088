import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiParam, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ErrorResponse } from '#libs/http-errors';
import { int64Schema } from './int64.schema.js';

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
  /** What it may answer with an Error, by status, beyond what every operation may. */
  readonly errors?: Readonly<Record<number, string>>;
}

const EVERY_ANSWER = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

const EVERY_OPERATION: Readonly<Record<number, string>> = {
  401: 'The API key is missing or invalid.',
  429: 'The rate limit is exceeded, or the key is banned for going on after that. Try again after `Retry-After`.',
  500: 'Something went wrong inside the service.',
  503: 'The service cannot reach its storage. Try again after `Retry-After`.',
};

/** What reading a JSON body may answer, beyond the operation's own. */
export const BODY_ERRORS: Readonly<Record<number, string>> = {
  400: 'The body is not JSON, lacks a required field, has an unknown one or an invalid value.',
  408: 'The request did not arrive in time.',
  413: 'The body is too large.',
  415: 'The body is not `application/json`.',
};

const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Documents an operation whole: its answer, every error it may give and the headers each carries. */
export function Operation({ summary, description, answer, id, errors }: OperationFacts): MethodDecorator {
  const decorators: MethodDecorator[] = [ApiOperation({ summary, description }), ...success(answer)];
  if (id) {
    const schema = int64Schema({ minimum: 1 }) as object;
    decorators.push(ApiParam({ name: id.name, description: id.description, schema, example: 1 }));
  }
  for (const [status, reason] of Object.entries({ ...EVERY_OPERATION, ...errors })) {
    decorators.push(
      ApiResponse({
        status: Number(status),
        description: reason,
        type: ErrorResponse,
        headers: headers(HEADERS_BY_STATUS[Number(status)] ?? []),
      }),
    );
  }
  return applyDecorators(...decorators);
}

function success(answer: OperationFacts['answer']): MethodDecorator[] {
  const notModified = ApiResponse({
    status: 304,
    description: 'The answer is still the one that `If-None-Match` names.',
    headers: headers(['ETag']),
  });
  if ('created' in answer) {
    return [respond(201, 'The new resource.', answer.created, ['Location', 'Idempotent-Replayed'])];
  }
  if ('changed' in answer) {
    return [respond(200, 'The resource as it is now.', answer.changed, [])];
  }
  if ('item' in answer) {
    return [respond(200, 'The resource.', answer.item, ['ETag']), notModified];
  }
  const list = { type: 'array', maxItems: 100, items: { $ref: getSchemaPath(answer.page) } };
  return [
    ApiExtraModels(answer.page) as MethodDecorator,
    ApiResponse({
      status: 200,
      description: 'One page.',
      content: { 'application/json': { schema: list } },
      headers: headers(['ETag', 'Link']),
    }),
    notModified,
  ];
}

function respond(status: number, description: string, type: Type, names: readonly string[]): MethodDecorator {
  return ApiResponse({ status, description, type, headers: headers(names) });
}

/** Response headers are described once, in the document's components (`src/openapi/document.ts`). */
function headers(names: readonly string[]): Record<string, { $ref: string }> {
  const all = [...EVERY_ANSWER, ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
