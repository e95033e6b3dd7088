import {
  BadRequestException,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
} from '@nestjs/common';
import type { HttpRequest } from './http.js';
import { hasMalformedPath } from './malformed-path.js';
import { UNMATCHED_ROUTES_OPTIONS, type UnmatchedRoutesOptions } from './unmatched-routes.options.js';

/**
 * Refuses a path with a malformed percent-escape that `disarmMalformedPath` let through. Bind it after all other
 * guards, so that callers without access see their own error first.
 *
 * @throws BadRequestException `bad_request`
 * @example
 * ```ts
 * providers: [
 *   { provide: APP_GUARD, useExisting: KeyGuard },
 *   { provide: APP_GUARD, useExisting: MalformedPathGuard },
 * ]
 * ```
 */
@Injectable()
export class MalformedPathGuard implements CanActivate {
  constructor(@Inject(UNMATCHED_ROUTES_OPTIONS) private readonly options: UnmatchedRoutesOptions) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    if (!hasMalformedPath(context.getArgByIndex<HttpRequest>(0))) return true;
    if (this.options.passMalformedPath?.(context.getHandler())) return true;
    throw new BadRequestException({
      code: 'bad_request',
      message: 'The path contains a malformed percent-escape.',
    });
  }
}
