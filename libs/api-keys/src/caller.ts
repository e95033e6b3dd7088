import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

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

/** A request of Node, which that of Express is, or what wraps one, as that of Fastify does. */
type AnyRequest = IncomingMessage | { readonly raw: IncomingMessage };

const AUTHENTICATION = Symbol('authentication');
const FAILURE = Symbol('authentication failure');
type Authenticated = IncomingMessage & { [AUTHENTICATION]?: Authentication; [FAILURE]?: Failure };

interface Failure {
  readonly cause: unknown;
  readonly cachedCaller: Caller | null;
}

export function nodeRequest(request: AnyRequest): Authenticated {
  // Another library may have put something else there.
  return 'raw' in request && typeof request.raw?.rawHeaders === 'object'
    ? request.raw
    : (request as IncomingMessage);
}

/** Records that the look-up failed, and the caller that the cache has for the key. */
export function setAuthenticationFailure(request: AnyRequest, failure: Failure): void {
  nodeRequest(request)[FAILURE] = failure;
}

export function authenticationFailureOf(request: AnyRequest): Failure | undefined {
  return nodeRequest(request)[FAILURE];
}

export function setAuthentication(request: AnyRequest, authentication: Authentication): void {
  nodeRequest(request)[AUTHENTICATION] = authentication;
}

export function authenticationOf(request: AnyRequest): Authentication {
  return nodeRequest(request)[AUTHENTICATION] ?? 'missing';
}

/**
 * The caller; null when the request has no valid key (or `CallerGuard` has not run).
 *
 * @param options with `evenIfUnverified`, also the cached caller of a key whose look-up failed. Count the request against
 *   it. The request is refused anyway: never use it as the identity of the caller.
 * @example
 * const caller = callerOf<KeyFacts>(request);
 * const limit = caller === null ? anonymousPerMinute : caller.perMinute;
 */
export function callerOf<Facts extends object = object>(
  request: AnyRequest,
  { evenIfUnverified = false } = {},
): Caller<Facts> | null {
  const authentication = authenticationOf(request);
  const caller =
    typeof authentication === 'object' || !evenIfUnverified
      ? authentication
      : authenticationFailureOf(request)?.cachedCaller;
  // The application declares the facts that its store returns.
  return typeof caller === 'object' ? (caller as Caller<Facts> | null) : null;
}

/**
 * Whether nobody knows the caller, because the look-up failed and the key is not in the cache. Such a request is refused
 * with the error of the store. It should count against nobody, as its key may be valid.
 */
export function isLookUpFailed(request: AnyRequest): boolean {
  return authenticationFailureOf(request)?.cachedCaller === null;
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
  context.getType() === 'http' ? callerOf(context.getArgByIndex<IncomingMessage>(0)) : null,
);
