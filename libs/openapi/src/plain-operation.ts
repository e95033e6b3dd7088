import { type INestApplication, NotFoundException, ParseIntPipe, RequestMethod } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import { httpErrorOf, MalformedPath, type Route, RouteTable } from '@animal-store/http-errors';
import { IDEMPOTENT_REPLAYED, isIdempotent } from '@animal-store/idempotency';
import type { ErrorClass } from '@animal-store/kernel';
import { declaredBy, parametersOf } from '@animal-store/kernel/http';
import {
  BODY_ERRORS,
  describeError,
  type ErrorDescription,
  EVERY_OPERATION,
  inputErrors,
  isDtoType,
  refusedInputs,
  versionOf,
} from '@animal-store/web';
import { CACHEABLE, errorResponse, IF_NONE_MATCH, notModified, responseHeaders } from './response-headers.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Set by `@Operation`. */
export const Described = Reflector.createDecorator<true>();

/** What `@Param()` names may not exist. */
const NOT_FOUND: ErrorClass = {
  when: 'Nothing has the id in the path.',
  fix: 'Take the id from a list or from the response of its creation.',
  example: new NotFoundException(),
};

/** Routes of versions whose handler has no `@Operation`. */
function isPlain({ handler, path }: Route): boolean {
  return versionOf(path) !== null && !new Reflector().get(Described, handler);
}

/** Lets @nestjs/swagger know the class that a handler returns, unless a decorator says it. A Promise hides it. */
export function describeReturnTypes(app: INestApplication): void {
  for (const route of app.get(RouteTable).routes) {
    const { controller, name, handler } = route;
    const prototype = controller.prototype as object;
    const type: unknown = Reflect.getMetadata('design:returntype', prototype, name);
    if (!isPlain(route) || !isDtoType(type)) continue;
    const isPost = declaredBy('method', handler) === RequestMethod.POST;
    const status = declaredBy<number>('status', handler) ?? (isPost ? 201 : 200);
    ApiResponse({ status, type }, { overrideExisting: false })(prototype, name, { value: handler });
  }
}

/**
 * Adds what the route shows, in place of `@Operation`: id, summary, headers, the errors of every such operation, and
 * Nest's exception for each status of `@ApiConflictResponse()` and the like.
 */
export function describePlain(operation: Operation, route: Route): void {
  if (!isPlain(route)) return;
  const { controller } = route;
  const name = route.name.charAt(0).toUpperCase() + route.name.slice(1);
  const owner = controller.name.replace(new RegExp(`(V${versionOf(route.path)})?Controller$`), '');
  if (operation.operationId === route.name)
    operation.operationId = owner.charAt(0).toLowerCase() + owner.slice(1) + name;
  operation.summary ||= name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  operation.description ??= '';
  describeSuccess(operation, route);
  describeIds(operation, route);
  const inPath = route.path.includes(':') ? [MalformedPath, NOT_FOUND] : [];
  const inputs = parametersOf(controller, route.name);
  const inBody = operation.requestBody ? BODY_ERRORS : [];
  const ofInput = [...inputErrors(inputs), ...refusedInputs(inputs), ...inBody];
  const all = [...inPath, ...ofInput, ...EVERY_OPERATION].map(describeError);
  const errors = new Map(all.map((error) => [error.status + error.code, error]));
  for (const error of declaredErrors(operation)) {
    const key = error.status + error.code;
    errors.set(key, { ...error, ...errors.get(key), when: error.when });
  }
  for (const status of new Set([...errors.values()].map((error) => error.status))) {
    const ofStatus = [...errors.values()].filter((error) => error.status === status);
    if (!isDescribed(operation.responses[status]))
      operation.responses[status] = errorResponse(status, ofStatus);
  }
}

/** The headers of what it returns, as the adapter sets them. */
function describeSuccess(operation: Operation, { method, handler }: Route): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!response || '$ref' in response || Number(status) >= 300) continue;
    const tagged = method === 'GET' ? ['200'] : method === 'DELETE' ? [] : ['200', '201'];
    const isTagged = response.content?.['application/json'] && tagged.includes(status);
    const names = !isTagged ? [] : method === 'GET' ? CACHEABLE : ['ETag'];
    const replayed = isIdempotent(handler) ? [IDEMPOTENT_REPLAYED] : [];
    response.headers = { ...responseHeaders([...names, ...replayed]), ...response.headers };
    if (names !== CACHEABLE) continue;
    const unchanged = (operation.responses['304'] ??= notModified(CACHEABLE)) as typeof response;
    unchanged.headers = { ...response.headers, ...unchanged.headers };
    operation.parameters = [...(operation.parameters ?? []), { in: 'header', ...IF_NONE_MATCH }];
  }
}

const ID = { format: 'int32', minimum: 1, maximum: 2_147_483_647 };

/** What `ParseIntPipe` reads from a path is an id. @nestjs/swagger knows no more than the type `number`. */
function describeIds({ parameters = [] }: Operation, { controller, name }: Route): void {
  const isInteger = (pipe: unknown) => pipe === ParseIntPipe || pipe instanceof ParseIntPipe;
  const ids = parametersOf(controller, name).filter(({ pipes }) => pipes.some(isInteger));
  for (const parameter of parameters)
    if ('in' in parameter && parameter.in === 'path' && ids.some(({ data }) => data === parameter.name))
      parameter.schema = { ...ID, ...parameter.schema, type: 'integer' };
}

/** What the handler throws by its decorators. The guards' own statuses are described already. */
function declaredErrors({ responses }: Operation): ErrorDescription[] {
  const ofGuards = EVERY_OPERATION.map((error) => describeError(error).status);
  return Object.entries(responses).flatMap(([key, response]) => {
    const status = Number(key);
    if (!(status >= 400) || ofGuards.includes(status) || isDescribed(response)) return [];
    const error = httpErrorOf(status);
    return [{ ...error, when: (response as { description: string }).description || error.message, fix: '' }];
  });
}

function isDescribed(response: Operation['responses'][string]): boolean {
  return !!response && 'content' in response && !!response.content?.['application/json']?.examples;
}
