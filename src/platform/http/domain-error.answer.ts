import type { ErrorAnswer } from '#libs/http-errors';
import { DomainError, type DomainErrorKind } from '../../shared/domain-error.js';
import { StorageUnavailable } from '../../shared/storage-unavailable.js';

const STATUS: Readonly<Record<DomainErrorKind, number>> = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  unprocessable: 422,
  unavailable: 503,
};

/** The one place where a domain error becomes an HTTP status; null for any other error. */
export function answerToDomainError(error: unknown): ErrorAnswer | null {
  if (!(error instanceof DomainError)) return null;
  const answer = { status: STATUS[error.kind], code: error.code, message: error.message };
  return error instanceof StorageUnavailable
    ? { ...answer, headers: { 'Retry-After': `${error.retryAfterSeconds}` } }
    : answer;
}
