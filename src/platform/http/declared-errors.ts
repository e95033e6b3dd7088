import type { DescribedError } from './error-description.js';

const promised = new WeakMap<object, readonly DescribedError[]>();

/** For a decorator that adds errors to a handler: `@Operation` above it documents them. */
export function declareErrors(handler: object, errors: readonly DescribedError[]): void {
  promised.set(handler, errors);
}

export function declaredErrors(handler: object): readonly DescribedError[] {
  return promised.get(handler) ?? [];
}
