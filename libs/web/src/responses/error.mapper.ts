import type { ServerResponse } from 'node:http';
import { type HttpError, httpErrorFrom, sendError } from '@animal-store/http-errors';
import { DomainError, type DomainErrorKind, type ErrorClass, StorageUnavailable } from '@animal-store/kernel';

const STATUS: Readonly<Record<DomainErrorKind, number>> = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'precondition-failed': 412,
  unprocessable: 422,
  'precondition-required': 428,
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

/** The description of an error in the OpenAPI document and in docs/errors.md. */
export interface ErrorDescription extends HttpError {
  readonly when: string;
  readonly fix: string;
}

/** Describes an error class with the response to its example. */
export function describeError({ when, fix, example }: ErrorClass): ErrorDescription {
  return { ...(toHttpError(example) ?? httpErrorFrom(example)), when, fix };
}

/** The page that describes every error, each under its code. */
export const ERRORS_PAGE = '/docs/errors';

/** Responds with an error outside Nest. */
export function refuse(response: ServerResponse, error: HttpError): void {
  sendError(response, error, ERRORS_PAGE);
}
