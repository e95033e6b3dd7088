import { DomainError } from '@animal-store/kernel';

export class PhotoNotFound extends DomainError {
  static readonly when = 'The animal has no photo, or does not exist.';
  static readonly fix = 'Take the id from the list of animals, and set a photo first.';
  static readonly example = new PhotoNotFound(7n);

  /** @param petId as the caller sent it, which may be text that is no id */
  constructor(petId: bigint | string) {
    super('photo_not_found', 'not-found', `Animal ${petId} has no photo.`);
  }
}

/** Shares the code of every body that is invalid. */
export class InvalidPhoto extends DomainError {
  constructor(mediaType: string) {
    super('validation_failed', 'invalid', `The body is no ${mediaType}.`);
  }
}
