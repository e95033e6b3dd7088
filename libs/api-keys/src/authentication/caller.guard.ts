import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { API_KEYS_OPTIONS, type ApiKeysOptions } from '../api-keys.options.js';
import { setAuthentication, setAuthenticationFailure } from '../caller.js';
import { PublicRoutes } from '../public.js';

/**
 * Identifies the caller for `callerOf` and `@Caller()`, and refuses nobody; `KeyRequiredGuard` does that. Bind it
 * before everything that needs the caller of a request that may be refused later, such as a rate limiter. When the
 * look-up fails, the request continues without a caller to `KeyRequiredGuard`, which throws the error of the store. So
 * the guards in between still set their headers. It passes by everything but HTTP: messages and GraphQL.
 *
 * @example
 * ```ts
 * providers: [
 *   { provide: APP_GUARD, useExisting: CallerGuard },
 *   { provide: APP_GUARD, useExisting: KeyRequiredGuard },
 * ]
 * ```
 */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    @Inject(API_KEYS_OPTIONS) private readonly options: ApiKeysOptions,
    private readonly authenticator: ApiKeyAuthenticator,
    private readonly publicRoutes: PublicRoutes,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http' || this.publicRoutes.includes(context)) return true;
    const request = context.getArgByIndex<IncomingMessage>(0);
    if (this.options.isExempt?.(request)) return true;
    const authentication = this.authenticator.authenticate(request);
    if (authentication instanceof Promise) {
      return authentication.then(
        (found) => {
          setAuthentication(request, found);
          return true;
        },
        (cause: unknown) => {
          const cachedCaller = this.authenticator.cachedCallerOf(request);
          setAuthenticationFailure(request, { cause, cachedCaller });
          return true;
        },
      );
    }
    setAuthentication(request, authentication);
    return true;
  }
}
