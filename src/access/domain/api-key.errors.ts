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

/** The key is expired, revoked or replaced, and nothing is left to change about it. */
export class ApiKeyOver extends DomainError {
  constructor(message: string) {
    super('api_key_over', 'conflict', message);
  }
}
