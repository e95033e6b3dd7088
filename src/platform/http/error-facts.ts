import type { DomainErrorClass } from '../../shared/domain-error.js';
import { toHttpError } from './domain-error.mapper.js';

/** One error as clients are told of it: in the OpenAPI document and in docs/errors.md. */
export interface ErrorFacts {
  readonly status: number;
  readonly code: string;
  /** In which case it is given: one sentence. */
  readonly when: string;
  /** What whoever gets it can do: a sentence or two. */
  readonly fix: string;
  /** A message it may have, where that is more than `when`. */
  readonly message?: string;
}

/** An error class of the domain says all of it itself; errors of HTTP are spelled out (`http.errors.ts`). */
export type DescribedError = DomainErrorClass | ErrorFacts;

export function factsOf(error: DescribedError): ErrorFacts {
  if (!('example' in error)) return error;
  const { when, fix, example } = error;
  const { status, code, message } = toHttpError(example)!;
  return { status, code, when, fix, message };
}
