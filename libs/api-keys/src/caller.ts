import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type HttpRequest, nodeRequest } from './node-request.js';

/**
 * The caller: the id of a valid API key, and the facts that the application stores with its keys, such as an account, a
 * plan or scopes. It is the same object for every request as long as the key does not change, so other code can cache
 * data on it, under its own symbol.
 *
 * @example
 * ```ts
 * interface KeyFacts {
 *   account: string;
 *   scopes: string[];
 * }
 * type ApiCaller = Caller<KeyFacts>;
 * ```
 */
export type Caller<Facts extends object = object> = { readonly keyId: string } & Readonly<Facts>;

/** The result of authentication: a caller, or the reason why there is none. */
export type Authentication<Facts extends object = object> =
  Caller<Facts> | 'missing' | 'invalid' | 'unchecked';

const AUTHENTICATION = Symbol('authentication');
const FAILURE = Symbol('authentication failure');
type Authenticated = IncomingMessage & { [AUTHENTICATION]?: Authentication; [FAILURE]?: Failure };

interface Failure {
  readonly cause: unknown;
  readonly lastKnown: Caller | null;
}

/** Records that the look-up failed, and the caller that the cache has for the key. */
export function setAuthenticationFailure(
  request: HttpRequest,
  cause: unknown,
  lastKnown: Caller | null,
): void {
  (nodeRequest(request) as Authenticated)[FAILURE] = { cause, lastKnown };
}

export function authenticationFailureOf(request: HttpRequest): Failure | undefined {
  return (nodeRequest(request) as Authenticated)[FAILURE];
}

export function setAuthentication(request: HttpRequest, authentication: Authentication): void {
  (nodeRequest(request) as Authenticated)[AUTHENTICATION] = authentication;
}

export function authenticationOf(request: HttpRequest): Authentication {
  return (nodeRequest(request) as Authenticated)[AUTHENTICATION] ?? 'missing';
}

/**
 * The caller; null when the request has no valid key (or `CallerGuard` has not run).
 *
 * @example
 * const caller = callerOf<KeyFacts>(request);
 * const limit = caller === null ? anonymousPerMinute : caller.perMinute;
 */
export function callerOf<Facts extends object = object>(request: HttpRequest): Caller<Facts> | null {
  const authentication = authenticationOf(request);
  // The application declares the facts that its store returns.
  return typeof authentication === 'object' ? (authentication as Caller<Facts>) : null;
}

/**
 * The caller to count a request against: the authenticated caller or, when the look-up failed, the cached caller of the
 * key; otherwise null. A request whose look-up failed is refused anyway: never use this as the identity of the caller.
 *
 * @example
 * const subject = presumedCallerOf(request)?.keyId ?? request.socket.remoteAddress;
 */
export function presumedCallerOf<Facts extends object = object>(request: HttpRequest): Caller<Facts> | null {
  const lastKnown = () => authenticationFailureOf(request)?.lastKnown as Caller<Facts> | null | undefined;
  return callerOf<Facts>(request) ?? lastKnown() ?? null;
}

/**
 * Whether the look-up failed and the key is not in the cache. Such a request is refused with the error of the store. It
 * should count against nobody, as its key may be valid.
 */
export function isCallerUndecided(request: HttpRequest): boolean {
  return authenticationFailureOf(request)?.lastKnown === null;
}

/**
 * Injects the caller into a parameter of a handler: null on a `@Public()` route, never null behind `KeyRequiredGuard`.
 *
 * @example
 * ```ts
 * @Get('orders')
 * list(@Caller() { account }: Caller<KeyFacts>) {
 *   return this.listOrders.execute({ account });
 * }
 * ```
 */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.getType() === 'http' ? callerOf(context.getArgByIndex<HttpRequest>(0)) : null,
);
