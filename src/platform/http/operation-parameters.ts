import { BadRequestException, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import type { Route, RouteTable } from '@animal-store/http-errors';
import { isDtoType, shapeOf } from './dto-shape.js';
import { allowBodyFields } from './lazy-body.js';

type Parameters = Readonly<Record<string, { readonly index: number; readonly data?: unknown }>>;
type Handler = Pick<Route, 'controller' | 'handler'>;

/** The kinds of parameters whose type may be a DTO. */
const SENT: readonly number[] = [RouteParamtypes.BODY, RouteParamtypes.QUERY, RouteParamtypes.PARAM];

const prepared = new WeakSet<Handler['handler']>();

/**
 * Prepares the parameters of every operation, once at start:
 *
 * - An operation with an invalid DTO makes the start fail.
 * - An operation that declares no query parameter refuses all (400 `invalid_parameter`), as it would otherwise ignore a
 *   misspelled one. An operation that takes the whole query or the request may read any.
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
      if (SENT.includes(kindOf(key)) && isDtoType(type)) shapeOf(type);
    }
    // A decorator may have added the request behind what the handler declares, for itself.
    const declared = Object.entries(parameters).filter(([, { index }]) => index < types.length);
    if (!has(Object.fromEntries(declared), RouteParamtypes.QUERY, RouteParamtypes.REQUEST)) {
      if (has(parameters, RouteParamtypes.BODY)) refusedWithBody.add(handler);
      else refuseQuery()(target, handler.name, freeIndex(parameters));
    }
    if (Object.entries(parameters).some(isBodyField)) readBodyFields({ controller, handler });
  }
}

/**
 * How a handler gets the body: the index of the parameter that is the whole body, 'other' for any other way, or null.
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

/** A handler does not see parameters after its own. */
function freeIndex(parameters: Parameters): number {
  return Math.max(-1, ...Object.values(parameters).map(({ index }) => index)) + 1;
}

/**
 * A separate parameter, so that it runs after the guards and the 410. Nest passes it through all pipes, which has a
 * cost.
 */
const refuseQuery = createParamDecorator((_, context: ExecutionContext) => {
  refuseAny(context.getArgByIndex<Request>(0));
});

/**
 * Operations that read a body. Reading the body also refuses their query parameters (src/platform/http/lazy-body.ts).
 */
const refusedWithBody = new WeakSet<Handler['handler']>();

/**
 * Called when a handler reads its body.
 * @throws BadRequestException `invalid_parameter` when the operation of `request` knows no query parameter, and there is one
 */
export function refuseQueryOf(request: Request, routes: RouteTable): void {
  // A middleware may read the body before the route is known.
  const route = request.route === undefined ? null : routes.routeOf(request);
  if (route && refusedWithBody.has(route.handler)) refuseAny(request);
}

function refuseAny(request: Request): void {
  if (!request.url.includes('?')) return;
  const [name] = Object.keys(request.query);
  if (name === undefined) return;
  throw new BadRequestException({
    code: 'invalid_parameter',
    message: `${JSON.stringify(name.slice(0, 64))} is not a parameter here (known: none).`,
  });
}

const beginBodyFields = createParamDecorator(() => allowBodyFields(true));
const endBodyFields = createParamDecorator(() => allowBodyFields(false));

function isBodyField([key, { data }]: [string, Parameters[string]]): boolean {
  return kindOf(key) === (RouteParamtypes.BODY as number) && data !== undefined;
}

/**
 * Nest evaluates all parameters in their order, in one go. The body fields are moved to the front, between two of our
 * own.
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
