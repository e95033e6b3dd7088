import { DomainError } from '@animal-store/kernel';

/** The number of characters of an id that the message shows: in a path it may be any text. */
const SHOWN_CHARACTERS = 64;

/** Nest's own filter responds with this status and the message. */
abstract class KeyError extends DomainError {
  abstract readonly statusCode: number;
  readonly expose = true;

  get status(): number {
    return this.statusCode;
  }
}

export class ApiKeyNotFound extends KeyError {
  static readonly when = 'No key of this account has this id.';
  static readonly fix = 'Take the id from the list of keys.';
  static readonly example = new ApiKeyNotFound('key_0123456789abcdef');
  readonly statusCode = 404;

  /** @param id null when the key was looked for by its text, which no message repeats. */
  constructor(id: string | null) {
    super(
      'api_key_not_found',
      'not-found',
      id === null ? 'No API key has this text.' : `No API key has the id ${id.slice(0, SHOWN_CHARACTERS)}.`,
    );
  }
}

/** Something about a new key breaks its rule. */
export class InvalidNewKey extends KeyError {
  readonly statusCode = 400;

  constructor(message: string) {
    super('validation_failed', 'invalid', message);
  }
}

/** The key is expired, revoked or already replaced, so it cannot be changed, and changes no other. */
export class InactiveApiKey extends KeyError {
  static readonly when = 'The key, or the acting one, is expired, revoked or already replaced.';
  static readonly fix = 'Use the key that replaced it, or make a new one.';
  static readonly example = new InactiveApiKey('Key key_0123456789abcdef is revoked.');
  readonly statusCode = 409;

  constructor(message: string) {
    super('inactive_api_key', 'conflict', message);
  }
}

/** A key would let its holder do more than the key that makes it. */
export class ExceedsOwnKey extends KeyError {
  static readonly when =
    'The key would have more rights, such as scopes or a larger plan, or a later expiry than the key that makes it.';
  static readonly fix = 'Request no more than your key has, or contact the operator, who can make any key.';
  static readonly example = new ExceedsOwnKey();
  readonly statusCode = 403;

  constructor() {
    super(
      'exceeds_own_key',
      'forbidden',
      'A key cannot make one with more rights, such as scopes or a larger plan, or a later expiry than its own.',
    );
  }
}

/** A lost response would leave the caller without a key that works. */
export class OwnKeyNeedsGrace extends KeyError {
  static readonly when = 'A key would replace itself without a grace period.';
  static readonly fix =
    'Give it a grace period. When the response is lost, another key of the account, or the operator, revokes the new one.';
  static readonly example = new OwnKeyNeedsGrace();
  readonly statusCode = 409;

  constructor() {
    super(
      'own_key_needs_grace',
      'conflict',
      'A key that replaces itself at once is lost with the response: give it a grace period, such as a minute.',
    );
  }
}
