import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type AnyRequest, nodeRequest, READS_NOTHING } from '@animal-store/kernel/http';

/**
 * The caller: the id of a valid API key, its scopes, and the facts that the application stores with its keys, such as
 * an account or a plan. A key whose scopes are null or absent has all but the explicit ones; one with an empty list has
 * none. It is the same object for every request as long as the key does not change, so other code can cache data on it,
 * under its own symbol.
 */
export type Caller<Facts extends object = object> = {
  readonly keyId: string;
  readonly scopes?: readonly string[] | null;
} & Readonly<Facts>;

/** The result of authentication: a caller, or the reason why there is none. */
export type Authentication<Facts extends object = object> =
  Caller<Facts> | 'missing' | 'invalid' | 'unchecked';

export class LookUpFailure {
  /** @param cachedCaller the caller that the cache has for the key */
  constructor(
    readonly cause: unknown,
    readonly cachedCaller: Caller | null,
  ) {}
}

const OUTCOME = Symbol('authentication');
type Outcome = Authentication | LookUpFailure;
type Authenticated = IncomingMessage & { [OUTCOME]?: Outcome };

export function setOutcome(request: AnyRequest, outcome: Outcome): void {
  (nodeRequest(request) as Authenticated)[OUTCOME] = outcome;
}

/** Undefined when no `CallerGuard` has looked at the request, or it needs no key. */
export function outcomeOf(request: AnyRequest): Outcome | undefined {
  return (nodeRequest(request) as Authenticated)[OUTCOME];
}

/**
 * The caller; null when the request has no valid key (or `CallerGuard` has not run).
 *
 * @param options with `evenIfUnverified`, also the cached caller of a key whose look-up failed. Count the request
 *   against it. The request is refused anyway: never use it as the identity of the caller.
 * @example
 * const caller = callerOf<KeyFacts>(request);
 * const limit = caller === null ? anonymousPerMinute : caller.perMinute;
 */
export function callerOf<Facts extends object = object>(
  request: AnyRequest,
  { evenIfUnverified = false } = {},
): Caller<Facts> | null {
  const outcome = outcomeOf(request);
  if (typeof outcome !== 'object') return null;
  const isFailure = outcome instanceof LookUpFailure;
  if (isFailure && !evenIfUnverified) return null;
  // The application declares the facts that its store returns.
  return (isFailure ? outcome.cachedCaller : outcome) as Caller<Facts> | null;
}

/**
 * Whether the caller is unknown, because the look-up failed and the key is not in the cache. Such a request is refused
 * with the error of the store. Count it against no subject, as its key may be valid.
 */
export function isLookUpFailed(request: AnyRequest): boolean {
  const outcome = outcomeOf(request);
  return outcome instanceof LookUpFailure && outcome.cachedCaller === null;
}

/**
 * Injects the caller into a parameter of a handler: null on a `@Public()` route, never null after `KeyRequiredGuard`.
 */
export const Caller = createParamDecorator(
  Object.assign(
    (_: unknown, context: ExecutionContext) =>
      context.getType() === 'http' ? callerOf(context.getArgByIndex<IncomingMessage>(0)) : null,
    { [READS_NOTHING]: true },
  ),
);
