import type { ErrorAnswer } from '#libs/http-errors';
import { DomainError, type DomainErrorKind } from '../shared/domain-error.js';

const STATUS: Readonly<Record<DomainErrorKind, number>> = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  unprocessable: 422,
  unavailable: 503,
};

/** Long enough for a database to fail over, short enough that nobody gives up. */
const RETRY_AFTER_SECONDS = '5';

/** The one place where a domain error becomes an HTTP status; null for any other error. */
export function answerToDomainError(error: unknown): ErrorAnswer | null {
  if (!(error instanceof DomainError)) return null;
  const answer = { status: STATUS[error.kind], code: error.code, message: error.message };
  return error.kind === 'unavailable'
    ? { ...answer, headers: { 'Retry-After': RETRY_AFTER_SECONDS } }
    : answer;
}
