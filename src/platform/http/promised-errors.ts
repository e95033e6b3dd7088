import type { DescribedError } from './error-facts.js';

const promised = new WeakMap<object, readonly DescribedError[]>();

/** For a decorator that makes a handler answer with errors of its own: `@Operation` above it documents them. */
export function promiseErrors(handler: object, errors: readonly DescribedError[]): void {
  promised.set(handler, errors);
}

export function promisedErrors(handler: object): readonly DescribedError[] {
  return promised.get(handler) ?? [];
}
