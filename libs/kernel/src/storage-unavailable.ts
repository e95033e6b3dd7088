import { DomainError } from './domain-error.js';

/** Long enough for a database to fail over, short enough for callers to wait. */
const RETRY_AFTER_SECONDS = 5;

/** The database does not respond. The request may be repeated unchanged. */
export class StorageUnavailable extends DomainError {
  static readonly when = 'The database of the service cannot be used.';
  static readonly fix =
    'Repeat the request after `Retry-After` seconds. The readiness check names the failed part, the log the cause.';
  static readonly example = new StorageUnavailable(null);

  /** Seconds after which the caller should repeat the request. */
  readonly retryAfterSeconds: number;

  constructor(cause: unknown, { retryAfterSeconds = RETRY_AFTER_SECONDS } = {}) {
    super(
      'service_unavailable',
      'unavailable',
      'The database of the service cannot be used. Try again shortly.',
    );
    this.cause = cause;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
