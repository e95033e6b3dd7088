import type { DomainErrorClass } from '@animal-store/kernel';
import { toHttpError } from './domain-error.mapper.js';

/** The description of an error in the OpenAPI document and in docs/errors.md. */
export interface ErrorDescription {
  readonly status: number;
  readonly code: string;
  /** When the error occurs: one sentence. */
  readonly when: string;
  /** What the caller can do about it: a sentence or two. */
  readonly fix: string;
  /** A typical message, when it differs from `when`. */
  readonly message?: string;
}

/** Either a domain error class, which describes itself, or a description of an HTTP error (`http.errors.ts`). */
export type DescribedError = DomainErrorClass | ErrorDescription;

export function describeError(error: DescribedError): ErrorDescription {
  if (!('example' in error)) return error;
  const { when, fix, example } = error;
  const { status, code, message } = toHttpError(example)!;
  return { status, code, when, fix, message };
}
