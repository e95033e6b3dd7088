import { DomainError, type ErrorClass } from '@animal-store/kernel';
import { InvalidParameter } from '@animal-store/web';

export class InvalidIdempotencyKey extends InvalidParameter {
  static override readonly when =
    'The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.';
  static override readonly fix = 'Send one key, such as a UUID.';
  static override readonly example = new InvalidIdempotencyKey();

  constructor() {
    super('Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.');
  }
}

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
export const IDEMPOTENCY_ERRORS: readonly ErrorClass[] = [
  InvalidIdempotencyKey,
  IdempotencyInProgress,
  IdempotencyKeyReused,
];
