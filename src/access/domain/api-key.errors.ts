import { DomainError } from '@animal-store/kernel';

export class ApiKeyNotFound extends DomainError {
  /** @param id null when the key was looked for by its text, which no message repeats. */
  constructor(id: string | null) {
    super(
      'api_key_not_found',
      'not-found',
      id === null ? 'No API key has this text.' : `No API key has the id ${id}.`,
    );
  }
}

export class AccountNotFound extends DomainError {
  constructor(account: string) {
    super('account_not_found', 'not-found', `No API key belongs to the account ${account}.`);
  }
}

export class InvalidApiKey extends DomainError {
  constructor(message: string) {
    super('validation_failed', 'invalid', message);
  }
}

/** What counts the requests of the key cannot be reached. */
export class UsageUnknown extends DomainError {
  constructor(cause: unknown) {
    super(
      'usage_unknown',
      'unavailable',
      'The usage of the key cannot be read at the moment. Try again shortly.',
    );
    this.cause = cause;
  }
}

/** The key is expired, revoked or already replaced, so it cannot be changed. */
export class ApiKeyOver extends DomainError {
  constructor(message: string) {
    super('api_key_over', 'conflict', message);
  }
}
