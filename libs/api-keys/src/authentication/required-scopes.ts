import { type CustomDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { assertScope } from '../scope.js';

type Controller = ReturnType<ExecutionContext['getClass']>;
type Handler = ReturnType<ExecutionContext['getHandler']>;

const REQUIRED_SCOPES = 'api-keys:scopes';
const reflector = new Reflector();

/**
 * Names the scopes that a key needs, all of them, to call a route, or every route of a controller. Those of a route
 * replace those of its controller. `KeyRequiredGuard` refuses a key without them: 403. A key whose `scopes` are null or
 * absent has all but the explicit ones. On a `@Public()` route it does nothing.
 *
 * @throws RangeError for no scope, and for one that a header cannot have, such as one with a space
 */
export function RequireScope(...scopes: readonly [string, ...string[]]): CustomDecorator {
  for (const scope of scopes.length > 0 ? scopes : [undefined]) assertScope(scope);
  return SetMetadata(REQUIRED_SCOPES, scopes);
}

/**
 * Lets any valid key call a route, or every route of a controller, whatever scopes it names.
 */
export function AnyKey(): CustomDecorator {
  return SetMetadata(REQUIRED_SCOPES, []);
}

/** The scopes that a key needs to call a route: none with `@AnyKey()`, null when nothing says it. */
export function requiredScopes(controller: Controller, handler: Handler): readonly string[] | null {
  const scopes = reflector.getAllAndOverride<readonly string[] | undefined>(REQUIRED_SCOPES, [
    handler,
    controller,
  ]);
  return scopes ?? null;
}
