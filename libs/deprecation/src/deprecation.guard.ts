import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { deprecatedOperation, isRemoved, setDeprecationHeaders } from './deprecated-operation.js';
import { OperationRemoved } from './deprecation.errors.js';
import { DEPRECATION_OPTIONS, type DeprecationOptions } from './deprecation.module.js';

/**
 * Bound by `@Deprecated`: sets the deprecation headers, reports the call, and refuses it after the sunset. As a guard of
 * the handler it runs after all guards of the application and before all interceptors and pipes: a caller without access
 * gets their error, and a caller with access learns of the removal before any error in the input.
 *
 * @throws OperationRemoved
 */
@Injectable()
export class DeprecationGuard implements CanActivate {
  constructor(@Inject(DEPRECATION_OPTIONS) private readonly options: DeprecationOptions) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const { now = Date.now, onCall } = this.options;
    const request = context.getArgByIndex<IncomingMessage & { raw?: IncomingMessage }>(0);
    const operation = deprecatedOperation(context.getHandler())!;
    setDeprecationHeaders(context.getArgByIndex<ServerResponse>(1), operation);
    // Fastify wraps the request of Node.
    onCall?.(request.raw ?? request, operation);
    if (isRemoved(operation, now())) throw new OperationRemoved(operation.removedMessage!);
    return true;
  }
}
