import { DomainError } from './domain-error.js';

/** Long enough for a database to fail over, short enough that nobody gives up. */
const RETRY_AFTER_SECONDS = 5;

/** The database does not answer; the request may be repeated unchanged. */
export class StorageUnavailable extends DomainError {
  static readonly when = 'The service cannot reach its storage.';
  static readonly fix =
    'Repeat the request after a while. For operators: the readiness check says what is down, and the log why.';
  static readonly example = new StorageUnavailable(null);

  /** When to repeat it. */
  readonly retryAfterSeconds: number;

  constructor(cause: unknown, { retryAfterSeconds = RETRY_AFTER_SECONDS } = {}) {
    super('service_unavailable', 'unavailable', 'The service cannot reach its storage. Try again shortly.');
    this.cause = cause;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
