import { DomainError } from '../../shared/domain-error.js';

export class ApiKeyNotFound extends DomainError {
  constructor(id: string) {
    super('api_key_not_found', 'not-found', `No API key has the id ${id}.`);
  }
}

export class InvalidApiKey extends DomainError {
  constructor(message: string) {
    super('validation_failed', 'invalid', message);
  }
}

/** Whoever counts the requests does not answer. */
export class UsageUnknown extends DomainError {
  constructor(cause: unknown) {
    super(
      'usage_unknown',
      'unavailable',
      'What the key has used is not known now: whoever counts does not answer. Try again shortly.',
    );
    this.cause = cause;
  }
}

/** The key is expired, revoked or replaced, and nothing is left to change about it. */
export class ApiKeyOver extends DomainError {
  constructor(message: string) {
    super('api_key_over', 'conflict', message);
  }
}
