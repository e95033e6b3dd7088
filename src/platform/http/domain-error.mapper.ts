import type { HttpError } from '@animal-store/http-errors';
import { DomainError, type DomainErrorKind, StorageUnavailable } from '@animal-store/kernel';

const STATUS: Readonly<Record<DomainErrorKind, number>> = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  unprocessable: 422,
  unavailable: 503,
};

/** Maps a domain error to its HTTP status; null for any other error. Only this function does so. */
export function toHttpError(error: unknown): HttpError | null {
  if (!(error instanceof DomainError)) return null;
  const httpError = { status: STATUS[error.kind], code: error.code, message: error.message };
  return error instanceof StorageUnavailable
    ? { ...httpError, headers: { 'Retry-After': `${error.retryAfterSeconds}` } }
    : httpError;
}
