import { DomainError } from '../../shared/domain-error.js';
import type { DescribedError } from '../http/error-facts.js';
import { IDEMPOTENCY_KEY_RULE } from './idempotency-key.js';

export class IdempotencyKeyReused extends DomainError {
  static readonly when = 'The `Idempotency-Key` was used for another request.';
  static readonly fix =
    'Take a new key for a new request, and the same key only to repeat one unchanged within 24 hours.';
  static readonly example = new IdempotencyKeyReused();

  constructor() {
    super(
      'idempotency_key_reused',
      'unprocessable',
      'This Idempotency-Key was used for another request. Take a new key for a new request.',
    );
  }
}

export class IdempotencyInProgress extends DomainError {
  static readonly when = 'A request with the same `Idempotency-Key` is still running.';
  static readonly fix = 'Wait a moment and repeat it: then you get the first answer.';
  static readonly example = new IdempotencyInProgress();

  constructor() {
    super(
      'idempotency_in_progress',
      'conflict',
      'A request with this Idempotency-Key is still running. Try again when it has been answered.',
    );
  }
}

/** What an idempotent operation may answer, beyond its own. */
export const IDEMPOTENCY_ERRORS: readonly DescribedError[] = [
  {
    status: 400,
    code: 'invalid_parameter',
    when: 'The `Idempotency-Key` is empty, too long, repeated or has other than visible ASCII characters.',
    fix: 'Send one key, a UUID for instance.',
    message: IDEMPOTENCY_KEY_RULE,
  },
  IdempotencyInProgress,
  IdempotencyKeyReused,
];
