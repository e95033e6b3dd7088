/** What went wrong, in words that know no protocol; `src/platform/http` maps each kind to one HTTP status. */
export type DomainErrorKind =
  'invalid' | 'forbidden' | 'not-found' | 'conflict' | 'unprocessable' | 'unavailable';

/** Base of every error a use case may throw on purpose. `code` is stable; those that go over HTTP are in docs/errors.md. */
export abstract class DomainError extends Error {
  protected constructor(
    readonly code: string,
    readonly kind: DomainErrorKind,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/**
 * A domain error as its class describes it to the people who get it: `@Operation({ errors: [PetNotFound] })` and
 * docs/errors.md take everything they say from here.
 */
export interface DomainErrorClass {
  /** In which case it is thrown: one sentence. */
  readonly when: string;
  /** What its reader can do: a sentence or two. */
  readonly fix: string;
  /** One as it is thrown: its code, its kind and a message it may have. */
  readonly example: DomainError;
}
