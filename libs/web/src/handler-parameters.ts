import { Body, Query, Sse, type Type, UsePipes } from '@nestjs/common';
// Nest has no door to what the decorators of a handler have stored. This is the only file that reads it, and it checks
// that.
import {
  PARAMTYPES_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
  SSE_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

/** What a parameter is made of; null for a decorator of the application. */
type ParameterKind = keyof typeof RouteParamtypes | null;

/** A parameter of a handler, as its decorator declares it. */
export interface HandlerParameter {
  readonly kind: ParameterKind;
  readonly index: number;
  /** The name of the field, for `@Body('name')`. */
  readonly data?: unknown;
  readonly pipes: readonly unknown[];
  /** A Standard Schema, for `@Body({ schema })`. */
  readonly schema?: unknown;
  /** Of a decorator of the application: the function behind it. */
  readonly factory?: unknown;
  /** The declared type. */
  readonly type: unknown;
}

/** Those that the handler declares. A decorator of the handler may add others for itself after them. */
export function parametersOf(controller: Type, method: string): HandlerParameter[] {
  type Stored = Omit<HandlerParameter, 'kind' | 'type'>;
  const stored = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    Stored
  >;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, method) ??
    []) as readonly unknown[];
  return Object.entries(stored)
    .map(([key, parameter]) => ({
      ...parameter,
      kind: (RouteParamtypes[Number(key.split(':')[0])] ?? null) as ParameterKind,
      type: types[parameter.index],
    }))
    .filter(({ index }) => index < types.length);
}

/** Whether `@UsePipes()` of a controller or a handler decides how parameters are read. */
export function hasPipes(target: object): boolean {
  return Reflect.hasMetadata(PIPES_METADATA, target);
}

/** Whether a handler has `@Sse()`. */
export function sendsSse(handler: object): boolean {
  return Reflect.hasMetadata(SSE_METADATA, handler);
}

class Probe {
  @Sse()
  @UsePipes()
  read(@Body('name') name: string, @Query() query: object): unknown {
    return [name, query];
  }
}

function checkNest(): void {
  const read = parametersOf(Probe, 'read').map(({ kind, index, data }) => [kind, index, data]);
  // eslint-disable-next-line @typescript-eslint/unbound-method -- only its metadata are read
  const handler = Probe.prototype.read;
  const isAsExpected =
    JSON.stringify(read.sort()) === '[["BODY",0,"name"],["QUERY",1,null]]' &&
    sendsSse(handler) &&
    hasPipes(handler);
  if (!isAsExpected)
    throw new Error(
      'This version of @nestjs/common stores what the decorators of a handler say in another way.',
    );
}

checkNest();
