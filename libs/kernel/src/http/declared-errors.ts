import type { ErrorClass } from '../domain-error.js';

type Document = (
  declared: readonly ErrorClass[],
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor,
) => void;

/** Metadata of a handler, which a decorator that wraps it copies. Packages with a copy of this file share it. */
const DECLARED = Symbol.for('declared errors');
const DOCUMENT = Symbol.for('document errors');

/** For a decorator that adds errors to a handler: another one documents them, above it or below. */
export function declareErrors(errors: readonly ErrorClass[]): MethodDecorator {
  return (target, name, descriptor) => {
    const handler = descriptor.value as object;
    const all = [...declaredErrors(handler), ...errors];
    Reflect.defineMetadata(DECLARED, all, handler);
    const document = Reflect.getMetadata(DOCUMENT, handler) as Document | undefined;
    document?.(all, target, name, descriptor);
  };
}

/** Calls `document` with the errors that decorators add to a handler: now, and whenever another adds more. */
export function whenDeclared(document: Document): MethodDecorator {
  return (target, name, descriptor) => {
    const handler = descriptor.value as object;
    Reflect.defineMetadata(DOCUMENT, document, handler);
    document(declaredErrors(handler), target, name, descriptor);
  };
}

/** Those that decorators add to a handler. */
export function declaredErrors(handler: object): readonly ErrorClass[] {
  return (Reflect.getMetadata(DECLARED, handler) ?? []) as readonly ErrorClass[];
}
