import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { deprecatedOperation } from './deprecated-operation.js';

/**
 * Sets `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` on the answers of handlers with `@Deprecated`, and lets
 * everyone through. Bind it before all other guards, so that what they refuse carries the headers too. `Link` is
 * appended to; code that adds links of its own must append as well.
 *
 * @example
 * ```ts
 * providers: [
 *   { provide: APP_GUARD, useExisting: DeprecationHeadersGuard },
 *   { provide: APP_GUARD, useExisting: KeyRequiredGuard },
 * ]
 * ```
 */
@Injectable()
export class DeprecationHeadersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const operation = deprecatedOperation(context.getHandler());
    if (operation === undefined) return true;
    const response = context.getArgByIndex<ServerResponse>(1);
    response.setHeader('Deprecation', operation.deprecationHeader);
    if (operation.sunsetHeader !== null) response.setHeader('Sunset', operation.sunsetHeader);
    if (operation.linkHeader !== null) response.appendHeader('Link', operation.linkHeader);
    return true;
  }
}
