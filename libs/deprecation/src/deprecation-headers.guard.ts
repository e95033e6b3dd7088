import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { deprecatedOperation, setDeprecationHeaders } from './deprecated-operation.js';
import type { HttpResponse } from './http.js';

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
    const operation = context.getType() === 'http' && deprecatedOperation(context.getHandler());
    if (operation) setDeprecationHeaders(context.switchToHttp().getResponse<HttpResponse>(), operation);
    return true;
  }
}
