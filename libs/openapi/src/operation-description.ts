import { NotFoundException, ParseIntPipe, RequestMethod, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiResponse, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import {
  InsufficientScope,
  InvalidApiKey,
  MissingApiKey,
  Public,
  requiredScopes,
  type Scope,
} from '@animal-store/api-keys';
import { deprecatedOperation, OperationRemoved } from '@animal-store/deprecation';
import { type HttpError, httpErrorOf, MalformedPath, type Route } from '@animal-store/http-errors';
import { IDEMPOTENT_REPLAYED, isIdempotent } from '@animal-store/idempotency';
import { DomainError, type ErrorClass } from '@animal-store/kernel';
import { declaredBy, declaredErrors, type HandlerParameter, parametersOf } from '@animal-store/kernel/http';
import { budgetOf, DailyQuotaExceeded } from '@animal-store/rate-limiting';
import {
  BODY_ERRORS,
  bytesSchema,
  describeError,
  type ErrorDescription,
  EVERY_OPERATION,
  IdPipe,
  inputErrors,
  isDtoType,
  LIST_ERRORS,
  PayloadTooLarge,
  RangeNotSatisfiable,
  refusedInputs,
  versionOf,
} from '@animal-store/web';
import { int64Id } from './schemas/fields.js';
import { DescribedBy, describedHandlers, type OperationOptions } from './operation.decorator.js';
import { errorResponse, requestHeader, responseHeaders } from './response-headers.js';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;
export type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;

const reflector = new Reflector();

const OF_KEYS: readonly ErrorClass[] = [MissingApiKey, InvalidApiKey];

/** What `@Param()` names may not exist. */
const NOT_FOUND: ErrorClass = {
  when: 'Nothing has the id in the path.',
  fix: 'Take the id from a list or from the response of its creation.',
  example: new NotFoundException(),
};

function optionsOf(handler: Route['handler']): OperationOptions | undefined {
  return reflector.get<typeof DescribedBy>(DescribedBy, handler);
}

/** Every error that `@Operation` documents for the controllers loaded so far, for docs/errors.md. */
export function errorsOfOperations(): ErrorClass[] {
  const errors = describedHandlers.flatMap(({ controller, name }) => {
    const handler = (controller.prototype as Record<string, Route['handler']>)[name]!;
    return errorsOf(handler, parametersOf(controller, name));
  });
  return [...new Set(errors)];
}

/** Lets @nestjs/swagger know the class that a handler returns, unless a decorator says it. A Promise hides it. */
export function describeReturnTypes(routes: readonly Route[]): void {
  for (const { controller, name, handler, path } of routes) {
    const prototype = controller.prototype as object;
    const type: unknown = Reflect.getMetadata('design:returntype', prototype, name);
    if (versionOf(path) === null || optionsOf(handler) || !isDtoType(type)) continue;
    const isPost = declaredBy('method', handler) === RequestMethod.POST;
    const status = declaredBy<number>('status', handler) ?? (isPost ? 201 : 200);
    ApiResponse({ status, type }, { overrideExisting: false })(prototype, name, { value: handler });
  }
}

/**
 * Completes what @nestjs/swagger knows of an operation: its parameters, its responses with their headers, and all its
 * errors. What `@Operation` does not say follows from the route.
 *
 * @param defined the scopes of the keys
 */
export function completeOperation(
  operation: Operation,
  route: Route,
  bodyLimitBytes: number,
  defined: readonly Scope[] = [],
): void {
  const { handler, controller, path } = route;
  const isPublic = reflector.getAllAndOverride<boolean | undefined>(Public, [handler, controller]) ?? false;
  const scopes = isPublic ? [] : requiredScopes(controller, handler);
  if (isPublic) operation.security = [];
  operation.description ??= '';
  const options = optionsOf(handler);
  const errors: ErrorDescription[] = [];
  if (scopes?.length !== 0) errors.push(describeScopes(operation, scopes, defined));
  if (options || versionOf(path) !== null) {
    describePath(operation, route, options?.path);
    if (options) describeSuccess(operation, options, route);
    else describePlain(operation, route);
    errors.push(...errorsIn(operation, route, isPublic, bodyLimitBytes));
  }
  const removedMessage = deprecatedOperation(handler)?.removedMessage;
  if (removedMessage) errors.push({ ...describeError(OperationRemoved), message: removedMessage });
  for (const status of new Set(errors.map((error) => error.status))) {
    const ofStatus = errors.filter((error) => error.status === status);
    operation.responses[status] = errorResponse(status, ofStatus);
  }
}

/** In the order in which they occur. */
function errorsIn(
  operation: Operation,
  { controller, handler, name, path }: Route,
  isPublic: boolean,
  bodyLimitBytes: number,
): ErrorDescription[] {
  const inputs = parametersOf(controller, name);
  const isPlain = !optionsOf(handler);
  const isApart = isPublic || budgetOf(reflector, [handler, controller])?.isSeparate;
  const never = [...(isPublic ? OF_KEYS : []), ...(isApart ? [DailyQuotaExceeded] : [])];
  const tooLarge = { ...PayloadTooLarge, example: new PayloadTooLarge(bodyLimitBytes) };
  const own = [
    ...errorsOf(handler, inputs).map((error) => describeError(error === PayloadTooLarge ? tooLarge : error)),
    ...declaredResponses(operation),
  ];
  const ofRoute = [
    ...(path.includes(':') ? [MalformedPath] : []),
    ...(path.includes(':') && isPlain && !own.some(({ status }) => status === 404) ? [NOT_FOUND] : []),
    ...refusedInputs(inputs),
    ...(operation.requestBody && isPlain ? BODY_ERRORS : []),
  ].map(describeError);
  const isOwn = ({ status, code }: ErrorDescription) =>
    own.some((one) => one.status === status && one.code === code);
  const everywhere = EVERY_OPERATION.filter((error) => !never.includes(error)).map(describeError);
  return [...ofRoute.filter((error) => !isOwn(error)), ...own, ...everywhere];
}

/** Beside those of every operation: errors of its input, of other decorators, and those that `@Operation` names. */
function errorsOf(handler: Route['handler'], inputs: readonly HandlerParameter[]): ErrorClass[] {
  const { response, errors = [] } = optionsOf(handler) ?? {};
  const has = (kind: string) => typeof response === 'object' && kind in response;
  const notFound = inputs.flatMap(({ pipes }) => pipes).filter((pipe) => pipe instanceof IdPipe);
  const all = [
    ...(has('page') ? LIST_ERRORS : []),
    ...inputErrors(inputs),
    ...notFound.flatMap(({ notFound: error }) => (error.when ? [error as ErrorClass] : [])),
    ...errors,
  ];
  const ofDomain = (error: ErrorClass) => error.example instanceof DomainError;
  const declared = [...declaredErrors(handler), ...(has('bytes') ? [RangeNotSatisfiable] : [])];
  const once = [...new Set(all)];
  return [...once.filter((error) => !ofDomain(error)), ...declared, ...once.filter(ofDomain)];
}

interface Example {
  readonly summary: string;
  readonly value: HttpError;
}

/**
 * What the handler throws by `@ApiErrors()`, or by the decorators of @nestjs/swagger, which say no more than a status.
 * The guards' own statuses are described already.
 */
function declaredResponses({ responses }: Operation): ErrorDescription[] {
  const ofGuards = EVERY_OPERATION.map((error) => describeError(error).status);
  return Object.entries(responses).flatMap(([key, response]) => {
    const status = Number(key);
    if (!(status >= 400)) return [];
    const { description, content } = response as Response;
    const examples = Object.values(content?.['application/json']?.examples ?? {}) as Example[];
    if (examples.length > 0)
      return examples.map(({ summary, value }) => ({ ...value, when: summary, fix: '' }));
    const error = httpErrorOf(status);
    return ofGuards.includes(status) ? [] : [{ ...error, when: description || error.message, fix: '' }];
  });
}

/** OpenAPI 3.1 lets a scheme that is not OAuth name what it needs, too. */
function describeScopes(
  operation: Operation,
  scopes: readonly string[] | null,
  defined: readonly Scope[],
): ErrorDescription {
  operation.security = [{ apiKey: [...(scopes ?? [])] }];
  const names = scopes?.map((scope) => {
    const isExplicit = defined.some(({ name, explicit }) => explicit && name === scope);
    return `\`${scope}\`${isExplicit ? ', which a key must name' : ''}`;
  });
  const needs = names
    ? `the scope${names.length > 1 ? 's' : ''} ${names.join(' and ')}`
    : 'a key without scopes';
  operation.description = `${operation.description} Needs ${needs}.`.trimStart();
  return describeError({ ...InsufficientScope, example: new InsufficientScope(scopes) });
}

const INT32 = { format: 'int32', minimum: 1, maximum: 2_147_483_647 };

/** Describes what is in the path: ids that a pipe reads, of which `webhookId` is that of the webhook, and `path`. */
function describePath(
  operation: Operation,
  { controller, name: method }: Route,
  path: OperationOptions['path'] = {},
): void {
  const inputs = parametersOf(controller, method);
  const known = new Set(parametersIn(operation).map(({ name }) => name));
  for (const name of Object.keys(path))
    if (!known.has(name)) operation.parameters!.push({ in: 'path', name, required: true });
  for (const parameter of parametersIn(operation).filter((one) => one.in === 'path')) {
    const { name, schema } = parameter;
    const { pipes = [] } = inputs.find(({ kind, data }) => kind === 'PARAM' && data === name) ?? {};
    const words = name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    if (pipes.some((pipe) => pipe instanceof IdPipe))
      Object.assign(parameter, int64Id(`The identifier of the ${words}.`));
    // @nestjs/swagger knows no more than the type `number`.
    if (pipes.some((pipe) => pipe === ParseIntPipe || pipe instanceof ParseIntPipe))
      parameter.schema = { ...INT32, ...schema, type: 'integer' };
    Object.assign(parameter, path[name]);
  }
}

/** The parameters of an operation without references. */
export function parametersIn({ parameters = [] }: Operation): Parameter[] {
  return parameters.filter((parameter) => 'in' in parameter);
}

type Responses = Record<string, Response>;
type Content = Response['content'];

/** The headers of a 200 to GET. */
const CACHEABLE = ['ETag', 'Cache-Control', 'Vary'];
const notModified = (names = CACHEABLE) => responded('The cached response is still current.', names);
const IF_NONE_MATCH = requestHeader(
  'If-None-Match',
  'The `ETag` of a cached response: when it is still current, the response is 304 without a body.',
);
const RANGE = [
  requestHeader('Range', 'One part of the bytes, `bytes=0-999`. Of several parts, everything is sent.'),
  requestHeader(
    'If-Range',
    'The `ETag` of the part that is here already: when it has changed, everything is sent.',
  ),
];

const EVENTS =
  'Server-sent events, each with this as its `data`, for as long as you listen. A comment comes every 15 seconds.';

function describeSuccess(
  operation: Operation,
  { response, example }: OperationOptions,
  { name, handler }: Route,
): void {
  if (typeof response === 'object' && 'stream' in response && !declaredBy('sse', handler))
    throw new Error(`${name}: an operation with the response \`stream\` needs @Sse() in place of @Get().`);
  // @nestjs/swagger guesses one without a description.
  const declared = Object.entries(operation.responses).filter(([, one]) => (one as Response).description);
  const responses = responsesOf(response, example);
  operation.responses = { ...Object.fromEntries(declared), ...responses };
  if ('304' in responses) operation.parameters!.push(IF_NONE_MATCH);
  if ('206' in responses) operation.parameters!.push(...RANGE);
}

function responsesOf(response: OperationOptions['response'], example?: object): Responses {
  if (response === 'nothing') return { 204: responded('Done.') };
  if (response === 'stored')
    return { 201: responded('It is new.', ['ETag']), 204: responded('It is replaced.', ['ETag']) };
  if ('accepted' in response)
    return { 202: responded('It will be processed later.', [], jsonOf(response.accepted, example)) };
  if ('stream' in response) {
    const events = { 'text/event-stream': { schema: { $ref: getSchemaPath(response.stream) } } };
    return { 200: responded(EVENTS, ['Cache-Control', 'Pragma', 'Expires', 'X-Accel-Buffering'], events) };
  }
  if ('created' in response) {
    const names = ['Location', 'ETag', IDEMPOTENT_REPLAYED];
    return { 201: responded('The new resource.', names, jsonOf(response.created, example)) };
  }
  if ('changed' in response) {
    const names = ['ETag', IDEMPOTENT_REPLAYED];
    return { 200: responded('The changed resource.', names, jsonOf(response.changed, example)) };
  }
  if ('item' in response)
    return { 200: responded('The resource.', CACHEABLE, jsonOf(response.item)), 304: notModified() };
  if ('bytes' in response) {
    const { types, maxBytes } = response.bytes;
    const content = Object.fromEntries(types.map((type) => [type, { schema: bytesSchema(maxBytes) }]));
    const names = [...CACHEABLE, 'Accept-Ranges', 'Content-Disposition'];
    return {
      200: responded('The bytes.', names, content),
      206: responded('The requested part.', [...names, 'Content-Range'], content),
      304: notModified(),
    };
  }
  const names = [...CACHEABLE, 'Link'];
  const schema = { type: 'array', maxItems: 100, items: { $ref: getSchemaPath(response.page) } };
  return {
    200: responded('One page.', names, { 'application/json': { schema } }),
    304: notModified(names),
  };
}

function responded(description: string, names: readonly string[] = [], content?: Content): Response {
  return { description, headers: responseHeaders(names), ...(content && { content }) };
}

function jsonOf(type: Type | null, example?: object): Content {
  if (!type) return undefined;
  return { 'application/json': { schema: { $ref: getSchemaPath(type) }, ...(example && { example }) } };
}

/** Id, summary and the headers of what it returns, as the adapter sets them. */
function describePlain(operation: Operation, route: Route): void {
  const { method, handler } = route;
  const name = route.name.charAt(0).toUpperCase() + route.name.slice(1);
  const owner = route.controller.name.replace(new RegExp(`(V${versionOf(route.path)})?Controller$`), '');
  if (operation.operationId === route.name)
    operation.operationId = owner.charAt(0).toLowerCase() + owner.slice(1) + name;
  operation.summary ||= name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!response || '$ref' in response || Number(status) >= 300) continue;
    const tagged = method === 'GET' ? ['200'] : method === 'DELETE' ? [] : ['200', '201'];
    const isTagged = response.content?.['application/json'] && tagged.includes(status);
    const names = !isTagged ? [] : method === 'GET' ? CACHEABLE : ['ETag'];
    const replayed = isIdempotent(handler) ? [IDEMPOTENT_REPLAYED] : [];
    response.headers = { ...responseHeaders([...names, ...replayed]), ...response.headers };
    if (names !== CACHEABLE) continue;
    const unchanged = (operation.responses['304'] ??= notModified()) as Response;
    unchanged.headers = { ...response.headers, ...unchanged.headers };
    operation.parameters!.push(IF_NONE_MATCH);
  }
}
