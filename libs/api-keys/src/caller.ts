import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/**
 * The caller: the properties of a valid API key that a request needs. It is the same object for every request as long
 * as the key does not change, so other code can cache data on it, under its own symbol.
 */
export interface Caller {
  readonly keyId: string;
  /** The account that owns the key; several keys may share an account. */
  readonly account: string;
  readonly plan: string;
  /** Requests allowed in a minute. */
  readonly perMinute: number;
  /** Requests allowed in a day. */
  readonly perDay: number;
}

/** The result of authentication: a caller, or the reason why there is none. */
export type Authentication = Caller | 'missing' | 'invalid' | 'unchecked';

const AUTHENTICATION = Symbol('authentication');
const FAILURE = Symbol('authentication failure');
type Authenticated = IncomingMessage & { [AUTHENTICATION]?: Authentication; [FAILURE]?: Failure };

interface Failure {
  readonly cause: unknown;
  readonly lastKnown: Caller | null;
}

/** Records that the look-up failed, and the caller that the cache has for the key. */
export function setAuthenticationFailure(
  request: IncomingMessage,
  cause: unknown,
  lastKnown: Caller | null,
): void {
  (request as Authenticated)[FAILURE] = { cause, lastKnown };
}

export function authenticationFailureOf(request: IncomingMessage): Failure | undefined {
  return (request as Authenticated)[FAILURE];
}

export function setAuthentication(request: IncomingMessage, authentication: Authentication): void {
  (request as Authenticated)[AUTHENTICATION] = authentication;
}

export function authenticationOf(request: IncomingMessage): Authentication {
  return (request as Authenticated)[AUTHENTICATION] ?? 'missing';
}

/**
 * The caller; null when the request has no valid key (or `CallerGuard` has not run).
 *
 * @example
 * const caller = callerOf(request);
 * const limit = caller === null ? anonymousPerMinute : caller.perMinute;
 */
export function callerOf(request: IncomingMessage): Caller | null {
  const authentication = authenticationOf(request);
  return typeof authentication === 'object' ? authentication : null;
}

/**
 * The caller to count a request against: the authenticated caller or, when the look-up failed, the cached caller of the
 * key; otherwise null. A request whose look-up failed is refused anyway: never use this as the identity of the caller.
 *
 * @example
 * const subject = presumedCallerOf(request)?.keyId ?? request.socket.remoteAddress;
 */
export function presumedCallerOf(request: IncomingMessage): Caller | null {
  return callerOf(request) ?? authenticationFailureOf(request)?.lastKnown ?? null;
}

/**
 * Whether the look-up failed and the key is not in the cache. Such a request is refused with the error of the store. It
 * should count against nobody, as its key may be valid.
 */
export function isCallerUndecided(request: IncomingMessage): boolean {
  return authenticationFailureOf(request)?.lastKnown === null;
}

/**
 * Injects the caller into a parameter of a handler: null on a `@Public()` route, never null behind `KeyRequiredGuard`.
 *
 * @example
 * ```ts
 * @Get('orders')
 * list(@Caller() caller: Caller) {
 *   return this.listOrders.execute({ account: caller.account });
 * }
 * ```
 */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.getArgByIndex<IncomingMessage>(0)),
);
