import { DomainError } from '../shared/domain-error.js';

export class IdempotencyKeyReused extends DomainError {
  constructor() {
    super(
      'idempotency_key_reused',
      'unprocessable',
      'This Idempotency-Key was used for another request. Take a new key for a new request.',
    );
  }
}

export class IdempotencyInProgress extends DomainError {
  constructor() {
    super(
      'idempotency_in_progress',
      'conflict',
      'A request with this Idempotency-Key is still running. Try again when it has been answered.',
    );
  }
}
