import type { ServerResponse } from 'node:http';
import { type HttpError, httpErrorFrom, sendError } from '@animal-store/http-errors';
import type { ErrorClass } from '@animal-store/kernel';

/** The description of an error in the OpenAPI document and in docs/errors.md. */
export interface ErrorDescription extends HttpError {
  readonly when: string;
  readonly fix: string;
}

/** Describes an error class with the response to its example. */
export function describeError({ when, fix, example }: ErrorClass): ErrorDescription {
  return { ...httpErrorFrom(example), when, fix };
}

/** The page that describes every error, each under its code. */
export const ERRORS_PAGE = '/docs/errors';

/** Responds with an error outside Nest. */
export function refuse(response: ServerResponse, error: HttpError): void {
  sendError(response, error, ERRORS_PAGE);
}
