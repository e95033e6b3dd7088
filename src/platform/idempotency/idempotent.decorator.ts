import { Inject, Req, type Type } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { callerOf } from '@animal-store/api-keys';
import { bodyParameterOf } from '../http/operation-parameters.js';
import { declareErrors } from '../http/declared-errors.js';
import { IDEMPOTENCY_ERRORS } from './idempotency.errors.js';
import { Idempotency } from './idempotency.js';
import { respondOnce } from './idempotent-request.js';
import { IDEMPOTENCY_KEY } from '../http/header-names.js';

const IDEMPOTENCY = Symbol('idempotency');

type Handler = (this: object, ...parameters: unknown[]) => unknown;
type IdempotentController = Record<typeof IDEMPOTENCY, Idempotency>;

/** Whether the request has an Idempotency-Key and an authenticated caller. */
function hasKey(request: Request): boolean {
  return request.headers['idempotency-key'] !== undefined && callerOf(request) !== null;
}

/**
 * Makes an operation safe to retry. With an `Idempotency-Key` it runs once, and a retry gets the first response again.
 * The response is stored in the same transaction as the writes of the operation; use cases join that transaction by
 * themselves. The handler may run again when the transaction is repeated, so it must call use cases, await nothing
 * else, and return JSON. Without the header, or on a `@Public()` route without a caller, the handler runs as if it were
 * not decorated.
 *
 * Put it below all other decorators of the handler, so that `@Operation` documents it. It is not an interceptor, as
 * interceptors run before the input is read and validated (docs/decisions/0013-idempotency-wraps-the-handler.md).
 *
 * @throws TypeError when another decorator stands below it
 * @example
 * ```ts
 * @Post()
 * @Operation({ … })
 * @Idempotent()
 * async placeOrder(@Body() order: NewOrderDto): Promise<JsonResponse> { … }
 * ```
 */
export function Idempotent(): MethodDecorator {
  return (target, name, descriptor) => {
    const handler = descriptor.value as Handler;
    if (Reflect.getMetadataKeys(handler).length > 0) {
      throw new TypeError(`@Idempotent() of ${String(name)} must stand below all other decorators.`);
    }
    const body = bodyParameterOf(target.constructor as Type, String(name));
    const own = (Reflect.getMetadata('design:paramtypes', target, name) as unknown[]).length;
    Inject(Idempotency)(target, IDEMPOTENCY);
    // Adds one parameter, which the handler does not see. Nest runs no pipe on `@Req()`.
    Req()(target, name, own);
    const operation = String(name);
    const once: Handler = function (...parameters) {
      const request = parameters[own] as Request;
      if (!hasKey(request)) return handler.apply(this, parameters);
      const sent = body === 'other' ? (request.body as unknown) : body === null ? null : parameters[body];
      const idempotency = (this as IdempotentController)[IDEMPOTENCY];
      return respondOnce(idempotency, { request, operation, body: sent }, () =>
        handler.apply(this, parameters),
      );
    };
    Object.defineProperty(once, 'name', { value: operation });
    descriptor.value = once as typeof descriptor.value;
    declareErrors(once, IDEMPOTENCY_ERRORS);
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
