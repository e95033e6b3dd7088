import { type INestApplication, NotFoundException, RequestMethod } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import { MalformedPath, type Route, RouteTable } from '@animal-store/http-errors';
import type { ErrorClass } from '@animal-store/kernel';
import { declaredBy, parametersOf } from '@animal-store/kernel/http';
import {
  BODY_ERRORS,
  describeError,
  EVERY_OPERATION,
  isDtoType,
  refusedInputs,
  UnknownParameter,
  versionOf,
} from '@animal-store/web';
import { errorResponse } from './response-headers.js';

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
  for (const { controller, handler, ...route } of app.get(RouteTable).routes) {
    const prototype = controller.prototype as object;
    const type: unknown = Reflect.getMetadata('design:returntype', prototype, handler.name);
    if (!isPlain({ controller, handler, ...route }) || !isDtoType(type)) continue;
    const isPost = declaredBy('method', handler) === RequestMethod.POST;
    const status = declaredBy<number>('status', handler) ?? (isPost ? 201 : 200);
    ApiResponse({ status, type }, { overrideExisting: false })(prototype, handler.name, { value: handler });
  }
}

/** Adds what the route shows, in place of `@Operation`: a summary, and the errors of every such operation. */
export function describePlain(operation: Operation, route: Route): void {
  if (!isPlain(route)) return;
  const words = route.handler.name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  operation.summary ||= words.charAt(0).toUpperCase() + words.slice(1);
  operation.description ??= '';
  const inPath = route.path.includes(':') ? [MalformedPath, NOT_FOUND] : [];
  const refused = refusedInputs(parametersOf(route.controller, route.handler.name));
  const inBody = operation.requestBody ? BODY_ERRORS : [];
  const all = new Set([...inPath, UnknownParameter, ...refused, ...inBody, ...EVERY_OPERATION]);
  const errors = [...all].map(describeError);
  for (const status of new Set(errors.map((error) => error.status)))
    operation.responses[status] ??= errorResponse(
      status,
      errors.filter((error) => error.status === status),
    );
}
