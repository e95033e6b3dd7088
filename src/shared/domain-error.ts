/** What went wrong, in words that know no protocol; `src/http` maps each kind to one HTTP status. */
export type DomainErrorKind = 'invalid' | 'not-found' | 'conflict' | 'unprocessable' | 'unavailable';

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
