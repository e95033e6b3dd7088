import {
  type CallHandler,
  type ExecutionContext,
  GoneException,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { deprecatedOperation, isRemoved, setDeprecationHeaders } from './deprecated-operation.js';
import type { HttpRequest, HttpResponse } from './http.js';
import { DEPRECATION_OPTIONS, type DeprecationOptions } from './deprecation.options.js';

/**
 * Bound by `@Deprecated`: sets the deprecation headers, reports the call, and refuses it after the sunset. As an
 * interceptor it runs after all guards and before all pipes: a caller without access gets the guard's error, and a
 * caller with access learns of the removal before any error in the input.
 *
 * @throws GoneException `operation_removed`
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  private readonly now: () => number;

  constructor(@Inject(DEPRECATION_OPTIONS) private readonly options: DeprecationOptions) {
    this.now = options.now ?? Date.now;
  }

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    if (context.getType() !== 'http') return next.handle();
    const http = context.switchToHttp();
    const operation = deprecatedOperation(context.getHandler())!;
    setDeprecationHeaders(http.getResponse<HttpResponse>(), operation);
    this.options.onCall?.(http.getRequest<HttpRequest>(), operation);
    if (isRemoved(operation, this.now())) {
      throw new GoneException({ code: 'operation_removed', message: operation.removedMessage });
    }
    return next.handle();
  }
}
