import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import type { Route, RouteTable } from '@animal-store/http-errors';
import { isDtoType, shapeOf } from './dto-shape.js';
import { UnknownParameter } from './http.errors.js';
import { allowBodyFields } from './lazy-body.js';

type Parameters = Readonly<Record<string, { readonly index: number; readonly data?: unknown }>>;
type Handler = Pick<Route, 'controller' | 'handler'>;

/** The kinds of parameters whose type may be a DTO. */
const DTO_KINDS: readonly number[] = [RouteParamtypes.BODY, RouteParamtypes.QUERY, RouteParamtypes.PARAM];

const prepared = new WeakSet<Handler['handler']>();

/** Handlers whose query parameters are refused when the body is read (src/platform/http/lazy-body.ts). */
const queryRefusedWithBody = new WeakSet<Handler['handler']>();

/**
 * An additional parameter that refuses query parameters. As a parameter it is read after the guards and the 410. Nest
 * passes it through all pipes, which has a cost.
 */
const refuseQuery = createParamDecorator((_, context: ExecutionContext) => {
  refuseAny(context.getArgByIndex<Request>(0));
});

/** Additional parameters around the fields of a body. Nest reads parameters in their order. */
const beginBodyFields = createParamDecorator(() => allowBodyFields(true));
const endBodyFields = createParamDecorator(() => allowBodyFields(false));

/**
 * Prepares the parameters of every operation, once at start:
 *
 * - An operation with an invalid DTO makes the start fail.
 * - An operation that declares no query parameter refuses all (400 `invalid_parameter`). It would otherwise ignore a
 *   misspelled one. An operation that has the whole query or the request as a parameter may read any.
 * - `@Body('name')` reads a field of the body, which is a promise here.
 *
 * @throws Error when a field of a DTO has `@ValidateNested` but no type
 */
export function prepareParameters(operations: readonly Handler[]): void {
  for (const { controller, handler } of operations) {
    if (prepared.has(handler)) continue;
    prepared.add(handler);
    const target = controller.prototype as object;
    const parameters = parametersOf(controller, handler.name);
    const types = (Reflect.getMetadata(PARAMTYPES_METADATA, target, handler.name) ?? []) as unknown[];
    for (const [key, { index }] of Object.entries(parameters)) {
      const type = types[index];
      if (DTO_KINDS.includes(kindOf(key)) && isDtoType(type)) shapeOf(type);
    }
    // A decorator may have added a request parameter for itself, after those that the handler declares.
    const declared = Object.entries(parameters).filter(([, { index }]) => index < types.length);
    if (!has(Object.fromEntries(declared), RouteParamtypes.QUERY, RouteParamtypes.REQUEST)) {
      if (has(parameters, RouteParamtypes.BODY)) queryRefusedWithBody.add(handler);
      else refuseQuery()(target, handler.name, freeIndex(parameters));
    }
    if (Object.entries(parameters).some(isBodyField)) readBodyFields({ controller, handler });
  }
}

/**
 * How a handler gets the body: the index of the parameter with the whole body, 'other' when it has only parts of it or
 * its bytes, or null when it has no body.
 */
export function bodyParameterOf(controller: Handler['controller'], method: string): number | 'other' | null {
  const parameters = parametersOf(controller, method);
  if (!has(parameters, RouteParamtypes.BODY, RouteParamtypes.RAW_BODY)) return null;
  const whole = Object.entries(parameters).find(
    ([key, { data }]) => kindOf(key) === (RouteParamtypes.BODY as number) && data === undefined,
  );
  return whole ? whole[1].index : 'other';
}

function parametersOf(controller: Handler['controller'], method: string): Parameters {
  return (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Parameters;
}

function kindOf(key: string): number {
  return Number(key.split(':')[0]);
}

function has(parameters: Parameters, ...kinds: readonly RouteParamtypes[]): boolean {
  return Object.keys(parameters).some((key) => kinds.includes(kindOf(key)));
}

/** The index after the parameters of a handler, which does not see a parameter there. */
function freeIndex(parameters: Parameters): number {
  return Math.max(-1, ...Object.values(parameters).map(({ index }) => index)) + 1;
}

/**
 * Called when the body of a request with a query is read.
 * @throws UnknownParameter for a query parameter when the operation declares none
 */
export function refuseQueryOf(request: Request, routes: RouteTable): void {
  // A middleware may read the body before the route is known.
  const matched = request.route as { path: string; methods: Record<string, boolean> } | undefined;
  const route = routes.routes.find(
    ({ path, method }) => path === matched?.path && matched.methods[method.toLowerCase()],
  );
  if (route && queryRefusedWithBody.has(route.handler)) refuseAny(request);
}

function refuseAny(request: Request): void {
  if (!request.url.includes('?')) return;
  const [name] = Object.keys(request.query);
  if (name !== undefined) throw new UnknownParameter(name);
}

function isBodyField([key, { data }]: [string, Parameters[string]]): boolean {
  return kindOf(key) === (RouteParamtypes.BODY as number) && data !== undefined;
}

/**
 * Moves the body fields of a handler to the front, between `beginBodyFields` and `endBodyFields`. Nest reads all
 * parameters of a request synchronously and in their order, so no other code reads a body in between.
 */
function readBodyFields({ controller, handler }: Handler): void {
  const target = controller.prototype as object;
  const before = Object.entries(parametersOf(controller, handler.name));
  const free = freeIndex(Object.fromEntries(before));
  beginBodyFields()(target, handler.name, free);
  endBodyFields()(target, handler.name, free + 1);
  const all = Object.entries(parametersOf(controller, handler.name));
  const added = all.filter(([key]) => !before.some(([known]) => known === key));
  const [begin, end] = added.sort(([, a], [, b]) => a.index - b.index) as [(typeof all)[0], (typeof all)[0]];
  const ordered = [
    begin,
    ...before.filter(isBodyField),
    end,
    ...before.filter((entry) => !isBodyField(entry)),
  ];
  Reflect.defineMetadata(ROUTE_ARGS_METADATA, Object.fromEntries(ordered), controller, handler.name);
}
