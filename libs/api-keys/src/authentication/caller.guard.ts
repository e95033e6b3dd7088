import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { API_KEYS_OPTIONS, type ApiKeysOptions } from '../api-keys.options.js';
import { type Authentication, LookUpFailure, setOutcome } from '../caller.js';

/**
 * Marks a route, or all routes of a controller, as needing no key. Keys are not looked up there, so the route works
 * even when the store does not; `@Caller()` is null.
 *
 * @example
 * ```ts
 * @Public()
 * @Get('health/live')
 * live() {}
 * ```
 */
export const Public = Reflector.createDecorator<void, true>({ transform: () => true });

const reflector = new Reflector();
type Controller = ReturnType<ExecutionContext['getClass']>;
type Handler = ReturnType<ExecutionContext['getHandler']>;

// By controller first, as two controllers may inherit one handler and only one of them may be public.
const known = new WeakMap<Controller, Map<Handler, boolean>>();

/** Whether the route of `context` has `@Public()`. The metadata is read once per route. */
export function isPublic(context: ExecutionContext): boolean {
  const controller = context.getClass();
  const handler = context.getHandler();
  let ofController = known.get(controller);
  if (ofController === undefined) known.set(controller, (ofController = new Map<Handler, boolean>()));
  let found = ofController.get(handler);
  if (found === undefined) {
    found = reflector.getAllAndOverride(Public, [handler, controller]) ?? false;
    ofController.set(handler, found);
  }
  return found;
}

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
