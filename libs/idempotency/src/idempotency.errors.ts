import { BadRequestException, ConflictException, UnprocessableEntityException } from '@nestjs/common';

export class InvalidIdempotencyKey extends BadRequestException {
  static readonly when =
    'The `Idempotency-Key` is empty, too long, repeated or contains characters other than visible ASCII.';
  static readonly fix = 'Send one key, such as a UUID.';
  static readonly example = new InvalidIdempotencyKey();

  constructor() {
    super({
      code: 'invalid_parameter',
      message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.',
    });
  }
}

export class IdempotencyKeyReused extends UnprocessableEntityException {
  static readonly when = 'The `Idempotency-Key` was used for another request.';
  static readonly fix =
    'Use a new key for a new request, and the same one only to repeat a request unchanged within 24 hours.';
  static readonly example = new IdempotencyKeyReused();

  constructor() {
    super({
      code: 'idempotency_key_reused',
      message: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
    });
  }
}

export class IdempotencyInProgress extends ConflictException {
  static readonly when = 'A request with the same `Idempotency-Key` is still running.';
  static readonly fix = 'Repeat the request after `Retry-After` to get the first response.';
  static readonly example = new IdempotencyInProgress();

  constructor() {
    super({
      code: 'idempotency_in_progress',
      message: 'A request with this Idempotency-Key is still running. Try again when it has finished.',
    });
  }
}

export class FirstResponseWithheld extends ConflictException {
  static readonly when =
    'Another API key of the account has done this with the same `Idempotency-Key`, and the response shows a secret.';
  static readonly fix =
    'Only the API key that sent the first request gets its response again. Replace the secret instead.';
  static readonly example = new FirstResponseWithheld();

  constructor() {
    super({
      code: 'first_response_withheld',
      message:
        'This was done with another API key. Only that one gets the response again, as it shows a secret.',
    });
  }
}

/** The errors of an idempotent operation, beyond its own. */
export const IDEMPOTENCY_ERRORS = [InvalidIdempotencyKey, IdempotencyInProgress, IdempotencyKeyReused];
