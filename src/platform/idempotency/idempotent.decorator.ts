import { Inject, Req } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { callerOf } from '@animal-store/api-keys';
import { declareErrors } from '../http/declared-errors.js';
import { IDEMPOTENCY_KEY } from '../http/header-names.js';
import { IDEMPOTENCY_ERRORS } from './idempotency.errors.js';
import { Idempotency } from './idempotency.js';
import { respondOnce } from './idempotent-request.js';

const IDEMPOTENCY = Symbol('idempotency');

type Handler = (this: object, ...parameters: unknown[]) => unknown;
type IdempotentController = Record<typeof IDEMPOTENCY, Idempotency>;

/**
 * Makes an operation safe to retry. With an `Idempotency-Key` it runs once, and a retry gets the first response again.
 * The response is stored in the same transaction as the writes of the operation; use cases join that transaction by
 * themselves. The handler may run again when the transaction is repeated, so it must call use cases, await nothing
 * else, and return JSON. Without the header, or on a `@Public()` route without a caller, the handler runs as if it were
 * not decorated.
 *
 * It wraps the handler, as an interceptor would cost every addition half as much memory again, and would run before the
 * input is validated (docs/decisions/0013-idempotency-wraps-the-handler.md).
 *
 * @example
 * ```ts
 * @Post()
 * @Idempotent()
 * @Operation({ … })
 * async placeOrder(@Body() order: NewOrderDto): Promise<OrderResponse> { … }
 * ```
 */
export function Idempotent(): MethodDecorator {
  return (target, name, descriptor) => {
    const handler = descriptor.value as Handler;
    const operation = String(name);
    const body = wholeBodyOf(target, operation);
    const own = (Reflect.getMetadata(PARAMTYPES_METADATA, target, name) as unknown[]).length;
    Inject(Idempotency)(target, IDEMPOTENCY);
    // Adds one parameter, which the handler does not see. Nest runs no pipe on `@Req()`.
    Req()(target, name, own);
    const once: Handler = function (...parameters) {
      const request = parameters[own] as Request;
      if (!hasKey(request)) return handler.apply(this, parameters);
      const sent = { request, operation, body: body === null ? (request.body as unknown) : parameters[body] };
      const idempotency = (this as IdempotentController)[IDEMPOTENCY];
      return respondOnce(idempotency, sent, () => handler.apply(this, parameters));
    };
    Object.defineProperty(once, 'name', { value: operation });
    // What decorators below this one have said of the handler.
    for (const key of Reflect.getMetadataKeys(handler) as unknown[]) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), once);
    }
    descriptor.value = once as typeof descriptor.value;
    declareErrors(IDEMPOTENCY_ERRORS)(target, name, descriptor);
    ApiHeader({
      name: IDEMPOTENCY_KEY,
      required: false,
      description:
        'Makes a retry safe: for 24 hours the same key with the same input gets the first response again, ' +
        'marked `Idempotent-Replayed: true`, and nothing else happens. 1 to 255 visible ASCII characters, bare or in double quotes.',
      schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[\\x21-\\x7e]+$' },
    })(target, name, descriptor);
  };
}

/** Whether the request has an Idempotency-Key and an authenticated caller. */
function hasKey(request: Request): boolean {
  return request.headers['idempotency-key'] !== undefined && callerOf(request) !== null;
}

/** The index of the parameter with the whole body; null when the handler has none. */
function wholeBodyOf({ constructor }: object, method: string): number | null {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, constructor, method) ?? {}) as RouteParameters;
  const whole = Object.entries(parameters).find(
    ([key, { data }]) => key.startsWith(`${RouteParamtypes.BODY}:`) && data === undefined,
  );
  return whole ? whole[1].index : null;
}

type RouteParameters = Readonly<Record<string, { readonly index: number; readonly data?: unknown }>>;
