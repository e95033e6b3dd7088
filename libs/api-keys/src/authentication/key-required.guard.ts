import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type AnyResponse, nodeRequest, perRoute, setHeader } from '@animal-store/kernel/http';
import { InsufficientScope, InvalidApiKey, MissingApiKey, UncheckedApiKey } from '../api-key.errors.js';
import { API_KEYS_OPTIONS, type ApiKeysOptions } from '../api-keys.options.js';
import { LookUpFailure, outcomeOf } from '../caller.js';
import { Scopes } from '../scope.js';
import { bearerToken } from './bearer.js';
import { isPublic } from './caller.guard.js';
import { requiredScopes } from './required-scopes.js';

/**
 * Refuses requests without a valid key on every route but `@Public()` ones: 401 with `WWW-Authenticate`
 * (RFC 6750 section 3), and 403 for a key without a scope that `@RequireScope()` names. When the application defines
 * its scopes, a key that names some is refused on a route that says nothing of them. Needs `CallerGuard` before it.
 *
 * @throws MissingApiKey or InvalidApiKey
 * @throws InsufficientScope
 * @throws the error of the store when the look-up failed
 * @throws UncheckedApiKey when nothing before it has refused a request whose key is not looked up
 * @throws Error without `CallerGuard` before it: every key would be invalid
 */
@Injectable()
export class KeyRequiredGuard implements CanActivate {
  private readonly challenge: string;
  /** For each route: the scopes that it requires, and those that a key without named scopes lacks. */
  private readonly scopesOf = perRoute((...route: Parameters<typeof requiredScopes>) => {
    const needed = requiredScopes(...route) ?? this.scopes.unnamed;
    return { needed, explicit: this.scopes.explicitOf(needed) };
  });

  constructor(
    @Inject(API_KEYS_OPTIONS) private readonly options: ApiKeysOptions,
    private readonly scopes: Scopes,
  ) {
    this.challenge = `Bearer realm="${options.realm ?? 'api'}"`;
  }

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const request = context.getArgByIndex<IncomingMessage>(0);
    const outcome = outcomeOf(request);
    const isFailure = outcome instanceof LookUpFailure;
    if (typeof outcome === 'object' && !isFailure) return this.hasScopes(outcome.scopes, context);
    if (isPublic(context) || this.options.isExempt?.(request)) return true;

    if (isFailure) throw outcome.cause;
    if (outcome === undefined)
      throw new Error('KeyRequiredGuard needs CallerGuard, or a class that extends it, before it.');
    const response = context.getArgByIndex<AnyResponse>(1);
    if (outcome === 'unchecked') {
      setHeader(response, 'Retry-After', '1');
      throw new UncheckedApiKey();
    }
    const isInvalid = outcome === 'invalid';
    const challenge = isInvalid ? `${this.challenge}, error="invalid_token"` : this.challenge;
    setHeader(response, 'WWW-Authenticate', challenge);
    throw isInvalid
      ? new InvalidApiKey(inFrontOf(bearerToken(nodeRequest(request).rawHeaders)))
      : new MissingApiKey();
  }

  private hasScopes(granted: readonly string[] | null | undefined, context: ExecutionContext): true {
    const { needed, explicit } = this.scopesOf(context);
    const missing = granted ? needed && this.scopes.missingOf(needed, granted) : explicit;
    if (missing?.length === 0 || isPublic(context)) return true;
    const refusal = new InsufficientScope(missing);
    setHeader(context.getArgByIndex<AnyResponse>(1), 'WWW-Authenticate', refusal.challenge);
    throw refusal;
  }
}

/** What was pasted in front of a key, if something was. */
function inFrontOf(token: string | null): string | undefined {
  if (/^bearer /i.test(token ?? '')) return 'it has "Bearer" twice before it';
  return /^["'<]/.test(token ?? '') ? `it has ${token![0]} before it` : undefined;
}
