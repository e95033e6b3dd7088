import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/**
 * Who is calling: the facts of a valid API key that a request may need. The same object from one request to the next
 * for as long as the key does not change, so that what belongs to a caller can be kept on it, under a symbol of one's own.
 */
export interface Caller {
  readonly keyId: string;
  /** Whom the key belongs to; several keys may share one account. */
  readonly account: string;
  readonly plan: string;
  /** Requests allowed in a minute. */
  readonly perMinute: number;
  /** Requests allowed in a day. */
  readonly perDay: number;
}

/** What a request's credential came to: a caller, or the reason why there is none. */
export type Authentication = Caller | 'missing' | 'invalid' | 'unchecked';

const AUTHENTICATION = Symbol('authentication');
const FAILURE = Symbol('authentication failure');
type Authenticated = IncomingMessage & { [AUTHENTICATION]?: Authentication; [FAILURE]?: Failure };

interface Failure {
  readonly cause: unknown;
  readonly lastKnown: Caller | null;
}

/** Notes that the store could not tell who is calling, and who that was when it last could. */
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
 * Who is calling, or null when the request has no valid key (or `CallerGuard` has not seen it).
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
 * Whom to count a request against: the caller, or, when the store cannot tell, whoever the key belonged to when it
 * last could; null for anybody else. Such a request is refused all the same: never take this for who is calling.
 *
 * @example
 * const subject = presumedCallerOf(request)?.keyId ?? request.socket.remoteAddress;
 */
export function presumedCallerOf(request: IncomingMessage): Caller | null {
  return callerOf(request) ?? authenticationFailureOf(request)?.lastKnown ?? null;
}

/**
 * Whether the store could not tell who is calling, and nobody is known to have called with that key. Such a request is
 * refused with the store's error, and should count against nobody: its key may be valid.
 */
export function isCallerUndecided(request: IncomingMessage): boolean {
  return authenticationFailureOf(request)?.lastKnown === null;
}

/**
 * Hands the caller to a handler's parameter: null on a `@Public()` route, never null behind `KeyRequiredGuard`.
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
