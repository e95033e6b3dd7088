import type { ErrorClass } from '@animal-store/kernel';

const promised = new WeakMap<object, readonly ErrorClass[]>();

/** For a decorator that adds errors to a handler: `@Operation` above it documents them. */
export function declareErrors(handler: object, errors: readonly ErrorClass[]): void {
  promised.set(handler, errors);
}

export function declaredErrors(handler: object): readonly ErrorClass[] {
  return promised.get(handler) ?? [];
}
