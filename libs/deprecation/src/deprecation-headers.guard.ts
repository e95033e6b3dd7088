import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { deprecatedOperation, setDeprecationHeaders } from './deprecated-operation.js';

/**
 * Sets the deprecation headers before other guards refuse the request, so that a 401 or 429 has them too. Bind it first.
 * It refuses nobody.
 *
 * @example
 * ```ts
 * providers: [
 *   { provide: APP_GUARD, useClass: DeprecationHeadersGuard },
 *   { provide: APP_GUARD, useClass: KeyGuard },
 * ]
 * ```
 */
@Injectable()
export class DeprecationHeadersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const operation = deprecatedOperation(context.getHandler());
    if (operation && context.getType() === 'http') {
      setDeprecationHeaders(context.getArgByIndex<ServerResponse>(1), operation);
    }
    return true;
  }
}
