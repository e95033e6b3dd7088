import {
  type CallHandler,
  type ExecutionContext,
  GoneException,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { deprecatedOperation, isRemoved, setDeprecationHeaders } from './deprecated-operation.js';
import { DEPRECATION_OPTIONS, type DeprecationOptions } from './deprecation.options.js';

/**
 * Bound by `@Deprecated`: says on the response that the operation is deprecated, reports the call, and refuses it from
 * the sunset on. As an interceptor it runs after all guards and before pipes: whoever may not call learns that first,
 * and whoever may learns of the removal before anything else is wrong.
 *
 * @throws GoneException `operation_removed`
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  constructor(@Inject(DEPRECATION_OPTIONS) private readonly options: DeprecationOptions) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const http = context.switchToHttp();
    const operation = deprecatedOperation(context.getHandler())!;
    setDeprecationHeaders(http.getResponse<ServerResponse>(), operation);
    this.options.onCall?.(http.getRequest<IncomingMessage>(), operation);
    if (isRemoved(operation, this.options.now())) {
      throw new GoneException({ code: 'operation_removed', message: operation.removedMessage });
    }
    return next.handle();
  }
}
