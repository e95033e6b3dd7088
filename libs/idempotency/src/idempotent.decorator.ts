import { Inject, Req, type Type } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { callerOf } from '@animal-store/api-keys';
import { declaredTypes, declareErrors, IDEMPOTENCY_KEY, parametersOf } from '@animal-store/web';
import { IDEMPOTENCY_ERRORS } from './idempotency.errors.js';
import { Idempotency } from './idempotency.js';
import { respondOnce } from './idempotent-request.js';

const IDEMPOTENCY = Symbol('idempotency');

type Handler = (this: object, ...parameters: unknown[]) => unknown;
type IdempotentController = Record<typeof IDEMPOTENCY, Idempotency>;

/**
 * Makes an operation safe to retry. With an `Idempotency-Key` it runs once, and a retry gets the first response again.
 * The response is stored in the same transaction as the writes of the operation. Everywhere else a transaction is passed
 * as an argument; this one is handed on by an AsyncLocalStorage (`UnitOfWork.enclose`), so that use cases join it by
 * themselves. The handler may run again when the transaction is repeated, so it must call use cases, await nothing else,
 * and return JSON. Without the header, or on a `@Public()` route without a caller, the handler runs as if it were not
 * decorated.
 *
 * It wraps the handler, as an interceptor would cost more, and would run before the input is validated (decision 13).
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
    const body = parametersOf(target.constructor as Type, operation).find(
      ({ kind, data }) => kind === RouteParamtypes.BODY && data === undefined,
    );
    const own = declaredTypes(target, operation).length;
    Inject(Idempotency)(target, IDEMPOTENCY);
    // Adds one parameter, which the handler does not see. Nest runs no pipe on `@Req()`.
    Req()(target, name, own);
    const once: Handler = function (...parameters) {
      const request = parameters[own] as Request;
      if (!hasKey(request)) return handler.apply(this, parameters);
      const sent = { request, operation, body: body ? parameters[body.index] : (request.body as unknown) };
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
