import type { Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

/** A parameter of a handler, as its decorator declares it. */
export interface HandlerParameter {
  /** NaN for a decorator of the application. */
  readonly kind: RouteParamtypes;
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
  const types = declaredTypes(controller.prototype as object, method);
  return Object.entries(stored)
    .map(([key, parameter]) => ({
      ...parameter,
      kind: Number(key.split(':')[0]),
      type: types[parameter.index],
    }))
    .filter(({ index }) => index < types.length);
}

export function declaredTypes(target: object, method: string): readonly unknown[] {
  return (Reflect.getMetadata(PARAMTYPES_METADATA, target, method) ?? []) as readonly unknown[];
}
