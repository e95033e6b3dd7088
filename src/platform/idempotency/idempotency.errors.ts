import { DomainError } from '@animal-store/kernel';
import type { DescribedError } from '../http/error-description.js';
import { IDEMPOTENCY_KEY_RULE } from './idempotency-key.js';

export class IdempotencyKeyReused extends DomainError {
  static readonly when = 'The `Idempotency-Key` was used for another request.';
  static readonly fix =
    'Use a new key for a new request. Use the same key only to repeat a request unchanged within 24 hours.';
  static readonly example = new IdempotencyKeyReused();

  constructor() {
    super(
      'idempotency_key_reused',
      'unprocessable',
      'This Idempotency-Key was used for another request. Use a new key for a new request.',
    );
  }
}

export class IdempotencyInProgress extends DomainError {
  static readonly when = 'A request with the same `Idempotency-Key` is still running.';
  static readonly fix = 'Wait a moment and repeat the request to get the first response.';
  static readonly example = new IdempotencyInProgress();

  constructor() {
    super(
      'idempotency_in_progress',
      'conflict',
      'A request with this Idempotency-Key is still running. Try again when it has finished.',
    );
  }
}

/** The errors of an idempotent operation, beyond its own. */
export const IDEMPOTENCY_ERRORS: readonly DescribedError[] = [
  {
    status: 400,
    code: 'invalid_parameter',
    when: 'The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.',
    fix: 'Send one key, such as a UUID.',
    message: IDEMPOTENCY_KEY_RULE,
  },
  IdempotencyInProgress,
  IdempotencyKeyReused,
];
