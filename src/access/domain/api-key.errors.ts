import { DomainError } from '@animal-store/kernel';

/** The number of characters of an id that the message shows: in a path it may be any text. */
const SHOWN_CHARACTERS = 64;

export class ApiKeyNotFound extends DomainError {
  static readonly when = 'No key of this account has this id.';
  static readonly fix = 'Take the id from the list of keys, which has those of your account that work.';
  static readonly example = new ApiKeyNotFound('key_0123456789abcdef');

  /** @param id null when the key was looked for by its text, which no message repeats. */
  constructor(id: string | null) {
    super(
      'api_key_not_found',
      'not-found',
      id === null ? 'No API key has this text.' : `No API key has the id ${id.slice(0, SHOWN_CHARACTERS)}.`,
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

/** The key is expired, revoked or already replaced, so it cannot be changed, and changes no other. */
export class ApiKeyOver extends DomainError {
  static readonly when = 'The key, or the one that asks, is expired, revoked or already replaced.';
  static readonly fix = 'Take the key that replaced it, or make a new one.';
  static readonly example = new ApiKeyOver('Key key_0123456789abcdef is revoked.');

  constructor(message: string) {
    super('api_key_over', 'conflict', message);
  }
}

/** A key would let its holder do more than the key that makes it. */
export class ExceedsOwnKey extends DomainError {
  static readonly when =
    'The key would have a larger plan, more scopes or a later expiry than the key that makes it.';
  static readonly fix =
    'Ask for no more than your key has, or use a key that has more. The operator can make any key.';
  static readonly example = new ExceedsOwnKey();

  constructor() {
    super(
      'exceeds_own_key',
      'forbidden',
      'A key cannot make one with a larger plan, more scopes or a later expiry than its own.',
    );
  }
}

export class TooManyKeys extends DomainError {
  static readonly when =
    'The account has as many active keys as it may make itself, or has made as many in a day.';
  static readonly fix = 'Revoke keys that nobody uses. The limit is the setting `MAX_KEYS_PER_ACCOUNT`.';
  static readonly example = new TooManyKeys(100);

  constructor(most: number) {
    super('too_many_keys', 'conflict', `An account may have ${most} active keys, and make ${most} in a day.`);
  }
}
