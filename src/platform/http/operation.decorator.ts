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
import { type DescribedError, type ErrorFacts, factsOf } from './error-facts.js';
import { errorResponse, responseHeaders } from './error-response.schema.js';
import { EVERY_OPERATION, MALFORMED_PATH, UNKNOWN_PARAMETER } from './http.errors.js';
import { promisedErrors } from './promised-errors.js';

/** What a reader of the OpenAPI document wants to know of one operation. */
export interface OperationFacts {
  readonly summary: string;
  readonly description: string;
  /**
   * The resource it answers with: one, a list of them, one it has just created (once for each Idempotency-Key), one it
   * has just changed, or one it will work on (202; null without a body). Or `'nothing'`: 204. The status itself is
   * Nest's: a handler of another one than 200, or 201 for POST, says `@HttpCode`.
   */
  readonly answer:
    | { readonly item: Type }
    | { readonly page: Type }
    | { readonly created: Type }
    | { readonly changed: Type }
    | { readonly accepted: Type | null }
    | 'nothing';
  /** The parameters in its path, by name: `int64Id('The identifier of the animal.')`, or any other schema. */
  readonly path?: Readonly<Record<string, PathParameter>>;
  /** What it may answer with an Error, beyond what every operation may: the error classes it throws. */
  readonly errors?: readonly DescribedError[];
}

export interface PathParameter {
  readonly description: string;
  readonly schema: object;
}

const CACHEABLE = ['ETag', 'Cache-Control', 'Vary'];

/** What a header may hold (RFC 9110, section 5.5), without the characters beyond ASCII. */
const HEADER_TEXT = '^[\\x20-\\x7e]*$';

const named = new Set<ErrorFacts>();

/** Every error that the operations of the controllers loaded so far name, for docs/errors.md. */
export function errorsOfOperations(): ErrorFacts[] {
  return [...named];
}

/**
 * Documents an operation whole: its answer, every error it may give and the headers each carries.
 *
 * @example
 * ```ts
 * @Get(':orderId')
 * @Operation({
 *   summary: 'Get an order',
 *   description: 'One of your orders.',
 *   answer: { item: OrderResponse },
 *   path: { orderId: int64Id('The identifier of the order.') },
 *   errors: [OrderNotFound],
 * })
 * ```
 */
export function Operation({
  summary,
  description,
  answer,
  path = {},
  errors = [],
}: OperationFacts): MethodDecorator {
  return (target, name, descriptor) => {
    const parameters = Object.entries(path);
    const own = inOrder(errors, promisedErrors(descriptor.value as object)).map(factsOf);
    for (const error of own) named.add(error);
    const namesParameters = own.some(({ code }) => code === UNKNOWN_PARAMETER.code);
    const all = [
      ...(parameters.length > 0 ? [MALFORMED_PATH] : []),
      ...(namesParameters ? [] : [UNKNOWN_PARAMETER]),
      ...own,
      ...EVERY_OPERATION,
    ];
    const decorate = applyDecorators(
      ApiOperation({ summary, description }),
      ...parameters.map(([parameter, facts]) => ApiParam({ name: parameter, ...facts })),
      ...success(answer),
      ApiExtraModels(ErrorResponse) as MethodDecorator,
      ...[...new Set(all.map(({ status }) => status))].map((status) => {
        const ofStatus = all.filter((error) => error.status === status);
        return ApiResponse({ status, ...errorResponse(status, ofStatus) });
      }),
    );
    decorate(target, name, descriptor);
  };
}

/** As a request meets them: what is wrong with its input, then with what other decorators ask for, then for the domain. */
function inOrder(
  errors: readonly DescribedError[],
  ofDecorators: readonly DescribedError[],
): DescribedError[] {
  const ofInput = errors.filter((error) => !('example' in error));
  const ofDomain = errors.filter((error) => 'example' in error);
  return [...ofInput, ...ofDecorators, ...ofDomain];
}

function success(answer: OperationFacts['answer']): MethodDecorator[] {
  if (answer === 'nothing') return [respond(204, 'It is done.', null, [])];
  if ('accepted' in answer) return [respond(202, 'It will be done.', answer.accepted, [])];
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
      headers: responseHeaders(CACHEABLE),
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
      headers: responseHeaders([...CACHEABLE, 'Link']),
    }),
    ...conditional,
  ];
}

function respond(
  status: number,
  description: string,
  type: Type | null,
  names: readonly string[],
): MethodDecorator {
  const headers = responseHeaders(names);
  return ApiResponse(type ? { status, description, type, headers } : { status, description, headers });
}
