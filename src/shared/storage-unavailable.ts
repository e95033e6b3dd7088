import { DomainError } from './domain-error.js';

/** The database does not answer; the request may be repeated unchanged. */
export class StorageUnavailable extends DomainError {
  constructor(cause: unknown) {
    super('service_unavailable', 'unavailable', 'The service cannot reach its storage. Try again shortly.');
    this.cause = cause;
  }
}
