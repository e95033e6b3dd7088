import { type CanActivate, type ExecutionContext, GoneException, Inject, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { deprecatedOperation } from './deprecated-operation.js';
import { DEPRECATION_OPTIONS, type DeprecationOptions } from './deprecation.options.js';

/**
 * Bound by `@Deprecated`. Reports each call, and refuses it from the sunset on. As a guard of the handler it runs after
 * those of the application: whoever may not call learns that first.
 *
 * @throws GoneException `operation_removed`
 */
@Injectable()
export class RemovedOperationGuard implements CanActivate {
  constructor(@Inject(DEPRECATION_OPTIONS) private readonly options: DeprecationOptions) {}

  canActivate(context: ExecutionContext): boolean {
    const operation = deprecatedOperation(context.getHandler())!;
    this.options.onCall?.(context.getArgByIndex<IncomingMessage>(0), operation);
    if (operation.sunsetMs === null || this.options.now() < operation.sunsetMs) return true;
    throw new GoneException({ code: 'operation_removed', message: operation.removedMessage });
  }
}
