import { createParamDecorator, type ExecutionContext, Inject, Res, type Type } from '@nestjs/common';
import {
  declaredBy,
  declareErrors,
  isFastifyReply,
  parameterCount,
  parametersOf,
  READS_NOTHING,
} from '@animal-store/kernel/http';
import { FirstResponseWithheld, IDEMPOTENCY_ERRORS } from './idempotency.errors.js';
import { Idempotency } from './idempotency.js';
import type { SentRequest } from './idempotency.options.js';
import { type HandlerResponse, respondOnce } from './idempotent-request.js';

const IDEMPOTENCY = Symbol('idempotency');
const IDEMPOTENT = Symbol('idempotent');

/** Whether a handler takes an `Idempotency-Key`. */
export function isIdempotent(handler: object): boolean {
  return Reflect.hasMetadata(IDEMPOTENT, handler);
}
/** What `@InTransaction()` gives the wrapper, which passes the transaction on. */
const TRANSACTION = Symbol('transaction');

export interface IdempotentOptions {
  /**
   * Who gets the first response again: every API key of the caller (default), or only the one that sent the request, as
   * for a response that shows a secret. The others get 409 `first_response_withheld`.
   */
  readonly replayTo?: 'caller' | 'key';
}

type Handler = (this: object, ...parameters: unknown[]) => unknown;
type IdempotentController = Record<typeof IDEMPOTENCY, Idempotency>;

/**
 * Makes an operation safe to retry. With an `Idempotency-Key` it runs once, and a retry gets the first response again.
 * The response is stored in the same transaction as the writes of the operation, which a handler gets by
 * `@InTransaction()`. The store may run the handler again when the transaction is repeated, so it must do nothing else,
 * and return JSON. Without the header, or without a caller, the handler runs as if it were not decorated.
 *
 * It wraps the handler, as an interceptor would cost more, and would run before the input is validated.
 *
 * @throws TypeError for a handler that sends its response itself
 * @example
 * ```ts
 * @Post()
 * @Idempotent()
 * async place(@Body() order: NewOrder, @InTransaction() manager: EntityManager): Promise<Order> { … }
 * ```
 */
export function Idempotent({ replayTo = 'caller' }: IdempotentOptions = {}): MethodDecorator {
  return (target, name, descriptor) => {
    const handler = descriptor.value as Handler;
    const operation = String(name);
    const controller = target.constructor as Type;
    const parameters = parametersOf(controller, operation);
    const count = parameterCount(controller, operation);
    const body = parameters.find(({ kind, data }) => kind === 'BODY' && data === undefined)?.index;
    const hasResponse = parameters.some(({ kind }) => kind === 'RESPONSE' || kind === 'NEXT');
    if (hasResponse && !declaredBy('passthrough', controller, operation))
      throw new TypeError(
        `${controller.name}.${operation} sends its response itself, which @Idempotent() cannot store.`,
      );
    Inject(Idempotency)(target, IDEMPOTENCY);
    // Adds one parameter, which the handler does not see. Nest runs no pipe on it.
    Res({ passthrough: true })(target, name, count);
    const once: Handler = function (...values) {
      const response = values[count] as HandlerResponse;
      const request = requestOf(response);
      const idempotency = (this as IdempotentController)[IDEMPOTENCY];
      const { callerOf, apiKeyOf = callerOf, store } = idempotency.options;
      const caller = request.headers['idempotency-key'] === undefined ? null : callerOf(request);
      const handle = (transaction: unknown) =>
        handler.apply(
          this,
          values.map((value) => (value === TRANSACTION ? transaction : value)),
        );
      if (caller === null) {
        if (values.includes(TRANSACTION)) return store.transaction(async (one) => handle(one));
        return handler.apply(this, values);
      }
      const sent = {
        request,
        response,
        caller,
        operation,
        body: body === undefined ? request.body : values[body],
        onlyTo: replayTo === 'key' ? apiKeyOf(request) : null,
      };
      return respondOnce(idempotency, sent, handle);
    };
    Object.defineProperty(once, 'name', { value: operation });
    Reflect.defineMetadata(IDEMPOTENT, true, once);
    // The metadata of the decorators below this one.
    for (const key of Reflect.getMetadataKeys(handler) as unknown[]) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), once);
    }
    descriptor.value = once as typeof descriptor.value;
    const errors = replayTo === 'key' ? [...IDEMPOTENCY_ERRORS, FirstResponseWithheld] : IDEMPOTENCY_ERRORS;
    declareErrors(errors)(target, name, descriptor);
  };
}

/**
 * The transaction in which the first response is stored, for the writes of an `@Idempotent()` handler: an
 * `EntityManager` of TypeORM, or what the store calls a transaction. Also without a key.
 *
 * @throws Error on a handler without `@Idempotent()`
 */
export const InTransaction: () => ParameterDecorator = createParamDecorator(
  Object.assign(
    (_: unknown, context: ExecutionContext) => {
      if (!Reflect.hasMetadata(IDEMPOTENT, context.getHandler()))
        throw new Error(`@InTransaction() of ${context.getHandler().name} needs @Idempotent().`);
      return TRANSACTION;
    },
    { [READS_NOTHING]: true },
  ),
);

function requestOf(response: HandlerResponse): SentRequest {
  const { request, req } = response as { request?: unknown; req?: unknown };
  return (isFastifyReply(response) ? request : req) as SentRequest;
}
