import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';
import { API_KEYS_OPTIONS, type ApiKeysOptions } from './api-keys.options.js';
import { authenticationFailureOf, authenticationOf } from './caller.js';
import { type HttpResponse, setHeader } from './node-response.js';
import type { HttpRequest } from './node-request.js';
import { PublicRoutes } from './public.js';

const MISSING = {
  code: 'missing_api_key',
  message: 'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".',
};
const UNCHECKED = {
  code: 'service_unavailable',
  message: 'Too many API keys are being checked. Try again shortly.',
};
// The same text for unknown, expired, revoked and malformed keys, so that a guesser learns nothing.
const INVALID = { code: 'invalid_api_key', message: 'The API key is not valid.' };

/**
 * Refuses requests without a valid key on every route but `@Public()` ones: 401 with `WWW-Authenticate`
 * (RFC 6750 section 3). Needs `CallerGuard` before it.
 *
 * @throws UnauthorizedException `missing_api_key` or `invalid_api_key`
 * @throws the error of the store when the look-up failed
 * @throws ServiceUnavailableException when too many keys are looked up to look up this one, and nothing before it has
 * refused the request for that
 * @example
 * ```ts
 * providers: [
 *   { provide: APP_GUARD, useExisting: CallerGuard },
 *   { provide: APP_GUARD, useExisting: KeyRequiredGuard },
 * ]
 * ```
 */
@Injectable()
export class KeyRequiredGuard implements CanActivate {
  private readonly challenge: string;

  constructor(
    @Inject(API_KEYS_OPTIONS) private readonly options: ApiKeysOptions,
    private readonly publicRoutes: PublicRoutes,
  ) {
    this.challenge = `Bearer realm="${options.realm ?? 'api'}"`;
  }

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const request = context.getArgByIndex<HttpRequest>(0);
    const authentication = authenticationOf(request);
    if (typeof authentication === 'object') return true;
    if (this.publicRoutes.includes(context) || this.options.isExempt?.(request)) return true;

    const failure = authenticationFailureOf(request);
    if (failure) throw failure.cause;
    const response = context.getArgByIndex<HttpResponse>(1);
    if (authentication === 'unchecked') {
      setHeader(response, 'Retry-After', '1');
      throw new ServiceUnavailableException(UNCHECKED);
    }
    const isInvalid = authentication === 'invalid';
    const challenge = isInvalid ? `${this.challenge}, error="invalid_token"` : this.challenge;
    setHeader(response, 'WWW-Authenticate', challenge);
    throw new UnauthorizedException(isInvalid ? INVALID : MISSING);
  }
}
