/** The kind of a domain error, independent of HTTP. The platform maps each kind to one HTTP status, in one place. */
export type DomainErrorKind =
  | 'invalid'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'precondition-failed'
  | 'unprocessable'
  | 'precondition-required'
  | 'unavailable';

/** On every domain error: its kind. Packages that each have a copy of this file recognise each other's errors by it. */
export const DOMAIN_ERROR = Symbol.for('kind of a domain error');

/**
 * Base class of the errors that use cases throw. `code` never changes; docs/errors.md lists the codes that are sent
 * over HTTP.
 */
export abstract class DomainError extends Error {
  protected constructor(
    readonly code: string,
    readonly kind: DomainErrorKind,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }

  get [DOMAIN_ERROR](): DomainErrorKind {
    return this.kind;
  }
}

/**
 * Throws a DomainError unless the current state of a resource is the one that the caller has seen. A use case calls it
 * with the state that it has locked, before it changes anything.
 */
export type Precondition<State> = (current: State) => void;

/**
 * The static description of an error class, of a domain or of HTTP. `@Operation({ errors: [ShipNotFound] })` and
 * docs/errors.md are generated from it.
 */
export interface ErrorClass {
  /** When the error is thrown: one sentence. */
  readonly when: string;
  /** What the caller can do about it: a sentence or two. */
  readonly fix: string;
  /** An instance with a typical message. Its code and status are those of the class. */
  readonly example: Error;
}
