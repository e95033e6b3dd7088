import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { perRoute } from '@animal-store/kernel/http';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { API_KEYS_OPTIONS, type ApiKeysOptions } from '../api-keys.options.js';
import { type Authentication, LookUpFailure, setOutcome } from '../caller.js';

/**
 * Marks a route, or all routes of a controller, as needing no key. Keys are not looked up there, so the route works
 * even when the store does not; `@Caller()` is null.
 */
export const Public = Reflector.createDecorator<void, true>({ transform: () => true });

const reflector = new Reflector();
type Target = Parameters<Reflector['getAllAndOverride']>[1][number];

/** Whether the route of a context has `@Public()`. */
export const isPublic: (context: ExecutionContext) => boolean = perRoute(
  (controller: Target, handler: Target) =>
    reflector.getAllAndOverride(Public, [handler, controller]) ?? false,
);

/**
 * Identifies the caller for `callerOf` and `@Caller()`, and refuses nobody; `KeyRequiredGuard` does that. Bind it
 * before everything that needs the caller of a request that may be refused later, such as a rate limiter. When the
 * look-up fails, the request continues without a caller to `KeyRequiredGuard`, which throws the error of the store. So
 * the guards in between still set their headers. It ignores everything but HTTP, such as messages and GraphQL.
 */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    @Inject(API_KEYS_OPTIONS) private readonly options: ApiKeysOptions,
    private readonly authenticator: ApiKeyAuthenticator,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http' || isPublic(context)) return true;
    const request = context.getArgByIndex<IncomingMessage>(0);
    if (this.options.isExempt?.(request)) return true;
    const authentication = this.authenticator.authenticate(request);
    if (authentication instanceof Promise) return this.settle(request, authentication);
    setOutcome(request, authentication);
    return true;
  }

  private async settle(request: IncomingMessage, lookUp: Promise<Authentication>): Promise<true> {
    const fail = (cause: unknown) => new LookUpFailure(cause, this.authenticator.cachedCallerOf(request));
    setOutcome(request, await lookUp.catch(fail));
    return true;
  }
}
