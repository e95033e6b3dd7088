import { DomainError } from '@animal-store/kernel';

export class AccountNotFound extends DomainError {
  constructor(account: string) {
    super('account_not_found', 'not-found', `No API key belongs to the account ${account}.`);
  }
}

/** The operator has suspended the account. */
export class AccountSuspended extends DomainError {
  constructor(account: string) {
    super(
      'account_suspended',
      'conflict',
      `The account ${account} is suspended: resume it before it gets a key.`,
    );
  }
}

/** What counts the requests of the key cannot be reached. */
export class UsageUnavailable extends DomainError {
  constructor(cause: unknown) {
    super(
      'usage_unavailable',
      'unavailable',
      'The usage of the key cannot be read at the moment. Try again shortly.',
    );
    this.cause = cause;
  }
}

export class TooManyKeys extends DomainError {
  static readonly when =
    'The account has as many active keys as it may make itself, or has made as many in a day.';
  static readonly fix = 'Revoke keys that nobody uses. The limit is the setting `MAX_KEYS_PER_ACCOUNT`.';
  static readonly example = new TooManyKeys(100);

  constructor(max: number) {
    super('too_many_keys', 'conflict', `An account may have ${max} active keys, and make ${max} in a day.`);
  }
}
