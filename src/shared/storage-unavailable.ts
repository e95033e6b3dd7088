import { DomainError } from './domain-error.js';

/** The database does not answer; the request may be repeated unchanged. */
export class StorageUnavailable extends DomainError {
  static readonly when = 'The service cannot reach its storage.';
  static readonly fix =
    'Repeat the request after a while. For operators: the readiness check says what is down, and the log why.';
  static readonly example = new StorageUnavailable(null);

  constructor(cause: unknown) {
    super('service_unavailable', 'unavailable', 'The service cannot reach its storage. Try again shortly.');
    this.cause = cause;
  }
}
