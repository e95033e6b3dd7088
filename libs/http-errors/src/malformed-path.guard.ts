import { BadRequestException, type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { HttpRequest } from './http.js';
import { hasMalformedPath } from './malformed-path.js';

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
  /** @param passes whether a handler refuses such a request itself, with an error of higher priority */
  constructor(private readonly passes: (handler: object) => boolean = () => false) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    if (!hasMalformedPath(context.getArgByIndex<HttpRequest>(0))) return true;
    if (this.passes(context.getHandler())) return true;
    throw new BadRequestException({
      code: 'bad_request',
      message: 'The path contains a malformed percent-escape.',
    });
  }
}
