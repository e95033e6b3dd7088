import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { documentErrors, ErrorResponse } from '@animal-store/http-errors/swagger';
import { DomainError, type ErrorClass } from '@animal-store/kernel';
import { type HandlerParameter, parametersOf, whenDeclared } from '@animal-store/kernel/http';
import { MalformedPath } from '@animal-store/http-errors';
import { IDEMPOTENT_REPLAYED } from '@animal-store/idempotency';
import {
  bytesSchema,
  describeError,
  EVERY_OPERATION,
  IdPipe,
  inputErrors,
  LIST_ERRORS,
  RangeNotSatisfiable,
  refusedInputs,
  SendsBytes,
} from '@animal-store/web';
import {
  CACHEABLE,
  errorResponse,
  IF_NONE_MATCH,
  notModified,
  requestHeader,
  responseHeaders,
} from './response-headers.js';
import { int64Id } from './fields.js';
import { Described } from './plain-operation.js';

/** The description of one operation in the OpenAPI document. */
export interface OperationOptions {
  /** A few words, without a full stop: the title of the operation. */
  readonly summary: string;
  /** Markdown: what a caller must know beside the fields. */
  readonly description?: string;
  /**
   * The successful response: one resource (`item`), a list (`page`), a new resource (`created`), a changed one
   * (`changed`), one that will be processed later (`accepted`: 202; null without a body), a StreamableFile (`bytes`),
   * events while the client listens (`stream`: the data of one, of a handler with `@Sse()`), `'nothing'` (204),
   * or `'stored'` of a PUT, which has no body but the `ETag` that the handler sets: 201 for what is new, else 204. Its
   * status is set too, unless `@HttpCode` above says another, or it is that of the verb in Nest.
   */
  readonly response:
    | { readonly item: Type }
    | { readonly page: Type }
    | { readonly created: Type }
    | { readonly changed: Type }
    | { readonly accepted: Type | null }
    | { readonly stream: Type }
    | { readonly bytes: BytesFacts }
    | 'nothing'
    | 'stored';
  /** Fields of the JSON that it returns, where the examples of the class contradict what it does. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Parameters in its path, by name, unless an `IdPipe` reads them and their name says what they are. */
  readonly path?: Readonly<Record<string, PathParameter>>;
  /** The error classes that it throws, beside those of every operation, its body, query and page, and `IdPipe`. */
  readonly errors?: readonly ErrorClass[];
}

export interface BytesFacts {
  /** Its media types. */
  readonly types: readonly [string, ...string[]];
  readonly maxBytes: number;
}

export interface PathParameter {
  readonly description: string;
  readonly schema: object;
}

/** The media type of server-sent events. */
export const EVENTS = 'text/event-stream';

const named = new Set<ErrorClass>();

/** Every error of the controllers loaded so far, for docs/errors.md. */
export function errorsOfOperations(): ErrorClass[] {
  return [...named];
}

/**
 * Documents an operation completely: its response, all its errors, and their headers.
 *
 * @example
 * ```ts
 * @Get(':orderId')
 * @Operation({
 *   summary: 'Get an order',
 *   response: { item: OrderResponse },
 * })
 * ```
 */
export function Operation({
  summary,
  description = '',
  response,
  example,
  path = {},
  errors = [],
}: OperationOptions): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary, description }),
    ...success(response, example),
    ApiExtraModels(ErrorResponse) as MethodDecorator,
    Described(true),
    whenDeclared((declared, ...handler) => {
      const inputs = parametersOf(handler[0].constructor as Type, String(handler[1]));
      const ids = inputs.flatMap(idIn);
      const inPath = { ...Object.fromEntries(ids.map(({ name, facts }) => [name, facts])), ...path };
      for (const [name, facts] of Object.entries(inPath)) ApiParam({ name, ...facts })(...handler);
      const ofResponse = typeof response === 'object' && 'bytes' in response ? [RangeNotSatisfiable] : [];
      const ofPage = typeof response === 'object' && 'page' in response ? LIST_ERRORS : [];
      const missing = ids.flatMap(({ notFound }) => (notFound.when ? [notFound as ErrorClass] : []));
      const own = inOrder(
        [...new Set([...ofPage, ...inputErrors(inputs), ...missing, ...errors])],
        [...declared, ...ofResponse],
      );
      for (const error of own) named.add(error);
      const codes = own.map((error) => describeError(error).code);
      const all = [
        ...(Object.keys(inPath).length > 0 ? [MalformedPath] : []),
        ...refusedInputs(inputs).filter((error) => !codes.includes(describeError(error).code)),
        ...own,
        ...EVERY_OPERATION,
      ].map(describeError);
      for (const status of new Set(all.map((error) => error.status))) {
        const ofStatus = all.filter((error) => error.status === status);
        documentErrors({ status, ...errorResponse(status, ofStatus) })(...handler);
      }
    }),
  );
}

/** An id in the path, of which `webhookId` is that of the webhook. */
function idIn({ kind, data, pipes }: HandlerParameter) {
  const pipe = kind === 'PARAM' && pipes.find((each) => each instanceof IdPipe);
  if (!pipe) return [];
  const name = String(data);
  const words = name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return [{ name, facts: int64Id(`The identifier of the ${words}.`), notFound: pipe.notFound }];
}

/** Sorts errors as they occur: those of the input, then those of other decorators, then those of the domain. */
function inOrder(errors: readonly ErrorClass[], ofDecorators: readonly ErrorClass[]): ErrorClass[] {
  const ofInput = errors.filter(({ example }) => !(example instanceof DomainError));
  const ofDomain = errors.filter(({ example }) => example instanceof DomainError);
  return [...ofInput, ...ofDecorators, ...ofDomain];
}

function success(response: OperationOptions['response'], example?: object): MethodDecorator[] {
  if (response === 'nothing') return [HttpCode(204), respond(204, 'Done.', null, [])];
  if (response === 'stored')
    return [respond(201, 'It is new.', null, ['ETag']), respond(204, 'It is replaced.', null, ['ETag'])];
  if ('accepted' in response)
    return [HttpCode(202), respond(202, 'It will be processed later.', response.accepted, [], example)];
  if ('stream' in response) return events(response.stream);
  if ('created' in response) {
    const names = ['Location', 'ETag', IDEMPOTENT_REPLAYED];
    return [respond(201, 'The new resource.', response.created, names, example)];
  }
  if ('changed' in response) {
    const names = ['ETag', IDEMPOTENT_REPLAYED];
    return [HttpCode(200), respond(200, 'The changed resource.', response.changed, names, example)];
  }
  if ('bytes' in response) return [SendsBytes(), ...ofBytes(response.bytes)];
  const names = 'item' in response ? CACHEABLE : [...CACHEABLE, 'Link'];
  const conditional = conditionalOn(names);
  if ('item' in response) return [respond(200, 'The resource.', response.item, names), ...conditional];
  const schema = { type: 'array', maxItems: 100, items: { $ref: getSchemaPath(response.page) } };
  return [
    ApiExtraModels(response.page) as MethodDecorator,
    ApiResponse({
      status: 200,
      description: 'One page.',
      content: { 'application/json': { schema } },
      headers: responseHeaders(names),
    }),
    ...conditional,
  ];
}

function events(type: Type): MethodDecorator[] {
  return [
    ApiExtraModels(type) as MethodDecorator,
    ApiResponse({
      status: 200,
      description:
        'Server-sent events, each with this as its `data`, for as long as you listen. A comment comes every 15 seconds.',
      content: { [EVENTS]: { schema: { $ref: getSchemaPath(type) } } },
      headers: responseHeaders(['Cache-Control', 'Pragma', 'Expires', 'X-Accel-Buffering']),
    }),
  ];
}

/** What makes a GET conditional: `If-None-Match` and 304. */
function conditionalOn(names: readonly string[]): MethodDecorator[] {
  return [ApiHeader(IF_NONE_MATCH), ApiResponse({ status: 304, ...notModified(names) })];
}

function ofBytes({ types, maxBytes }: BytesFacts): MethodDecorator[] {
  const content = Object.fromEntries(types.map((type) => [type, { schema: bytesSchema(maxBytes) }]));
  const names = [...CACHEABLE, 'Accept-Ranges', 'Content-Disposition'];
  return [
    ApiResponse({ status: 200, description: 'The bytes.', content, headers: responseHeaders(names) }),
    ApiResponse({
      status: 206,
      description: 'The requested part.',
      content,
      headers: responseHeaders([...names, 'Content-Range']),
    }),
    ...conditionalOn(CACHEABLE),
    ...[
      requestHeader('Range', 'One part of the bytes, `bytes=0-999`. Of several parts, everything is sent.'),
      requestHeader(
        'If-Range',
        'The `ETag` of the part that is here already: when it has changed, everything is sent.',
      ),
    ].map((header) => ApiHeader(header)),
  ];
}

function respond(
  status: number,
  description: string,
  type: Type | null,
  names: readonly string[],
  example?: object,
): MethodDecorator {
  const headers = responseHeaders(names);
  return ApiResponse({ status, description, headers, ...(type && { type, example }) });
}

/** Stores the description of a tag, which `@ApiTags` does not. */
export const TagMetadata = Reflector.createDecorator<{ name: string; description: string }>();

/** Puts the operations of a controller under a heading of the OpenAPI document. */
export function Tag(name: string, description: string): ClassDecorator {
  return applyDecorators(ApiTags(name), TagMetadata({ name, description }));
}
